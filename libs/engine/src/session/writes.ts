/**
 * The worker's writes, to the filter: protocol §4. Each is one conditional write on one play; the numbers of its events
 * follow from the `seq` it is conditional on.
 */
import type { PlayError, PlayState } from '@weft/contracts';
import type { LayerWait } from '../layer-outcome.js';
import { numbered } from '../play-log.js';
import type { PlayField } from '../play-write.js';
import { CRASH_LIMIT } from '../times.js';
import { hasNews, nothingTold, tellNews, tellStart, type Told } from './events.js';
import type { Session } from './session.js';
import { earliest, isReady, openPositions, position } from './stage.js';
import { crashesOf } from './suspects.js';
import {
  fieldsOfWaiting,
  finalUnset,
  forgottenStart,
  isFiltered,
  storing,
  takenAnswers,
  unchanged,
  type SessionWrite,
} from './write-fields.js';

const OPEN: readonly PlayState[] = ['NEW', 'RUN'];
const STRICT: readonly PlayField[] = ['strict'];

/**
 * Claims a play before anything of it runs. It tells the next layers'
 * starts, so it records that of an `onInterrupted: fail` layer, too: a later write would have no event, and so no `seq`.
 */
export function claimWrite(session: Session, at: Date): SessionWrite {
  const crashes = crashesOf(session);
  const died = crashes > session.crashes;
  const told = nothingTold(session);
  const next = nextStarts(session, at);
  for (const [layer, since] of next) tellStart(session, told, layer, since);
  sayOfClaim(told, at);
  const once = told.begins.find(([layer]) => session.plan[layer]?.once);
  const started = once && session.plan[once[0]]?.stage;
  return {
    ...unchanged(session, 'claim'),
    begins: told.begins,
    write: {
      match: { epoch: session.epoch, seq: session.seq, states: OPEN, owner: null },
      set: {
        state: 'RUN',
        owner: session.me,
        seq: session.seq + told.events.length,
        ...(died && { crashes }),
        ...(started !== undefined && started !== session.started && { started }),
      },
      unset: ['strict'],
      touch: ['beatAt'],
      layers: [],
      log: numbered(session.seq, told.events),
    },
  };
}

/** What certainly starts next: a layer that ran already and is not stored, else those of the stage that are ready. */
function nextStarts(session: Session, at: Date): [number, Date][] {
  const ran = session.results.find(({ state }) => state !== 'SKIP' && state !== 'FILTERED');
  if (ran) return [[ran.position, ran.startedAt]];
  return openPositions(session)
    .filter((one) => isReady(session, one, at) && !session.plan[one]?.conditional)
    .map((one) => [one, at]);
}

/**
 * After `LAZY`, beside running calls: makes the play's owner and its running layers visible. What is finished already rides
 * along, so that a watcher sees the layers in their order.
 */
export function lazyWrite(session: Session, at: Date): SessionWrite {
  if (session.state !== 'ON_HOLD') {
    const boundary = boundaryWrite(session, at);
    const { write } = boundary;
    return { ...boundary, purpose: 'lazy', write: { ...write, match: { ...write.match, owner: null } } };
  }
  const told: Told = { events: [], begins: [] };
  // nothing is told to begin before what is not stored yet has ended
  const begun = session.results.length === 0 ? session.calls : [];
  for (const { position: layer, since } of begun) tellStart(session, told, layer, since);
  sayOfClaim(told, at);
  return {
    ...unchanged(session, 'lazy'),
    begins: told.begins,
    write: {
      match: { epoch: session.epoch, seq: session.seq, states: ['ON_HOLD'], owner: null },
      set: { held: 'RUN', owner: session.me, seq: session.seq + told.events.length },
      unset: ['strict'],
      touch: ['beatAt'],
      layers: [],
      log: numbered(session.seq, told.events),
    },
  };
}

/**
 * Stores what is finished and says that the play goes on; it is the claim, too.
 *
 * @param starting layers that are called next
 * @param startOf the stage whose `onInterrupted: fail` layers are among them
 */
export function boundaryWrite(
  session: Session,
  at: Date,
  starting: readonly number[] = [],
  startOf: number | null = null,
): SessionWrite {
  const told = tellNews(session);
  for (const call of session.calls) tellStart(session, told, call.position, call.since);
  for (const layer of starting) tellStart(session, told, layer, at);
  sayOfClaim(told, at);
  const moved = session.results.length > 0;
  const mayRun = startOf !== null || session.calls.some((call) => session.plan[call.position]?.once);
  const kept = fieldsOfWaiting(session);
  return {
    ...storing(session, startOf === null ? 'boundary' : 'start', told),
    write: {
      match: { epoch: session.epoch, seq: session.seq, states: OPEN },
      set: {
        state: 'RUN',
        owner: session.me,
        cursor: position(session),
        seq: session.seq + told.events.length,
        ...(moved && { crashes: 0 }),
        ...(startOf !== null && { started: startOf }),
        ...kept.set,
      },
      unset: [...(mayRun ? STRICT : [...STRICT, ...forgottenStart(session)]), ...kept.unset, ...takenAnswers(session)],
      touch: ['beatAt'],
      layers: session.results,
      log: numbered(session.seq, told.events),
    },
  };
}

