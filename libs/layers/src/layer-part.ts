/** A layer of another module within the arguments of a layer. */
export interface LayerPart {
  /** In dots, from the arguments. */
  readonly path: string;
  readonly appId: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** As `faceKey` of modules. */
  readonly faceKey: string | null;
  /** Whether it is pinned to a state of what it names. */
  readonly isPinned: boolean;
}
