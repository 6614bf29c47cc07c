/**
 * The worker's writes, to the filter: protocol §4. Each is one conditional write on one play; the numbers of its events
 * follow from the `seq` it is conditional on.
 */
import type { FinalState, PlayError, PlayState } from '@weft/contracts';
import { numbered, type PlayEvent } from '../play-log.js';
import type { PlayField, PlayWrite } from '../play-write.js';
import { CRASH_LIMIT } from '../times.js';
import { position, type Parking, type Session } from './session.js';

const OPEN: readonly PlayState[] = ['NEW', 'RUN'];
const FINAL_UNSET: readonly PlayField[] = ['owner', 'beatAt', 'dueAt', 'strict', 'started'];

export type Purpose = 'claim' | 'lazy' | 'boundary' | 'start' | 'final' | 'park' | 'held' | 'handBack';

export interface SessionWrite {
  readonly purpose: Purpose;
  readonly write: PlayWrite;
  /** The start of this position is in the write's events. */
  readonly logsStart: number | null;
}

/**
 * Claims a play before anything of it runs, or FAILs it when this hand-out was its last chance. It logs the next layer's
 * start, so it records that of an `onInterrupted: fail` layer, too: a later write would have no event, and so no `seq`.
 */
export function claimWrite(session: Session, at: Date): SessionWrite {
  const died = session.redelivered && !session.strict;
  const crashes = session.crashes + (died ? 1 : 0);
  if (died && crashes >= CRASH_LIMIT) {
    const error = crashedRepeatedly(session.plan[session.cursor]?.ref ?? null);
    const write = finalWrite(session, 'FAIL', error, at);
    return {
      ...write,
      write: {
        ...write.write,
        match: { ...write.write.match, states: OPEN, owner: null },
        set: { ...write.write.set, crashes },
      },
    };
  }
  const events = [...runEvent(session), startEvent(session, session.cursor, at)];
  const starts = session.plan[session.cursor]?.once === true && session.started !== session.cursor;
  return {
    purpose: 'claim',
    logsStart: session.cursor,
    write: {
      match: { epoch: session.epoch, seq: session.seq, states: OPEN, owner: null },
      set: {
        state: 'RUN',
        owner: session.me,
        seq: session.seq + events.length,
        ...(died && { crashes }),
        ...(starts && { started: session.cursor }),
      },
      unset: ['strict'],
      touch: ['beatAt'],
      layers: [],
      log: numbered(session.seq, events),
    },
  };
}

/**
 * After `LAZY`, beside a running call: makes the play's owner and its running layer visible. Pure results that are there
 * already ride along, so that a watcher sees the layers in their order.
 */
export function lazyWrite(session: Session, at: Date): SessionWrite {
  const running = session.calling;
  const start =
    running && session.startLogged !== running.position ? [startEvent(session, running.position, running.since)] : [];
  if (session.state === 'ON_HOLD') {
    return {
      purpose: 'lazy',
      logsStart: start.length > 0 && running ? running.position : null,
      write: {
        match: { epoch: session.epoch, seq: session.seq, states: ['ON_HOLD'], owner: null },
        set: { held: 'RUN', owner: session.me, seq: session.seq + start.length },
        unset: ['strict'],
        touch: ['beatAt'],
        layers: [],
        log: numbered(session.seq, start),
      },
    };
  }
  const boundary = boundaryWrite(session, at);
  return {
    ...boundary,
    purpose: 'lazy',
    write: { ...boundary.write, match: { ...boundary.write.match, owner: null } },
  };
}

/** Stores what is finished and says that the play goes on; it is the claim, too. */
export function boundaryWrite(session: Session, at: Date, startOf?: number): SessionWrite {
  const events = [...runEvent(session), ...resultEvents(session)];
  const running = session.calling?.position ?? position(session);
  const logsStart = session.startLogged === running ? null : running;
  if (logsStart !== null) events.push(startEvent(session, logsStart, session.calling?.since ?? at));
  const moved = session.results.length > 0;
  return {
    purpose: startOf === undefined ? 'boundary' : 'start',
    logsStart,
    write: {
      match: { epoch: session.epoch, seq: session.seq, states: OPEN },
      set: {
        state: 'RUN',
        owner: session.me,
        cursor: position(session),
        seq: session.seq + events.length,
        ...(moved && { crashes: 0 }),
        ...(startOf !== undefined && { started: startOf }),
      },
      unset: startOf === undefined && moved ? ['strict', 'started'] : ['strict'],
      touch: ['beatAt'],
      layers: session.results,
      log: numbered(session.seq, events),
    },
  };
}

