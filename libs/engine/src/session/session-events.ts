/** The events of a session: each takes the session and what happened, for example a stored write, and returns the next session. */
import { isFinal, type PlayError } from '@weft/contracts';
import { bsonBytes } from '@weft/kernel';
import { mayRetry, retryDelayMs } from './attempts.js';
import { isParked } from '../inbox.js';
import { isPause, isSameWait, type LayerOutcome, type LayerWait } from '../layer-outcome.js';
import type { DoneItems, LayerResult, Play } from '../play.js';
import { hasLogReserve, hasLogRoom, hasLogRoomForPlays } from '../play-log.js';
import { withDoneItems } from './keeping.js';
import {
  loggedStartsIn,
  storedState,
  type DoneItemsOf,
  type FailedCall,
  type RunningCall,
  type Session,
  type Waits,
} from './session.js';
import { addSkippedResults } from './skipped-results.js';
import { endOfStage, without } from './stage.js';
import type { WritePurpose, SessionWrite } from './write-fields.js';

export function onLayersStarted(session: Session, positions: readonly number[], at: Date): Session {
  const calls = positions.map((position): RunningCall => ({
    position,
    since: at,
    attempt: (session.tries[position] ?? 0) + 1,
    waitedFor: awaitedOf(session.waits[position]),
    ...(session.crashes > 0 && { crashes: session.crashes }),
  }));
  return { ...session, runningCalls: session.runningCalls.length === 0 ? calls : [...session.runningCalls, ...calls] };
}

function awaitedOf(wait: LayerWait | undefined): LayerWait | null {
  return wait === undefined || isPause(wait.kind) ? null : wait;
}

/** The `when` of this layer was evaluated. @param outcome null: it is true, and the layer runs */
export function onConditionChecked(session: Session, position: number, outcome: LayerOutcome | null): Session {
  if (outcome === null) return { ...session, conditionsMet: [...session.conditionsMet, position] };
  return onLayerEnded(session, outcome);
}

/** A call of a layer ended, or the layer has its result without a call. */
export function onLayerEnded(session: Session, outcome: LayerOutcome): Session {
  const position = outcome.kind === 'wait' ? outcome.wait.position : outcome.result.position;
  const call = session.runningCalls.find((one) => one.position === position);
  const ended: Session = { ...session, runningCalls: session.runningCalls.filter((one) => one !== call) };
  if (outcome.kind === 'wait') {
    const { wait, doneItems, hasMovedOn } = outcome;
    const failWith = (result: LayerResult) => withResult(ended, withLeftItems(ended, result, doneItems));
    if (call?.waitedFor && isForSameStep(wait, call.waitedFor))
      return failWith(waitedAgainResult(wait, call, session.ownerId));
    const waits = { ...ended.waits, [position]: wait };
    const refusal = refusalOf(wait, waits, session);
    if (refusal) {
      const attempt = (session.tries[position] ?? 0) + 1;
      return failWith(failedWaitResult(wait, wait.since, attempt, refusal, session.ownerId));
    }
    const tries = hasMovedOn ? without(ended.tries, position) : ended.tries;
    const waiting = {
      ...ended,
      waits,
      tries,
      ...(doneItems && { doneItems: withDoneItems(ended, position, doneItems) }),
    };
    return addSkippedResults(waiting, wait.since);
  }
  const { then, peer, doneItems, failedUpTo } = outcome;
  const result = withInterruptions(outcome.result, call);
  const { error } = result;
  const retry = session.plan[position]?.retry ?? null;
  // of an item of a loop its own attempts count, of which there may have been several within this call
  const attempt =
    error?.item === undefined ? Math.max((session.tries[position] ?? 0) + 1, result.attempts) : result.attempts;
  const hasRoom = !session.failure && hasLogReserve(session);
  if (hasRoom && result.state === 'FAIL' && error && mayRetry(retry, attempt, error.code, peer)) {
    const pause = retryDelayMs(retry, attempt, session.playId, position, peer);
    const until = new Date(result.completedAt.getTime() + pause);
    const again = withRetry(ended, result, error.message, attempt, { until, failedUpTo });
    const kept = doneItems ? { ...again, doneItems: withDoneItems(again, position, doneItems) } : again;
    return addSkippedResults(kept, result.completedAt);
  }
  if (then === undefined) return withResult(ended, withLeftItems(ended, result, doneItems));
  if ('filterRest' in then) return withResult({ ...ended, filtersRest: true }, { ...result, filtersRest: true });
  // layers in the branch's own stage have started already
  const behind = endOfStage(session, position);
  const skips = session.plan.flatMap(({ ref }, at) => (at >= behind && then.skip.includes(ref) ? [at] : []));
  return withResult({ ...ended, skippedPositions: [...session.skippedPositions, ...skips] }, { ...result, skips });
}

