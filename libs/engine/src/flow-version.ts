import type { FlowSettings, Layer } from '@weft/shapes';

/** One step of a flow as a version holds it. Order in `FlowVersion.layers` is order of execution. */
export interface LayerDefinition extends Layer {
  readonly id: string;
  readonly name: string;
  /** The index that people see; gaps are allowed. The protocol counts positions in `FlowVersion.layers` instead. */
  readonly index: number;
}

/** An immutable snapshot of a flow. A play runs the version that it was accepted with, whatever happens to the flow. */
export interface FlowVersion {
  readonly flowId: string;
  readonly companyId: string;
  readonly version: number;
  readonly name: string;
  /** The users' own name for the flow when the version was saved. */
  readonly key?: string | null;
  readonly settings: FlowSettings;
  /** Asked at accept: a play of a flow whose `when` is false is a SKIP. */
  readonly when?: string | null;
  /** What `{{ $blueprint.name }}` reads; null when the flow was not instantiated from a blueprint. */
  readonly blueprintVars?: Readonly<Record<string, string>> | null;
  readonly layers: readonly LayerDefinition[];
}