/** The end. FAIL may come while the play is on hold; the others wait for its release. A DONE of filtered layers only is FILTERED. */
export function finalWrite(session: Session, as: 'DONE' | 'FAIL', error: PlayError | null, at: Date): SessionWrite {
  const from: PlayState = session.state === 'ON_HOLD' ? 'ON_HOLD' : 'RUN';
  const state = as === 'DONE' && isFiltered(session) ? 'FILTERED' : as;
  const told = tellNews(session);
  told.events.push({ type: 'state', from, state, at }, { type: 'end', state, at });
  return {
    ...storing(session, 'final', told),
    write: {
      match: { epoch: session.epoch, seq: session.seq, states: state === 'FAIL' ? [...OPEN, 'ON_HOLD'] : OPEN },
      set: { state, cursor: position(session), seq: session.seq + told.events.length, ...(error && { error }) },
      unset: finalUnset(session, state === 'DONE'),
      touch: ['completedAt'],
      layers: session.results,
      log: numbered(session.seq, told.events),
    },
  };
}

/** WAIT or DEFERRED: gives the play up until one of these waits is over; the next ring has a fresh epoch. */
export function parkWrite(session: Session, waits: readonly LayerWait[], at: Date): SessionWrite {
  const state = waits.some(({ kind }) => kind !== 'delay' && kind !== 'retry') ? 'WAIT' : 'DEFERRED';
  const dueAt = earliest(waits);
  const told = tellNews(session);
  told.events.push({ type: 'state', from: 'RUN', state, at });
  const kept = fieldsOfWaiting(session);
  return {
    ...storing(session, 'park', told),
    write: {
      match: { epoch: session.epoch, seq: session.seq, states: OPEN },
      set: {
        state,
        cursor: position(session),
        seq: session.seq + told.events.length,
        epoch: session.epoch + 1,
        crashes: 0,
        ...(dueAt && { dueAt }),
        ...kept.set,
      },
      unset: [
        ...(['owner', 'beatAt', 'strict'] as const),
        ...(dueAt ? [] : (['dueAt'] as const)),
        ...forgottenStart(session),
        ...kept.unset,
        ...takenAnswers(session),
      ],
      touch: [],
      layers: session.results,
      log: numbered(session.seq, told.events),
    },
  };
}

/** A hold arrived: records what is finished and lets go. */
export function heldWrite(session: Session): SessionWrite {
  const moved = session.results.length > 0;
  const told = tellNews(session);
  const kept = fieldsOfWaiting(session);
  return {
    ...storing(session, 'held', told),
    write: {
      match: { epoch: session.epoch, seq: session.seq, states: ['ON_HOLD'] },
      set: {
        held: 'RUN',
        cursor: position(session),
        seq: session.seq + told.events.length,
        epoch: session.epoch + 1,
        ...(moved && { crashes: 0 }),
        ...kept.set,
      },
      unset: ['owner', 'beatAt', 'strict', ...forgottenStart(session), ...kept.unset, ...takenAnswers(session)],
      touch: [],
      layers: session.results,
      log: numbered(session.seq, told.events),
    },
  };
}

/**
 * This process stops: gives the play to whoever takes the next ring. Not a crash; but a death that is not on record yet is
 * recorded, since the next job does not show it.
 */
export function handBackWrite(session: Session): SessionWrite {
  const moved = session.results.length > 0;
  const crashes = crashesOf(session);
  const died = crashes > session.crashes;
  const told: Told = hasNews(session) ? tellNews(session) : { events: [], begins: [] };
  const kept = fieldsOfWaiting(session);
  return {
    ...storing(session, 'handBack', told),
    write: {
      match: { epoch: session.epoch, seq: session.seq, states: OPEN },
      set: {
        epoch: session.epoch + 1,
        cursor: position(session),
        seq: session.seq + told.events.length,
        ...(moved && { crashes: 0 }),
        ...(died && { crashes }),
        ...(told.events.length > 0 && { state: 'RUN' as const }),
        ...kept.set,
      },
      unset: ['owner', ...forgottenStart(session), ...kept.unset, ...takenAnswers(session)],
      touch: ['beatAt'],
      layers: session.results,
      log: numbered(session.seq, told.events),
    },
  };
}

export function crashedRepeatedly(ref: string | null): PlayError {
  return {
    code: 'crashed_repeatedly',
    message: `The play was given up: ${CRASH_LIMIT} workers died or froze at this layer.`,
    ref,
  };
}

/** What tells nothing else is told as a claim: an event, and so a `seq`, by which its outcome can be known (rule 10). */
function sayOfClaim({ events }: Told, at: Date): void {
  if (events.length === 0) events.push({ type: 'claimed', at });
}