/** A loop that is not called again in this play leaves what it has done to a retry, unless the play goes on after its failure. */
function withLeftItems({ plan }: Session, result: LayerResult, doneItems: DoneItems | undefined): LayerResult {
  if (!doneItems || result.state !== 'FAIL' || plan[result.position]?.onError === 'continue') return result;
  return { ...result, doneItems };
}

/** A layer that was not called was not interrupted. */
function withInterruptions(result: LayerResult, call: RunningCall | undefined): LayerResult {
  return call?.crashes && result.attempts > 0 ? { ...result, interruptions: call.crashes } : result;
}

/** A layer that works in steps may wait again, for another one. */
function isForSameStep(wait: LayerWait, before: LayerWait): boolean {
  return before.step === undefined || wait.step === before.step;
}

function withRetry(
  session: Session,
  { position, ref, startedAt, completedAt, kv }: LayerResult,
  message: string,
  attempt: number,
  { until, failedUpTo }: { readonly until: Date; readonly failedUpTo: number | undefined },
): Session {
  const retry = { kind: 'retry', since: completedAt, until, ...(failedUpTo !== undefined && { failedUpTo }) } as const;
  return {
    ...session,
    failedCalls: [
      ...session.failedCalls,
      { position, message, attempt, since: startedAt, at: completedAt, ...(kv && { kv }) },
    ],
    tries: { ...session.tries, [position]: attempt },
    waits: { ...session.waits, [position]: { position, ref, ...retry } },
  };
}

function withResult(session: Session, result: LayerResult): Session {
  const { position, kv } = result;
  const stops = result.state === 'FAIL' && session.plan[position]?.onError !== 'continue';
  const failure: PlayError | null =
    stops && result.error ? { code: result.error.code, message: result.error.message, ref: result.ref } : null;
  const after: Session = {
    ...session,
    unstoredResults: [...session.unstoredResults, withLoggedStart(session, kv ? withoutKvUse(result) : result)],
    waits: without(session.waits, position),
    tries: without(session.tries, position),
    kvUses: kv ? { ...session.kvUses, [position]: kv } : session.kvUses,
    failure: session.failure ?? failure,
  };
  return addSkippedResults(after, result.completedAt);
}

function withoutKvUse({ kv: _kv, ...result }: LayerResult): LayerResult {
  return result;
}

/** The result of a layer that was tried or waited before has the time of its first start. */
function withLoggedStart(session: Session, result: LayerResult): LayerResult {
  const wait = session.waits[result.position];
  const since = session.loggedStarts.get(result.position) ?? (wait && isPause(wait.kind) ? undefined : wait?.since);
  return since && since < result.startedAt ? { ...result, startedAt: since } : result;
}

/** The failure of a module that waits again after its wait was over: it would do so for ever. */
function waitedAgainResult(wait: LayerWait, { since, attempt }: RunningCall, by: string): LayerResult {
  const error = { code: 'internal', message: 'The layer has what it waited for, and waits on.' };
  return failedWaitResult(wait, since, attempt, error, by);
}

