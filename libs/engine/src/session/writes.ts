/**
 * The worker's writes, to the filter: docs/protocol.md §4. Each is one conditional write on one play; the numbers of its events
 * follow from the `seq` it is conditional on.
 */
import type { PlayError, PlayState } from '@weft/contracts';
import { isTimed, type LayerWait } from '../layer-outcome.js';
import { numberEvents } from '../play-log.js';
import type { PlayField } from '../play-write.js';
import { CRASH_LIMIT } from '../times.js';
import { hasUnstoredChanges, startingEvents, eventsOfChanges, addStart, type WriteEvents } from './write-events.js';
import type { Session } from './session.js';
import { earliest, isReady, openPositions, position } from './stage.js';
import { crashesOf } from './suspects.js';
import {
  doneItemsAtFailure,
  waitFields,
  fieldsUnsetAtEnd,
  turnsKeptAtEnd,
  obsoleteStart,
  endsFiltered,
  effectsOfFullWrite,
  consumedAnswers,
  effectsOfEmptyWrite,
  type SessionWrite,
  type StoredStep,
} from './write-fields.js';

const OPEN: readonly PlayState[] = ['NEW', 'RUN'];
const STRICT: readonly PlayField[] = ['strict'];

/**
 * Claims a play before any of its layers runs. The claim logs the starts of the next layers, so it also records the start of an
 * `onInterrupted: fail` layer: a later write for that would have no event, and therefore would not raise `seq`.
 */
export function claimWrite(session: Session, at: Date): SessionWrite {
  const crashes = crashesOf(session);
  const died = crashes > session.crashes;
  const told = startingEvents(session);
  const next = nextStarts(session, at);
  for (const [layer, since] of next) addStart(session, told, layer, since);
  addClaimedEvent(told, at);
  const once = told.starts.find(([layer]) => session.plan[layer]?.once);
  const started = once && session.plan[once[0]]?.stage;
  return {
    ...effectsOfEmptyWrite(session, 'claim'),
    starts: told.starts,
    write: {
      match: {
        ...{ epoch: session.epoch, seq: session.seq, states: OPEN, owner: null },
        ...(session.notAfter && { until: session.notAfter }),
      },
      set: {
        state: 'RUN',
        owner: session.ownerId,
        seq: session.seq + told.events.length,
        ...(died && { crashes }),
        ...(started !== undefined && started !== session.startedStage && { started }),
      },
      unset: ['strict', 'notAfter'],
      touch: ['heartbeatAt'],
      layers: [],
      log: numberEvents(session.seq, told.events),
    },
  };
}

/** The starts that are certain: of a layer that ran already and is not stored, else of the ready layers of the stage. */
function nextStarts(session: Session, at: Date): [number, Date][] {
  const ran = session.unstoredResults.find(({ state }) => state !== 'SKIP' && state !== 'FILTERED');
  if (ran) return [[ran.position, ran.startedAt]];
  return openPositions(session)
    .filter((one) => isReady(session, one, at) && !session.plan[one]?.conditional)
    .map((one) => [one, at]);
}

/**
 * The claim that is written while calls run, after `lazyMs`: it makes the owner and the running layers visible. It also stores
 * what is finished, so that a watcher sees the layers in order.
 */
export function lazyClaimWrite(session: Session, at: Date, step?: StoredStep): SessionWrite {
  if (session.state !== 'ON_HOLD') {
    const boundary = boundaryWrite(session, at, [], null, step);
    const { write } = boundary;
    return { ...boundary, purpose: 'lazy', write: { ...write, match: { ...write.match, owner: null } } };
  }
  const told: WriteEvents = { events: [], starts: [] };
  // no start is logged before the results of earlier layers are stored
  const begun = session.unstoredResults.length === 0 ? session.runningCalls : [];
  for (const { position: layer, since } of begun) addStart(session, told, layer, since);
  addClaimedEvent(told, at);
  return {
    ...effectsOfEmptyWrite(session, 'lazy'),
    starts: told.starts,
    write: {
      match: { epoch: session.epoch, seq: session.seq, states: ['ON_HOLD'], owner: null },
      set: { held: 'RUN', owner: session.ownerId, seq: session.seq + told.events.length },
      unset: ['strict'],
      touch: ['heartbeatAt'],
      layers: [],
      log: numberEvents(session.seq, told.events),
    },
  };
}

/**
 * Stores what is finished and keeps the play with its owner; it also claims an unclaimed play.
 *
 * @param starting the layers that are called next
 * @param startOf the stage, when an `onInterrupted: fail` layer is among them
 * @param step of a layer, whose end is stored: where a worker died, this one has got on
 */
export function boundaryWrite(
  session: Session,
  at: Date,
  starting: readonly number[] = [],
  startOf: number | null = null,
  step?: StoredStep,
): SessionWrite {
  const told = eventsOfChanges(session);
  for (const call of session.runningCalls) addStart(session, told, call.position, call.since);
  for (const layer of starting) addStart(session, told, layer, at);
  addClaimedEvent(told, at);
  const moved = session.unstoredResults.length > 0 || step !== undefined;
  const mayRun = startOf !== null || session.runningCalls.some((call) => session.plan[call.position]?.once);
  const kept = waitFields(session);
  return {
    ...effectsOfFullWrite(session, startOf === null ? 'boundary' : 'start', told),
    ...(step && { step }),
    write: {
      match: { epoch: session.epoch, seq: session.seq, states: OPEN },
      set: {
        state: 'RUN',
        owner: session.ownerId,
        cursor: position(session),
        seq: session.seq + told.events.length,
        ...(moved && { crashes: 0 }),
        ...(startOf !== null && { started: startOf }),
        ...kept.set,
      },
      unset: [
        ...(mayRun ? STRICT : [...STRICT, ...obsoleteStart(session)]),
        ...kept.unset,
        ...consumedAnswers(session, step),
      ],
      touch: ['heartbeatAt'],
      layers: session.unstoredResults,
      log: numberEvents(session.seq, told.events),
    },
  };
}

