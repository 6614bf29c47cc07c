import type { FlowView, Warning } from './views.js';

/** What the API answers about versions, blueprints, documents and test cases of a flow: contract §4. */
export interface FlowVersionView {
  readonly version: number;
  /** Who made this version. */
  readonly createdBy: string;
  readonly createdAt: string;
  /** The flow as it was then; without layers in lists. */
  readonly flow: FlowView;
}

/** One difference. `path` names layers by ref: `layers.fetch.args.url`. Absent is null. */
export interface FlowChange {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

export interface FlowDiffView {
  readonly from: number;
  readonly to: number;
  readonly changes: readonly FlowChange[];
}

export interface BlueprintVarView {
  readonly name: string;
  /** The layers that read it. */
  readonly refs: readonly string[];
}

/** Whether a flow could be enabled. */
export interface FlowReport {
  readonly valid: boolean;
  readonly errors: readonly Warning[];
  readonly warnings: readonly Warning[];
}