/** A limit for all waits of a play, because every write carries all of them. */
const MAX_WAITS_BYTES = 4 * 1024 * 1024;
/** The size of the largest possible wait: a message of 10,000 characters, a hundred approvers. */
const MAX_WAIT_BYTES = 64 * 1024;

function areTooLarge(waits: Session['waits']): boolean {
  return Object.keys(waits).length * MAX_WAIT_BYTES > MAX_WAITS_BYTES && bsonBytes(waits) > MAX_WAITS_BYTES;
}

/** Why the play cannot wait for this; null: it can. Each pause of a loop adds to the log of the play, whose length is bounded. */
function refusalOf(
  { kind, since, until }: LayerWait,
  waits: Session['waits'],
  session: Session,
): NonNullable<LayerResult['error']> | null {
  if (areTooLarge(waits)) {
    const message = `What the layers of this stage wait for has more than the ${MAX_WAITS_BYTES} bytes that a play may wait for.`;
    return { code: 'output_too_large', message };
  }
  // a loop that a hold has interrupted has no pause
  if (kind === 'repeat' && since.getTime() !== until?.getTime() && !hasLogRoom(session)) {
    const message = 'The play has paused so often between rounds that its log has no room for another pause.';
    return { code: 'repeat_exhausted', message };
  }
  if (kind === 'children' && !hasLogRoomForPlays(session)) {
    const message =
      'The company had no room for the plays of this loop so often that the log of its play is full: retry it when there is room.';
    return { code: 'backlog_full', message };
  }
  return null;
}

function failedWaitResult(
  { position, ref }: LayerWait,
  at: Date,
  attempts: number,
  error: NonNullable<LayerResult['error']>,
  by: string,
): LayerResult {
  const times = { startedAt: at, completedAt: at };
  return { position, ref, name: ref, state: 'FAIL', ...times, out: null, outBytes: 0, attempts, error, by };
}

/** The store acknowledged the write. */
export function onWriteStored(session: Session, done: SessionWrite): Session {
  const { write: stored, purpose, starts, step } = done;
  if (purpose === 'final' || purpose === 'park' || purpose === 'held' || purpose === 'handBack') {
    return { ...session, unstoredResults: [], endReason: purpose };
  }
  const moved = stored.layers.length;
  const forgets = stored.unset.includes('started');
  return {
    ...session,
    isClaimed: true,
    mustClaim: false,
    strict: false,
    seq: session.seq + stored.log.length,
    state: stored.set.state ?? session.state,
    cursor: session.cursor + moved,
    inbox: [...stored.layers, ...(step?.takesAnswer ? [step] : [])].reduce(
      (inbox, { position }) => without(inbox, position),
      session.inbox,
    ),
    hasMoved: session.hasMoved || moved > 0 || step !== undefined,
    ...(step && { waits: without(session.waits, step.position), tries: without(session.tries, step.position) }),
    endedPositions:
      moved === 0
        ? session.endedPositions
        : [...session.endedPositions, ...stored.layers.map((result) => result.position)],
    onlyFiltered: session.onlyFiltered && stored.layers.every((result) => result.state === 'FILTERED'),
    crashes: stored.set.crashes ?? session.crashes,
    unstoredResults: session.unstoredResults.slice(moved),
    failedCalls: session.failedCalls.slice(done.failedCallCount),
    storedWaits: done.waits,
    storedTries: done.tries,
    doneItems: doneItemsAfter(session, done.doneItems, done.replaced),
    storedDoneItems: done.doneItems,
    loggedStarts: starts.length === 0 ? session.loggedStarts : new Map([...session.loggedStarts, ...starts]),
    startedStage: stored.set.started ?? (forgets ? null : session.startedStage),
    hasStartedStage: stored.set.started !== undefined || (session.hasStartedStage && !forgets),
  };
}

