/** What became of a step: how the session goes on after a call, a stored write, or a refused one. */
import { isFinal, type PlayError } from '@weft/contracts';
import { bsonBytes } from '@weft/kernel';
import { mayTryAgain, pauseMs } from './attempts.js';
import type { LayerOutcome, LayerWait } from '../layer-outcome.js';
import type { LayerResult, Play } from '../play.js';
import { mayLogMore } from '../play-log.js';
import { startsIn, storedPart, type FailedCall, type LayerCall, type Session } from './session.js';
import { settle } from './settle.js';
import { endOfStage, without } from './stage.js';
import type { Purpose, SessionWrite } from './write-fields.js';

export function calling(session: Session, positions: readonly number[], at: Date): Session {
  const calls = positions.map((position): LayerCall => ({
    position,
    since: at,
    attempt: (session.tries[position] ?? 0) + 1,
    again: session.waits[position] !== undefined && session.waits[position].kind !== 'retry',
  }));
  return { ...session, calls: session.calls.length === 0 ? calls : [...session.calls, ...calls] };
}

/** The `when` of this layer was asked: null = it is true, and the layer runs. */
export function checked(session: Session, position: number, outcome: LayerOutcome | null): Session {
  if (outcome === null) return { ...session, checked: [...session.checked, position] };
  return called(session, outcome);
}

/** A call ended; or a layer did without one. */
export function called(session: Session, outcome: LayerOutcome): Session {
  const position = outcome.kind === 'wait' ? outcome.wait.position : outcome.result.position;
  const call = session.calls.find((one) => one.position === position);
  const ended = { ...session, calls: session.calls.filter((one) => one !== call) };
  if (outcome.kind === 'wait') {
    const { wait } = outcome;
    if (call?.again) return concluded(ended, waitsInVain(wait, call, session.me));
    const waits = { ...ended.waits, [position]: wait };
    return areTooLarge(waits) ? concluded(ended, waitsTooLarge(wait, session)) : { ...ended, waits };
  }
  const { result, then } = outcome;
  const { error } = result;
  const retry = session.plan[position]?.retry ?? null;
  // a loop may have called its item several times within this call
  const attempt = Math.max((session.tries[position] ?? 0) + 1, result.attempts);
  const hasRoom = !session.failure && mayLogMore(session);
  if (hasRoom && result.state === 'FAIL' && error && mayTryAgain(retry, attempt, error.code)) {
    const pause = pauseMs(retry, attempt, session.playId, position);
    return settle(failedOnce(ended, result, error.message, attempt, pause), result.completedAt);
  }
  if (then === undefined) return concluded(ended, result);
  if ('filterRest' in then) return concluded({ ...ended, filtersRest: true }, { ...result, filtersRest: true });
  // what runs beside a branch has begun: it comes too late for that
  const behind = endOfStage(session, position);
  const skips = session.plan.flatMap(({ ref }, at) => (at >= behind && then.skip.includes(ref) ? [at] : []));
  return concluded({ ...ended, skips: [...session.skips, ...skips] }, { ...result, skips });
}

function failedOnce(
  session: Session,
  { position, ref, startedAt, completedAt, kv }: LayerResult,
  message: string,
  attempt: number,
  pause: number,
): Session {
  const until = new Date(completedAt.getTime() + pause);
  return {
    ...session,
    failed: [...session.failed, { position, message, attempt, since: startedAt, at: completedAt, ...(kv && { kv }) }],
    tries: { ...session.tries, [position]: attempt },
    waits: { ...session.waits, [position]: { position, ref, kind: 'retry', since: completedAt, until } },
  };
}

function concluded(session: Session, result: LayerResult): Session {
  const { position, kv } = result;
  const stops = result.state === 'FAIL' && session.plan[position]?.onError !== 'continue';
  const failure: PlayError | null =
    stops && result.error ? { code: result.error.code, message: result.error.message, ref: result.ref } : null;
  const after: Session = {
    ...session,
    results: [...session.results, startedWhenTold(session, kv ? withoutKvUse(result) : result)],
    waits: without(session.waits, position),
    tries: without(session.tries, position),
    kvUses: kv ? { ...session.kvUses, [position]: kv } : session.kvUses,
    failure: session.failure ?? failure,
  };
  return settle(after, result.completedAt);
}

function withoutKvUse({ kv: _kv, ...result }: LayerResult): LayerResult {
  return result;
}

/** A layer that was tried or waited before has been going on since its start was told. */
function startedWhenTold(session: Session, result: LayerResult): LayerResult {
  const wait = session.waits[result.position];
  const since = session.begun.get(result.position) ?? (wait?.kind === 'retry' ? undefined : wait?.since);
  return since && since < result.startedAt ? { ...result, startedAt: since } : result;
}

/** A fault of a module, which would ask for ever. */
function waitsInVain(wait: LayerWait, { since, attempt }: LayerCall, by: string): LayerResult {
  const error = { code: 'internal', message: 'The layer has what it waited for, and waits on.' };
  return failedWait(wait, since, attempt, error, by);
}

