import type { FinalState, LayerState, PlayError, PlayState, PlayTrigger } from '@weft/contracts';
import type { KvUse } from './kv-use.js';
import type { StoredLabels } from './labels.js';
import type { LayerWait } from './layer-outcome.js';

/** A reference to an output that is too large for the play document and is in the payload store. */
export interface PayloadRef {
  readonly $ref: string;
  readonly bytes: number;
}

/** What the items of a loop gave that has not ended well, or the steps of a layer. */
export interface DoneItems {
  readonly count: number;
  /** Items of the loop altogether. */
  readonly of?: number;
  /**
   * JSON, a list of `[index, digest of the item, output]` with each on a line of its own. The id of its play follows in the
   * line of a collected failure, which counts in that play only.
   */
  readonly text?: string;
  /** A list like `text` in the payload store. */
  readonly ref?: PayloadRef;
  /** Further ones, in the order in which they were stored. */
  readonly more?: readonly PayloadRef[];
  /** Of rounds: the play that stored `ref`. */
  readonly madeIn?: string;
  /** Of steps: those of which a call may be running that is never made again. */
  readonly begun?: readonly number[];
  /** Of rounds: lists of this play in whose place `ref` is. Nothing refers to them once this is stored. */
  readonly replaced?: readonly PayloadRef[];
}

/** Why a layer failed. */
interface LayerResultError {
  readonly code: string;
  readonly message: string;
  /** Of the answer that the layer refused. */
  readonly statusCode?: number;
  /** Position of the item of a loop that failed. */
  readonly item?: number;
}

/**
 * What one layer left: docs/protocol.md §2 `layers[]`, in the order in which the results were recorded. Look one up by its
 * `position`; the n-th `complete` of the log belongs to the n-th result (not counting those that a retry took over, which
 * come first).
 */
export interface LayerResult {
  /** Position in the version's layers. */
  readonly position: number;
  readonly ref: string;
  readonly name: string;
  readonly state: Exclude<LayerState, 'NEW' | 'RUN' | 'WAIT' | 'DEFERRED'>;
  readonly startedAt: Date;
  readonly completedAt: Date;
  /** As it is stored: read it with `outOf`. */
  readonly out: unknown;
  /** `body`: of `out`, `json` is left out: it is parsed from this field. `text`: `out` is `{ text }`, the JSON of all of it. */
  readonly jsonFrom?: 'body' | 'text';
  /** Set instead of `out` when the output is in the payload store. */
  readonly outRef?: PayloadRef;
  readonly outBytes: number;
  /** Calls that are known to have ended; a call that a crash interrupted is not among them. */
  readonly attempts: number;
  /**
   * Hand-outs that ended without a write before this call: each may have made a call whose end is not known. Absent for none.
   */
  readonly interruptions?: number;
  /** A branch: positions that are not to run because of this result. */
  readonly skips?: readonly number[];
  /** A filter that did not pass: no later layer runs. */
  readonly filtersRest?: true;
  readonly error?: LayerResultError;
  /** Of a loop that failed: what a retry does not call again. It replaces `Play.doneItems`. */
  readonly doneItems?: DoneItems;
  /** Reported by the call. It is stored in the log, as is that of failed calls. */
  readonly kv?: KvUse;
  /** Owner id of the worker that recorded it: docs/protocol.md §3, rule 10. */
  readonly by: string;
}

/** One numbered thing that happened; `seq` is given by the write that stores it. Entry n of `log` has seq n. */
export type LogEntry =
  /** `taken`: how many results of the play that it retries it was accepted with. */
  | { readonly seq: number; readonly type: 'accepted'; readonly taken?: number; readonly at: Date }
  | {
      readonly seq: number;
      readonly type: 'state';
      readonly from: PlayState;
      readonly state: PlayState;
      readonly at: Date;
    }
  | {
      readonly seq: number;
      readonly type: 'start';
      readonly layer: number;
      readonly ref: string;
      readonly name: string;
      readonly at: Date;
    }
  | {
      readonly seq: number;
      readonly type: 'error';
      readonly layer: number;
      readonly ref: string;
      readonly message: string;
      readonly retries: number;
      readonly kv?: KvUse;
      readonly at: Date;
    }
  | {
      readonly seq: number;
      readonly type: 'complete';
      readonly layer: number;
      readonly state: LayerState;
      readonly kv?: KvUse;
      readonly at: Date;
    }
  | { readonly seq: number; readonly type: 'resumed'; readonly layer: number; readonly at: Date }
  /**
   * A write that logs nothing else: a worker claimed the play, or counted that it could not start the play (`unreadyWrite`).
   */
  | { readonly seq: number; readonly type: 'claimed'; readonly at: Date }
  | { readonly seq: number; readonly type: 'end'; readonly state: FinalState; readonly at: Date };

/**
 * The form of stored plays. A worker leaves a play of a newer form to a worker that knows it: raise it when a build could not
 * run what the next one stores.
 */
export const PLAY_SCHEMA_VERSION = 1;

/** Which layer of which play has started a play, and how many ancestors the play has. */
export interface ParentLayer {
  readonly flowId: string;
  /** Of the play with that layer, which is `parentPlayId`: its chain, and its place there. */
  readonly first: string;
  readonly nth: number;
  /** Position in the version's layers. */
  readonly layer: number;
  /** Of a loop: index of the item. */
  readonly item?: number;
  readonly depth: number;
  /** The layer waits for the play's end. Such a play is retried through its parent. */
  readonly awaited?: true;
}