/** A write or a renewal matched nothing, and the play was read again: docs/protocol.md §3, rule 2. @param fresh null: deleted */
export function onWriteRefused(session: Session, purpose: WritePurpose | 'renew', fresh: Play | null): Session {
  const lost = (reason: string): Session => ({ ...session, endReason: reason });
  if (!fresh) return lost('deleted');
  if (fresh.epoch !== session.epoch) return lost('fenced');
  if (isFinal(fresh.state)) return lost('final');
  if (isParked(fresh.state)) return lost('not_ready');
  // an earlier write of this session, whose answer was lost, may have made it the owner
  const owns = fresh.owner === session.ownerId;
  const isClaimed = session.isClaimed || owns;
  const mine = isClaimed ? owns : fresh.owner === undefined;
  if (!mine) return lost('owned');
  // only the owner records results: those that are stored are the first ones of this session
  const stored = fresh.cursor - session.cursor;
  if (stored !== 0 && (!owns || stored < 0 || stored > session.unstoredResults.length)) return lost('fenced');
  // an owner gives the play up first: otherwise no worker would run it after its release until it is reaped
  if (purpose === 'claim' && fresh.state === 'ON_HOLD' && !owns) return lost('held');
  // nothing but the time can be in the way of this claim: a scheduler ends the play
  if (purpose === 'claim' && session.notAfter && !owns && fresh.seq === session.seq) return lost('too_late');
  const wrote = owns && fresh.seq > session.seq;
  const read = storedState(fresh);
  return {
    ...session,
    ...read,
    waits: waitsAfter(session, read.storedWaits),
    doneItems: doneItemsAfter(session, read.storedDoneItems),
    unstoredResults: session.unstoredResults.slice(stored),
    hasMoved: session.hasMoved || stored > 0,
    failedCalls: session.failedCalls.filter((one) => !isOnRecord(fresh, one)),
    loggedStarts: wrote
      ? new Map([...session.loggedStarts, ...loggedStartsIn(fresh, session.seq)])
      : session.loggedStarts,
    isClaimed,
    mustClaim: session.mustClaim && !isClaimed,
    hasStartedStage: session.hasStartedStage || (owns && (fresh.started ?? null) !== session.startedStage),
  };
}

/** What the layers wait for, with the end of each wait for plays that somebody else has stored. */
function waitsAfter({ waits }: Session, stored: Waits): Waits {
  const ended = Object.values(stored).filter((wait) => {
    const own = waits[wait.position];
    return wait.kind === 'children' && wait.until !== null && own?.until === null && isSameWait(own, wait);
  });
  return ended.length === 0 ? waits : { ...waits, ...Object.fromEntries(ended.map((wait) => [wait.position, wait])) };
}

/** What is stored now, with what the session has that is stored later. */
function doneItemsAfter(
  { doneItems, storedDoneItems }: Session,
  stored: DoneItemsOf,
  replaced?: DoneItemsOf[string],
): DoneItemsOf {
  if (doneItems === storedDoneItems) return stored;
  const newer = Object.entries(doneItems).filter(
    ([position, items]) => items !== storedDoneItems[position] && items !== stored[position] && items !== replaced,
  );
  return newer.length === 0 ? stored : { ...stored, ...Object.fromEntries(newer) };
}

function isOnRecord({ log, layers }: Play, { position, at }: FailedCall): boolean {
  const isIt = (entry: Play['log'][number]) =>
    entry.type === 'error' && entry.layer === position && entry.at.getTime() === at.getTime();
  return layers.some((result) => result.position === position) || log.some(isIt);
}

/** What a layer's call gets besides the play: which attempt it is, what the layer waited for, and the answer that came. */
export function layerInputsOf(session: Session, position: number) {
  const wait = session.waits[position];
  return {
    attempt: (session.tries[position] ?? 0) + 1,
    wait: wait === undefined || isPause(wait.kind) ? null : wait,
    answer: Object.hasOwn(session.inbox, String(position)) ? { payload: session.inbox[position] } : null,
  };
}
