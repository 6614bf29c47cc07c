/** A new play, as it is inserted: docs/protocol.md §5 "Accept". The insert is the acceptance; everything else follows from it. */
import { isFinal, type PlayTrigger } from '@weft/contracts';
import type { StoredLabels } from './labels.js';
import { laneFields, queuesOf, type LaneRequest } from './turns.js';
import { tooLateError } from './too-late.js';
import {
  PLAY_SCHEMA_VERSION,
  type Chain,
  type DoneItems,
  type LayerResult,
  type ParentLayer,
  type PayloadRef,
  type Play,
} from './play.js';

export interface RunRequest {
  readonly playId: string;
  readonly companyId: string;
  readonly flowId: string;
  readonly version: number;
  readonly args: Readonly<Record<string, unknown>>;
  /** Reference to args that are in the payload store already. */
  readonly argsRef?: PayloadRef;
  readonly idempotencyKey: string | null;
  /** When it is to start; null = now. */
  readonly dueAt: Date | null;
  readonly trigger: PlayTrigger;
  readonly triggeredBy: string | null;
  /** MongoDB's clock. */
  readonly serverNow: Date;
  /** It is SKIP unless it has begun by then; default: it may begin at any time. */
  readonly notAfter?: Date | null;
  /** −10 … 10; default 0. */
  readonly priority?: number;
  /** See `mergeLabels`. */
  readonly labels?: StoredLabels;
  /** The flow's time limit, counted from the start that was asked for. */
  readonly timeoutMs?: number | null;
  /** The flow limits its concurrency: what the limit's key gives, empty without one; default: it does not. */
  readonly limitKey?: string | null;
  /** The lane of the play; default: none. */
  readonly lane?: LaneRequest | null;
  /** It is not to run at all (`when` of the flow is false, a schedule's overlap): SKIP, which binds no key. */
  readonly skipped?: boolean;
  readonly retryOf?: string;
  /** Of a retry. */
  readonly chain?: Chain;
  /** Of a retry: what its loops need not do again, by position. */
  readonly doneItems?: Readonly<Record<string, DoneItems>>;
  readonly parentPlayId?: string;
  readonly parent?: ParentLayer;
  /** Results of `retryOf` that are taken over, in their order; payloads are the caller's business. */
  readonly takenOver?: readonly LayerResult[];
  /** The flow that is to be run if the play fails. */
  readonly onFailure?: string | null;
  /** See `Play.handlesFailureOf`: with it `onFailure` has no effect, so that failures never start plays in a circle. */
  readonly handlesFailureOf?: string;
}

export function acceptPlay(request: RunRequest): Play {
  const {
    serverNow,
    dueAt,
    idempotencyKey,
    timeoutMs,
    takenOver = [],
    retryOf,
    chain,
    doneItems,
    parentPlayId,
    parent,
    labels,
    onFailure,
    handlesFailureOf,
    notAfter,
  } = request;
  const play: Play = {
    _id: request.playId,
    schemaVersion: PLAY_SCHEMA_VERSION,
    company_id: request.companyId,
    flowId: request.flowId,
    version: request.version,
    ...initialState(request),
    ...(request.lane && laneFields(request.lane)),
    ...(request.limitKey != null && { limitKey: request.limitKey }),
    epoch: 1,
    seq: 1,
    cursor: takenOver.length,
    crashes: 0,
    ...(idempotencyKey !== null && { key: idempotencyKey, idempotencyKey }),
    ...(notAfter && { notAfter, strict: true }),
    ...(timeoutMs != null && { deadlineAt: new Date((dueAt ?? serverNow).getTime() + timeoutMs) }),
    layers: takenOver,
    log: [{ seq: 1, type: 'accepted', ...(takenOver.length > 0 && { taken: takenOver.length }), at: serverNow }],
    args: request.args,
    ...(request.argsRef && { argsRef: request.argsRef }),
    trigger: request.trigger,
    triggeredBy: request.triggeredBy,
    priority: request.priority ?? 0,
    ...(labels && { labels }),
    createdAt: serverNow,
    ...(retryOf !== undefined && { retryOf }),
    ...(chain && { chain }),
    ...(doneItems && { doneItems }),
    ...(parentPlayId !== undefined && { parentPlayId }),
    ...(parent && { parent }),
    ...(parent?.awaited && { parentPending: true as const }),
    ...(handlesFailureOf !== undefined && { handlesFailureOf }),
    ...(onFailure && handlesFailureOf === undefined && { failurePending: onFailure }),
  };
  return request.skipped ? skipped(play, serverNow) : play;
}

function initialState(request: RunRequest): Pick<Play, 'state' | 'dueAt' | 'heartbeatAt' | 'queues'> {
  const { flowId, dueAt, lane, limitKey, serverNow } = request;
  if (dueAt) return { state: 'DEFERRED', dueAt };
  const [first] = queuesOf({ flowId, lane: lane?.name, limitKey: limitKey ?? undefined });
  return first === undefined ? { state: 'NEW', heartbeatAt: serverNow } : { state: 'DEFERRED', queues: [first] };
}

/**
 * A play that was made of another one, under the limit that its flow has now.
 *
 * @param limitKey null: the flow has no limit
 */
export function underLimit(play: Play, limitKey: string | null): Play {
  const { limitKey: _former, heartbeatAt: _heartbeatAt, queues: _queues, ...free } = play;
  if (isFinal(play.state)) return play;
  const limited = limitKey === null ? free : { ...free, limitKey };
  if (play.dueAt) return limited;
  const [first] = queuesOf(limited);
  if (first === undefined) return { ...limited, state: 'NEW', heartbeatAt: play.createdAt };
  return { ...limited, state: 'DEFERRED', queues: [first] };
}

/** Final from the start, and told as such. */
function skipped(play: Play, at: Date): Play {
  const {
    key: _key,
    heartbeatAt: _heartbeatAt,
    dueAt: _dueAt,
    deadlineAt: _deadlineAt,
    queues: _queues,
    laneStops: _laneStops,
    failurePending: _failurePending,
    notAfter,
    strict: _strict,
    ...rest
  } = play;
  return {
    ...rest,
    state: 'SKIP',
    ...(notAfter && notAfter < at && { error: tooLateError(notAfter) }),
    seq: 3,
    log: [
      ...play.log,
      { seq: 2, type: 'state', from: 'NEW', state: 'SKIP', at },
      { seq: 3, type: 'end', state: 'SKIP', at },
    ],
    completedAt: at,
  };
}