/** A play, its retry, the retry of that and so on: one run that was asked for, whichever of its plays does it. */
export interface Chain {
  /** Id of the play that was retried first. */
  readonly first: string;
  /** The play's place in the chain: 0 is the first play, 1 its retry. A chain has one play in each place: the insert decides. */
  readonly nth: number;
  /** When that one was accepted. */
  readonly at: Date;
  /** How that one was started. */
  readonly trigger?: PlayTrigger;
}

/** The play as it is stored: docs/protocol.md §2. Names on disk and here are the same. */
export interface Play {
  readonly _id: string;
  readonly schemaVersion: number;
  readonly company_id: string;
  readonly flowId: string;
  readonly version: number;
  readonly state: PlayState;
  readonly held?: PlayState;
  readonly epoch: number;
  readonly seq: number;
  /** How many results are recorded. */
  readonly cursor: number;
  readonly owner?: string;
  /** Last sign of life: of its acceptance, or of the worker that owns it. NEW and RUN plays only. */
  readonly heartbeatAt?: Date;
  readonly dueAt?: Date;
  readonly strict?: true;
  readonly crashes: number;
  readonly key?: string;
  readonly inbox?: Readonly<Record<string, unknown>>;
  /** First position of the stage in which an `onInterrupted: fail` layer may be running. */
  readonly started?: number;
  /** By position: what layers without a result wait for. */
  readonly waits?: Readonly<Record<string, LayerWait>>;
  /** Topics of the events among `waits`; see `eventTopic`. */
  readonly waitsFor?: readonly string[];
  /** By position: failed calls of layers without a result. */
  readonly tries?: Readonly<Record<string, number>>;
  /** The play ends as SKIP if no worker has claimed it by then. Removed by the claim: only plays that have not begun have it. */
  readonly notAfter?: Date;
  /** The flow's time limit: open plays only. */
  readonly deadlineAt?: Date;
  /** Workers could not prepare its version: how often in a row, and the `seq` of the last time. */
  readonly notBegun?: { readonly seq: number; readonly times: number };
  /** The lane that it belongs to: of the plays of a lane, one at a time has the turn. */
  readonly lane?: string;
  /** Of a flow with a concurrency limit: what the limit's key gave; empty when it has none. */
  readonly limitKey?: string;
  /** Of a play that needs turns: given by MongoDB when it is inserted; a retry has that of the play in whose place it is. Sorts queues. */
  readonly order?: object;
  /** The queues in which it waits for its turns, of those of `queuesOf` the first ones. DEFERRED until it has them; set only while that is so. */
  readonly queues?: readonly string[];
  /** `<queue>#<number>`: its turns, no two plays have the same one. The end removes them, unless its lane stops at it. */
  readonly turns?: readonly string[];
  /** The lane stops at it when it FAILs during its turn. */
  readonly laneStops?: true;
  /** NEW, or DEFERRED and due, for one reason only: its company's window had no room for it. Nobody has rung for it since. */
  readonly ready?: true;
  readonly layers: readonly LayerResult[];
  readonly log: readonly LogEntry[];
  readonly heldAt?: Date;
  readonly completedAt?: Date;
  /** Empty when they are in the payload store. */
  readonly args: Readonly<Record<string, unknown>>;
  /** The reference of args that are too large for the document. */
  readonly argsRef?: PayloadRef;
  readonly idempotencyKey?: string;
  readonly trigger: PlayTrigger;
  readonly triggeredBy: string | null;
  readonly priority: number;
  readonly labels?: StoredLabels;
  readonly createdAt: Date;
  readonly error?: PlayError;
  readonly retryOf?: string;
  /** Of a retry, not of a rerun. Its calls are those of this chain: the same idempotency keys, the same clock. See `chainOf`. */
  readonly chain?: Chain;
  /**
   * By position: what loops without a result have done, in this play and in earlier plays of its chain; and the steps of layers that
   * work in steps, also when they have ended.
   */
  readonly doneItems?: Readonly<Record<string, DoneItems>>;
  /** Of the HTTP request that asked for it. */
  readonly requestId?: string;
  /** W3C trace context of its acceptance; of plays that are traced. */
  readonly trace?: string;
  /** `tracestate` of whoever asked for it; of plays that are traced. */
  readonly traceState?: string;
  readonly parentPlayId?: string;
  /** Retention took the layers away: results, outputs, and the events of layers in the log. Of final plays only. */
  readonly layersErasedAt?: Date;
  /** Of a play that a layer has started. */
  readonly parent?: ParentLayer;
  /** The layer that started it waits for it: until that goes on, and of a loop until it has stored how this play ended. */
  readonly parentPending?: true;
  /** The flow that its failure is to start, as its flow said when it was accepted. Removed when that play was started. */
  readonly failurePending?: string;
  /** Id of the play that its failure starts. While `failurePending` is set, that play may not be stored yet. */
  readonly failureHandledBy?: string;
  /** The failed play that started it, or started what it was made of or by. Its own failure starts no play. */
  readonly handlesFailureOf?: string;
}

/** The chain that a play's calls belong to; a play that is not a retry is its own chain. */
export function chainOf({
  _id,
  createdAt,
  chain,
  trigger,
}: Pick<Play, '_id' | 'createdAt' | 'chain'> & { readonly trigger?: PlayTrigger }): Chain {
  return chain ?? { first: _id, nth: 0, at: createdAt, ...(trigger && { trigger }) };
}