/** Every write of the play carries all that it waits for. */
const MAX_WAITS_BYTES = 4 * 1024 * 1024;
/** No wait is larger: a message of 10,000 characters, a hundred approvers. */
const MAX_WAIT_BYTES = 64 * 1024;

function areTooLarge(waits: Session['waits']): boolean {
  return Object.keys(waits).length * MAX_WAIT_BYTES > MAX_WAITS_BYTES && bsonBytes(waits) > MAX_WAITS_BYTES;
}

function waitsTooLarge(wait: LayerWait, { me, tries }: Session): LayerResult {
  const message = `What the layers of this stage wait for has more than the ${MAX_WAITS_BYTES} bytes that a play may wait for.`;
  const attempt = (tries[wait.position] ?? 0) + 1;
  return failedWait(wait, wait.since, attempt, { code: 'output_too_large', message }, me);
}

function failedWait(
  { position, ref }: LayerWait,
  at: Date,
  attempts: number,
  error: NonNullable<LayerResult['error']>,
  by: string,
): LayerResult {
  const times = { startedAt: at, completedAt: at };
  return { position, ref, name: ref, state: 'FAIL', ...times, out: null, outBytes: 0, attempts, error, by };
}

/** The write was acknowledged. */
export function applied(session: Session, done: SessionWrite): Session {
  const { write: stored, purpose, begins } = done;
  if (purpose === 'final' || purpose === 'park' || purpose === 'held' || purpose === 'handBack') {
    return { ...session, results: [], over: purpose };
  }
  const moved = stored.layers.length;
  const forgets = stored.unset.includes('started');
  return {
    ...session,
    claimed: true,
    mustClaim: false,
    strict: false,
    seq: session.seq + stored.log.length,
    state: stored.set.state ?? session.state,
    cursor: session.cursor + moved,
    inbox: stored.layers.reduce((inbox, result) => without(inbox, result.position), session.inbox),
    ended: moved === 0 ? session.ended : [...session.ended, ...stored.layers.map((result) => result.position)],
    onlyFiltered: session.onlyFiltered && stored.layers.every((result) => result.state === 'FILTERED'),
    crashes: stored.set.crashes ?? session.crashes,
    results: session.results.slice(moved),
    failed: session.failed.slice(done.tried),
    storedWaits: done.waits,
    storedTries: done.tries,
    begun: begins.length === 0 ? session.begun : new Map([...session.begun, ...begins]),
    started: stored.set.started ?? (forgets ? null : session.started),
    startedByMe: stored.set.started !== undefined || (session.startedByMe && !forgets),
  };
}

/** The write (or a renewal) matched nothing: read again and decide, rule 2. */
export function refused(session: Session, purpose: Purpose | 'renew', fresh: Play | null): Session {
  const lost = (reason: string): Session => ({ ...session, over: reason });
  if (!fresh) return lost('deleted');
  if (fresh.epoch !== session.epoch) return lost('fenced');
  if (isFinal(fresh.state)) return lost('final');
  if (fresh.state === 'WAIT' || fresh.state === 'DEFERRED') return lost('not_ready');
  // a write of this session whose answer was lost may have made it the owner
  const owns = fresh.owner === session.me;
  const claimed = session.claimed || owns;
  const mine = claimed ? owns : fresh.owner === undefined;
  if (!mine) return lost('owned');
  // as the owner, only this session records results: those that are there are its own first ones
  const stored = fresh.cursor - session.cursor;
  if (stored !== 0 && (!owns || stored < 0 || stored > session.results.length)) return lost('fenced');
  // as its owner it gives the play up first: else nobody would run it after its release until it is reaped
  if (purpose === 'claim' && fresh.state === 'ON_HOLD' && !owns) return lost('held');
  const wrote = owns && fresh.seq > session.seq;
  return {
    ...session,
    ...storedPart(fresh),
    results: session.results.slice(stored),
    failed: session.failed.filter((one) => !isOnRecord(fresh, one)),
    begun: wrote ? new Map([...session.begun, ...startsIn(fresh, session.seq)]) : session.begun,
    claimed,
    mustClaim: session.mustClaim && !claimed,
    startedByMe: session.startedByMe || (owns && (fresh.started ?? null) !== session.started),
  };
}

function isOnRecord({ tries, layers }: Play, { position, attempt }: FailedCall): boolean {
  return (tries?.[position] ?? 0) >= attempt || layers.some((result) => result.position === position);
}

/** What the runner of layers is told of a call besides the play: what it said before, and what has come for it. */
export function askOf(session: Session, position: number) {
  const wait = session.waits[position];
  return {
    attempt: (session.tries[position] ?? 0) + 1,
    wait: wait === undefined || wait.kind === 'retry' ? null : wait,
    answer: Object.hasOwn(session.inbox, String(position)) ? { payload: session.inbox[position] } : null,
  };
}
