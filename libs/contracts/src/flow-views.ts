import type { LayerState, PlayState } from './states.js';
import type { FlowView, PlayError, Warning } from './views.js';

/** Responses of the API about versions, blueprints, documents and test cases of a flow: docs/http-api.md §4. */
export interface FlowVersionView {
  readonly version: number;
  /** Who created this version. */
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

type Free = Readonly<Record<string, unknown>>;

export interface TestCaseView {
  readonly id: string;
  readonly flowId: string;
  readonly name: string;
  readonly args: Free;
  /** Ref → the output that replaces the layer's own. */
  readonly fixtures: Free;
  /** Ref → part of the output that the layer must have. */
  readonly expected: Free;
  /** The flow cannot be enabled while this case fails. */
  readonly required: boolean;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** `path` begins with the layer's ref. Values that are large as JSON are cut to texts. */
export interface CaseDifference {
  readonly path: string;
  readonly expected: unknown;
  readonly actual: unknown;
  readonly message: string;
}

export interface CaseRunView {
  readonly caseId: string;
  readonly passed: boolean;
  readonly differences: readonly CaseDifference[];
}

export interface TestRunView {
  readonly passed: number;
  readonly failed: number;
  readonly items: readonly CaseRunView[];
}

export interface DryRunLayerView {
  readonly ref: string;
  readonly name: string;
  readonly appId: string;
  readonly index: number;
  /** NEW: not reached. */
  readonly state: LayerState;
  readonly out: unknown;
  readonly error: { readonly code: string; readonly message: string } | null;
}

/** `NOT_TRIED`: it did not fail, and not all of it was tried, since a fixture was missing. */
export type DryRunState = PlayState | 'NOT_TRIED';

export interface DryRunView {
  readonly state: DryRunState;
  readonly error: PlayError | null;
  readonly layers: readonly DryRunLayerView[];
  /** Refs of layers that would have affected the outside world, or waited, and had no fixture. */
  readonly missingFixtures: readonly string[];
}

/** How a version would have played what a play was accepted with. */
export const BACKTEST_RESULTS = ['same', 'different', 'unresolved'] as const;
export type BacktestResult = (typeof BACKTEST_RESULTS)[number];

/** `before` is what the play recorded. Values that are large as JSON are cut to texts. */
export interface BacktestDifference {
  /** The layer; null: the play as a whole. */
  readonly ref: string | null;
  /** In the layer's out; `$state`, `$error` and `$out` are those of the layer or the play, `$args` what the layer would be called with. */
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

export interface BacktestItem {
  readonly playId: string;
  readonly result: BacktestResult;
  readonly differences: readonly BacktestDifference[];
  /** Refs of layers for which the play recorded no answer. */
  readonly missing: readonly string[];
}

export interface BacktestView {
  readonly compared: number;
  readonly same: number;
  readonly different: number;
  readonly unresolved: number;
  readonly items: readonly BacktestItem[];
}
