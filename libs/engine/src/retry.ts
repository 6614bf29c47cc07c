/**
 * A retry: a new play that takes over what a failed one has finished and starts at what failed (docs/protocol.md §5 "Retry"). The
 * failed play stays as it is. Decides which results go over; who may ask for it, and that stored outputs stay while one of
 * the plays refers to them, is decided elsewhere.
 */
import { acceptPlay } from './accept.js';
import type { FlowVersion } from './flow-version.js';
import { chainOf, type DoneItems, type LayerResult, type PayloadRef, type Play } from './play.js';
import { isAtStoppedLane, type LaneRequest } from './turns.js';
import { PROTOCOL_TIMES } from './times.js';

export type RetryDecision =
  | { readonly kind: 'retry' }
  /** Not before that many milliseconds: a worker may be between its last look at the play and its call. */
  | { readonly kind: 'later'; readonly waitMs: number }
  | { readonly kind: 'refuse'; readonly why: string };

/** A failed play as a retry needs it: nothing of the log goes over, nor what it waited for. */
export type RetriedPlay = Omit<Play, 'log' | 'waits' | 'inbox'>;

/** Only of a FAIL whose results are still there, and not before a worker that may have had it unclaimed has stopped. */
export function decideRetry(play: Pick<Play, 'state' | 'completedAt' | 'layersErasedAt'>, at: Date): RetryDecision {
  if (play.state !== 'FAIL')
    return { kind: 'refuse', why: `Only a play that failed is retried; this one is ${play.state}.` };
  if (play.layersErasedAt)
    return { kind: 'refuse', why: 'What its layers have done is not kept any more, so it can only be rerun.' };
  const waitMs = (play.completedAt?.getTime() ?? 0) + PROTOCOL_TIMES.settleMs - at.getTime();
  return waitMs > 0 ? { kind: 'later', waitMs: Math.min(waitMs, PROTOCOL_TIMES.settleMs) } : { kind: 'retry' };
}

/**
 * The results that a retry takes over, in their order: all but the failures that ended the play. A failure that the flow let
 * pass (`onError: continue`) is part of what later layers went on with, and so is what was skipped or filtered: the layers
 * that decided it are taken over, too. Of a stage only what failed or has no result runs again.
 */
export function resultsTakenOver(failed: Pick<Play, 'layers'>, version: Pick<FlowVersion, 'layers'>): LayerResult[] {
  return failed.layers.filter(
    ({ state, position }) => state !== 'FAIL' || version.layers[position]?.onError === 'continue',
  );
}

/**
 * What the loops that have to go on have done in the failed play, or in those before it, by position. A play that ended before
 * its loop began passes on what it had taken over.
 */
function doneItemsTakenOver(
  failed: Pick<Play, 'layers' | 'doneItems'>,
  taken: readonly LayerResult[],
): Readonly<Record<string, DoneItems>> {
  const positions = new Set(taken.map(({ position }) => String(position)));
  const own = failed.layers.flatMap(({ position, doneItems }) => (doneItems ? [[position, doneItems] as const] : []));
  const all = { ...failed.doneItems, ...Object.fromEntries(own) };
  return Object.fromEntries(Object.entries(all).filter(([position]) => !positions.has(position)));
}

/** What a new play refers to in the payload store. */
export function payloadsOf({
  argsRef,
  layers,
  doneItems = {},
}: Pick<Play, 'argsRef' | 'layers' | 'doneItems'>): PayloadRef[] {
  const refs = [
    argsRef,
    ...layers.map(({ outRef }) => outRef),
    ...Object.values(doneItems).flatMap(({ ref, more = [] }) => [ref, ...more]),
  ];
  return refs.filter((ref) => ref !== undefined);
}

/** Of a play at which its lane has stopped, the retry takes the place; any other one goes to the end of the lane. */
function laneOfRetry(failed: RetriedPlay): LaneRequest | null {
  if (failed.lane === undefined) return null;
  const order = isAtStoppedLane(failed) && { order: failed.order };
  return { name: failed.lane, stopsOnFail: failed.laneStops, ...order };
}

export interface RetryRequest {
  readonly playId: string;
  readonly triggeredBy: string | null;
  /** MongoDB's clock. */
  readonly serverNow: Date;
  /** When it starts; default: at once. */
  readonly dueAt?: Date | null;
  /** It is SKIP unless it has begun by then; default: it may begin at any time. */
  readonly notAfter?: Date | null | undefined;
  /** The layer of another play that asks for it: it is that layer's child. Default: a person's retry, or the repetition of a run. */
  readonly child?: Required<Pick<Play, 'parentPlayId' | 'parent' | 'priority'>>;
}

/**
 * The new play: same version and args, and the idempotency key that the failed one had. From now on both refer to what is in
 * the payload store; the caller records that.
 */
export function retryOf(
  failed: RetriedPlay,
  version: Pick<FlowVersion, 'layers' | 'settings'>,
  request: RetryRequest,
): Play {
  const takenOver = resultsTakenOver(failed, version);
  const doneItems = doneItemsTakenOver(failed, takenOver);
  const chain = chainOf(failed);
  const { child, ...asked } = request;
  return acceptPlay({
    ...asked,
    companyId: failed.company_id,
    flowId: failed.flowId,
    version: failed.version,
    args: failed.args,
    argsRef: failed.argsRef,
    idempotencyKey: failed.idempotencyKey ?? null,
    dueAt: request.dueAt ?? null,
    trigger: child ? 'flow' : 'retry',
    priority: failed.priority,
    ...child,
    labels: failed.labels,
    timeoutMs: version.settings.timeoutMs,
    retryOf: failed._id,
    chain: { ...chain, nth: chain.nth + 1 },
    ...(Object.keys(doneItems).length > 0 && { doneItems }),
    takenOver,
    lane: laneOfRetry(failed),
    limitKey: failed.limitKey,
    onFailure: version.settings.onFailure,
    handlesFailureOf: failed.handlesFailureOf,
  });
}
