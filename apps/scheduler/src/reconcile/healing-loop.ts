/** One kind of healing. A failure of one does not stop the others. */
export interface HealingLoop {
  readonly name: string;
  /** Rejects when a store does not answer; the next pass continues where this one was. */
  pass(): Promise<unknown>;
}

/** Plays that are read and written together. */
export const PAGE = 500;