/** The end. FAIL may come while the play is on hold; the others wait for its release. A DONE of filtered layers only is FILTERED. */
export function finalWrite(session: Session, as: 'DONE' | 'FAIL', error: PlayError | null, at: Date): SessionWrite {
  const from: PlayState = session.state === 'ON_HOLD' ? 'ON_HOLD' : 'RUN';
  const state = as === 'DONE' && endsFiltered(session) ? 'FILTERED' : as;
  const told = eventsOfChanges(session);
  told.events.push({ type: 'state', from, state, at }, { type: 'end', state, at });
  return {
    ...effectsOfFullWrite(session, 'final', told),
    write: {
      match: { epoch: session.epoch, seq: session.seq, states: state === 'FAIL' ? [...OPEN, 'ON_HOLD'] : OPEN },
      set: {
        ...{ state, cursor: position(session), seq: session.seq + told.events.length },
        ...(error && { error }),
        ...(state === 'FAIL' && doneItemsAtFailure(session)),
        ...turnsKeptAtEnd(session, state),
      },
      unset: fieldsUnsetAtEnd(session, state),
      touch: ['completedAt'],
      layers: session.unstoredResults,
      log: numberEvents(session.seq, told.events),
    },
  };
}

/** WAIT or DEFERRED: gives the play up until one of these waits ends. The epoch grows, for the next ring. */
export function parkWrite(session: Session, waits: readonly LayerWait[], at: Date): SessionWrite {
  const state = waits.every(({ kind }) => isTimed(kind)) ? 'DEFERRED' : 'WAIT';
  const dueAt = earliest(waits.map(({ until }) => until));
  const told = eventsOfChanges(session);
  told.events.push({ type: 'state', from: 'RUN', state, at });
  const kept = waitFields(session);
  // nothing has happened since a worker died: a layer that kills its worker must not begin anew after each pause
  const isAsBefore = session.unstoredResults.length === 0 && waits.every(isOfGate);
  return {
    ...effectsOfFullWrite(session, 'park', told),
    write: {
      match: { epoch: session.epoch, seq: session.seq, states: OPEN },
      set: {
        state,
        cursor: position(session),
        seq: session.seq + told.events.length,
        epoch: session.epoch + 1,
        ...(!isAsBefore && { crashes: 0 }),
        ...(dueAt && { dueAt }),
        ...kept.set,
      },
      unset: [
        ...(['owner', 'heartbeatAt', 'strict'] as const),
        ...(dueAt ? [] : (['dueAt'] as const)),
        ...obsoleteStart(session),
        ...kept.unset,
        ...consumedAnswers(session),
      ],
      touch: [],
      layers: session.unstoredResults,
      log: numberEvents(session.seq, told.events),
    },
  };
}

/** The call was not made: it waits for room in a rate limit, or for its destination. */
function isOfGate({ kind }: LayerWait): boolean {
  return kind === 'rate_limit' || kind === 'destination_down';
}

/** For a play that was put on hold: stores what is finished and gives the play up. */
export function heldWrite(session: Session): SessionWrite {
  const moved = session.unstoredResults.length > 0;
  const told = eventsOfChanges(session);
  const kept = waitFields(session);
  return {
    ...effectsOfFullWrite(session, 'held', told),
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
      unset: ['owner', 'heartbeatAt', 'strict', ...obsoleteStart(session), ...kept.unset, ...consumedAnswers(session)],
      touch: [],
      layers: session.unstoredResults,
      log: numberEvents(session.seq, told.events),
    },
  };
}

/**
 * For a process that stops: gives the play to the worker that takes the next ring. This is not a crash; but the death of an
 * earlier worker that is not stored yet is stored here, because the next job does not show it.
 */
export function handBackWrite(session: Session): SessionWrite {
  const moved = session.unstoredResults.length > 0;
  const crashes = crashesOf(session);
  const died = crashes > session.crashes;
  const told: WriteEvents = hasUnstoredChanges(session) ? eventsOfChanges(session) : { events: [], starts: [] };
  const kept = waitFields(session);
  return {
    ...effectsOfFullWrite(session, 'handBack', told),
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
      unset: ['owner', ...obsoleteStart(session), ...kept.unset, ...consumedAnswers(session)],
      touch: ['heartbeatAt'],
      layers: session.unstoredResults,
      log: numberEvents(session.seq, told.events),
    },
  };
}

export function crashedRepeatedlyError(ref: string | null): PlayError {
  return {
    code: 'crashed_repeatedly',
    message: `The play was given up: ${CRASH_LIMIT} workers died or froze at this layer.`,
    ref,
  };
}

/** A write without other events logs a claim, so that `seq` grows and its outcome can be known (docs/protocol.md §3, rule 10). */
function addClaimedEvent({ events }: WriteEvents, at: Date): void {
  if (events.length === 0) events.push({ type: 'claimed', at });
}
