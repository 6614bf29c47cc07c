import type { FlowSettings, ShownLayer } from '@weft/shapes';
import type { LayerState, PlayState } from './states.js';

/** The responses of the API: docs/http-api.md §4 and §5. Times are ISO 8601 UTC with milliseconds; absent is null. */
export interface LayerView extends ShownLayer {
  readonly id: string;
  readonly flowId: string;
  readonly index: number;
  readonly warnings: readonly Warning[];
}

export interface Warning {
  readonly path: string;
  readonly code: string;
  readonly message: string;
}

/** Texts by key, by which people find plays again. */
export type Labels = Readonly<Record<string, string>>;

export interface FlowView {
  readonly id: string;
  /** The users' own name for it. */
  readonly key: string | null;
  readonly name: string;
  readonly enabled: boolean;
  readonly category: string;
  readonly isBlueprint: boolean;
  readonly company_id: string;
  readonly description: string;
  readonly version: number;
  /** The version that runs use; null: none is published yet. */
  readonly publishedVersion: number | null;
  readonly groupId: string | null;
  readonly restricted: boolean;
  readonly when: string | null;
  readonly settings: FlowSettings;
  /** JSON Schema of the args of its runs. */
  readonly argsSchema: Readonly<Record<string, unknown>> | null;
  readonly blueprintId: string | null;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly filteredAt: string | null;
  /** Whether its definition could be enabled, determined when it was saved; null in lists for flows last saved before that was stored. */
  readonly valid: boolean | null;
  /** Why not; paths name layers by ref. */
  readonly errors: readonly Warning[];
  readonly layers?: readonly LayerView[];
  /** When one flow is read: what its reader may do with it, by role, as its creator and by grants. */
  readonly permissions?: readonly ('read' | 'execute' | 'edit' | 'delete')[];
}

/** How a play was started. */
export const PLAY_TRIGGERS = ['api', 'schedule', 'retry', 'rerun', 'flow', 'hook', 'mcp'] as const;
export type PlayTrigger = (typeof PLAY_TRIGGERS)[number];

export interface PlayError {
  readonly code: string;
  readonly message: string;
  readonly ref: string | null;
}

/** A play as lists and the company stream show it. */
export interface PlayRow {
  readonly id: string;
  readonly flowId: string;
  readonly state: PlayState;
  readonly startedAt: string | null;
  readonly completedAt: string | null;
  /** Milliseconds, `completedAt − startedAt`. */
  readonly duration: number | null;
  readonly company_id: string;
  readonly version: number;
  readonly idempotencyKey: string | null;
  readonly trigger: PlayTrigger;
  readonly triggeredBy: string | null;
  readonly priority: number;
  readonly dueAt: string | null;
  readonly createdAt: string;
  readonly error: PlayError | null;
  readonly retryOf: string | null;
  readonly parentPlayId: string | null;
  readonly labels: Labels;
  /** It pauses before a failed layer is called again. */
  readonly retrying: boolean;
}

export interface PlayView extends PlayRow {
  /** Its retry, which need not be the last of its chain. Null: it has none. */
  readonly retriedBy: { readonly playId: string; readonly state: PlayState } | null;
  /** Absent in lists. */
  readonly args?: Readonly<Record<string, unknown>>;
  /** The lane that it belongs to. Absent in lists, as the next fields. */
  readonly lane?: string | null;
  /** The play that its failure started. */
  readonly failureHandledBy?: string | null;
  /** The failed play for which it, or the play that it came from, was started. */
  readonly handlesFailureOf?: string | null;
}

export interface PlayLayerView {
  readonly id: string;
  readonly ref: string;
  readonly state: LayerState;
  readonly startedAt: string | null;
  readonly completedAt: string | null;
  readonly out: unknown;
  readonly name: string;
  readonly appId: string;
  readonly index: number;
  readonly attempts: number;
  /** Absent for none. */
  readonly interruptions?: number;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly progress: number | null;
  readonly outBytes: number;
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly page: number;
  readonly size: number;
  readonly total: number;
  readonly totalCapped: boolean;
  readonly nextCursor: string | null;
}

/** RFC 9457, `application/problem+json`. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly code: string;
  readonly reason: string | null;
  readonly retryable: boolean;
  readonly requestId: string;
  readonly errors: readonly Warning[];
}