/** The end. FAIL may come while the play is on hold; the others wait for its release. */
export function finalWrite(
  session: Session,
  state: Extract<FinalState, 'DONE' | 'FAIL'>,
  error: PlayError | null,
  at: Date,
): SessionWrite {
  const from: PlayState = session.state === 'ON_HOLD' ? 'ON_HOLD' : 'RUN';
  const events: PlayEvent[] = [
    ...runEvent(session),
    ...resultEvents(session),
    { type: 'state', from, state, at },
    { type: 'end', state, at },
  ];
  return {
    purpose: 'final',
    logsStart: null,
    write: {
      match: { epoch: session.epoch, seq: session.seq, states: state === 'FAIL' ? [...OPEN, 'ON_HOLD'] : OPEN },
      set: { state, cursor: position(session), seq: session.seq + events.length, ...(error && { error }) },
      unset: state === 'DONE' ? FINAL_UNSET : [...FINAL_UNSET, 'key', 'held'],
      touch: ['completedAt'],
      layers: session.results,
      log: numbered(session.seq, events),
    },
  };
}

/** WAIT or DEFERRED: gives the play up; the next ring has a fresh epoch. */
export function parkWrite(parked: Session, parking: Parking, at: Date): SessionWrite {
  const session = parking.result ? { ...parked, results: [...parked.results, parking.result] } : parked;
  const waiting = parking.state === 'WAIT' ? position(session) : null;
  const start = waiting !== null && session.startLogged !== waiting ? [startEvent(session, waiting, at)] : [];
  const events: PlayEvent[] = [
    ...runEvent(session),
    ...resultEvents(session),
    ...start,
    { type: 'state', from: 'RUN', state: parking.state, at },
  ];
  return {
    purpose: 'park',
    logsStart: null,
    write: {
      match: { epoch: session.epoch, seq: session.seq, states: OPEN },
      set: {
        state: parking.state,
        cursor: position(session),
        seq: session.seq + events.length,
        epoch: session.epoch + 1,
        crashes: 0,
        ...(parking.dueAt && { dueAt: parking.dueAt }),
      },
      unset: parking.dueAt ? ['owner', 'beatAt', 'strict'] : ['owner', 'beatAt', 'strict', 'dueAt'],
      touch: [],
      layers: session.results,
      log: numbered(session.seq, events),
    },
  };
}

/** A hold arrived: records what is finished and lets go. */
export function heldWrite(session: Session): SessionWrite {
  const moved = session.results.length > 0;
  const events = resultEvents(session);
  return {
    purpose: 'held',
    logsStart: null,
    write: {
      match: { epoch: session.epoch, seq: session.seq, states: ['ON_HOLD'] },
      set: {
        held: 'RUN',
        cursor: position(session),
        seq: session.seq + events.length,
        epoch: session.epoch + 1,
        ...(moved && { crashes: 0 }),
      },
      unset: ['owner', 'beatAt', 'strict', ...forgottenStart(session)],
      touch: [],
      layers: session.results,
      log: numbered(session.seq, events),
    },
  };
}

/** This process stops: gives the play to whoever takes the next ring. Not a crash. */
export function handBackWrite(session: Session): SessionWrite {
  const moved = session.results.length > 0;
  const events = moved ? [...runEvent(session), ...resultEvents(session)] : [];
  return {
    purpose: 'handBack',
    logsStart: null,
    write: {
      match: { epoch: session.epoch, seq: session.seq, states: OPEN },
      set: {
        epoch: session.epoch + 1,
        cursor: position(session),
        seq: session.seq + events.length,
        ...(moved && { crashes: 0, state: 'RUN' as const }),
      },
      unset: ['owner', ...forgottenStart(session)],
      touch: ['beatAt'],
      layers: session.results,
      log: numbered(session.seq, events),
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

/**
 * A recorded start is forgotten when its layer has ended, or when it is this worker's own, which lets go before the call.
 * Another owner's start stays: that layer may have been called.
 */
function forgottenStart(session: Session): PlayField[] {
  return session.results.length > 0 || session.startedByMe ? ['started'] : [];
}

function runEvent(session: Session): PlayEvent[] {
  return session.state === 'NEW' ? [{ type: 'state', from: 'NEW', state: 'RUN', at: session.takenAt }] : [];
}

function startEvent(session: Session, layer: number, at: Date): PlayEvent {
  const plan = session.plan[layer];
  return { type: 'start', layer, ref: plan?.ref ?? '', name: plan?.name ?? '', at };
}

function resultEvents(session: Session): PlayEvent[] {
  return session.results.flatMap((result): PlayEvent[] => {
    const layer = result.position;
    const began = result.state !== 'SKIP' && result.state !== 'FILTERED' && session.startLogged !== layer;
    const start = began ? [startEvent(session, layer, result.startedAt)] : [];
    const error: PlayEvent[] = result.error
      ? [
          {
            type: 'error',
            layer,
            ref: result.ref,
            message: result.error.message,
            retries: result.attempts - 1,
            at: result.completedAt,
          },
        ]
      : [];
    return [...start, ...error, { type: 'complete', layer, state: result.state, at: result.completedAt }];
  });
}
