/**
 * What users may do to a play: hold, release, cancel, resume, retry now (docs/protocol.md §5); an event and an approval are a resume, too. So is
 * the end of the plays that a layer waits for carried out. Each reads the play, decides here, and writes
 * conditional on what it read; a write that matches nothing reads again, up to `COMMAND_ATTEMPTS` times.
 */
import { isFinal, type PlayError, type PlayState } from '@weft/contracts';
import { isParked } from '../inbox.js';
import { isPause, type LayerWait } from '../layer-outcome.js';
import type { LayerResult, Play } from '../play.js';
import { hasLogReserve, numberEvents, type PlayEvent } from '../play-log.js';
import { endWrite, type PlayField, type PlayWrite } from '../play-write.js';
import { PROTOCOL_TIMES } from '../times.js';

export const COMMAND_ATTEMPTS = 10;

export type Command =
  | { readonly kind: 'hold' }
  | { readonly kind: 'release' }
  /** `skipsLane`: its lane goes on, also one that stops at a play that fails. */
  | { readonly kind: 'cancel'; readonly error: PlayError; readonly skipsLane?: true }
  /** `step`: of a layer that works in steps, the one that waits. */
  | {
      readonly kind: 'resume';
      readonly position: number;
      readonly payload: unknown;
      readonly step?: number | undefined;
    }
  /** Ends the pause before the next call of a layer. */
  | { readonly kind: 'retryNow'; readonly position: number }
  /** As many of the plays have ended as a layer waits for. No command of a user. */
  | { readonly kind: 'playsEnded'; readonly position: number };

export type Decision =
  | { readonly kind: 'write'; readonly write: PlayWrite; readonly ring: boolean }
  /** Not before that many milliseconds; ask again then, as of `at` or later: MongoDB's clock may have been set back since. */
  | { readonly kind: 'later'; readonly waitMs: number; readonly at: Date }
  | { readonly kind: 'refuse'; readonly why: string };

/** What commands ask of a play. */
export type CommandTarget = Pick<
  Play,
  'state' | 'held' | 'epoch' | 'seq' | 'cursor' | 'owner' | 'heldAt' | 'inbox' | 'turns' | 'lane' | 'laneStops'
> & {
  readonly layers: readonly Pick<LayerResult, 'position'>[];
  readonly waits?: Readonly<Record<string, CommandWait>>;
};

/** What commands ask of a wait. */
type CommandWait = Pick<LayerWait, 'position' | 'kind' | 'until' | 'event' | 'destination' | 'step'>;

/**
 * @param hasRoom false: the company's window has no room for the play now. Where it would go on, it is due instead, and goes
 * on when there is room
 */
export function decideCommand(play: CommandTarget, command: Command, at: Date, hasRoom = true): Decision {
  if (isFinal(play.state)) return refuse(`The play has ended as ${play.state}.`);
  switch (command.kind) {
    case 'hold':
      return hold(play, at);
    case 'release':
      return release(play, at, hasRoom);
    case 'cancel':
      return cancel(play, command, at);
    case 'resume':
      return resume(play, command, at, hasRoom);
    case 'retryNow':
    case 'playsEnded':
      return endPause(play, command, at, hasRoom);
  }
}

function hold(play: CommandTarget, at: Date): Decision {
  if (play.state === 'ON_HOLD') return refuse('The play is on hold already.');
  // the one command that can come again and again: a release answers a hold, an answer comes once a layer
  if (!hasLogReserve(play)) return refuse(`The play has ${play.seq} events, as many as a play may have.`);
  const events = [stateEvent(play.state, 'ON_HOLD', at)];
  return change(play, events, { state: 'ON_HOLD', held: play.state }, { touch: ['heldAt'] });
}

function release(play: CommandTarget, at: Date, hasRoom: boolean): Decision {
  if (play.state !== 'ON_HOLD') return refuse('The play is not on hold.');
  const { settleMs } = PROTOCOL_TIMES;
  const settledAt = new Date((play.heldAt?.getTime() ?? 0) + settleMs);
  const waitMs = Math.min(settledAt.getTime() - at.getTime(), settleMs);
  if (waitMs > 0 && play.owner === undefined) return { kind: 'later', waitMs, at: settledAt };
  const held = play.held ?? 'NEW';
  const answered = Object.values(play.waits ?? {}).some((wait) => hasAnswer(play, wait.position));
  const goesOn = answered || (held === 'NEW' && play.owner !== undefined);
  const state: PlayState = goesOn ? 'RUN' : held;
  const events = [stateEvent('ON_HOLD', state, at)];
  if (play.owner !== undefined) return change(play, events, { state }, { unset: ['held'] });
  if ((state === 'NEW' || state === 'RUN') && !hasRoom) {
    const due = { state: 'DEFERRED', ready: true, dueAt: at, epoch: play.epoch + 1 } as const;
    return change(play, [stateEvent('ON_HOLD', 'DEFERRED', at)], due, { unset: ['held', 'heartbeatAt'] });
  }
  if (state === 'NEW' || state === 'RUN') {
    const unset: PlayField[] = ['held', 'ready', ...(answered ? (['dueAt'] as const) : [])];
    return change(play, events, { state, epoch: play.epoch + 1 }, { unset, touch: ['heartbeatAt'], ring: true });
  }
  return change(play, events, { state }, { unset: ['held'] });
}

function cancel(play: CommandTarget, { error, skipsLane }: Extract<Command, { kind: 'cancel' }>, at: Date): Decision {
  const write = endWrite(skipsLane ? { ...play, laneStops: undefined } : play, error, at);
  return { kind: 'write', ring: false, write };
}

function resume(
  play: CommandTarget,
  { position, payload, step }: Extract<Command, { kind: 'resume' }>,
  at: Date,
  hasRoom: boolean,
): Decision {
  if (play.layers.some((result) => result.position === position)) return refuse('The layer has ended already.');
  if (hasAnswer(play, position)) return refuse('The layer has its answer already.');
  const inbox = { position, payload };
  const wait = play.waits?.[position];
  if (wait?.step !== step) return refuse('The layer does not wait for this any more: it has got on to another step.');
  const goesOn = wait !== undefined && !isPause(wait.kind);
  if (goesOn && isParked(play.state) && hasRoom) {
    const options = { unset: ['dueAt', 'ready'], touch: ['heartbeatAt'], ring: true, inbox } as const;
    return change(play, [stateEvent(play.state, 'RUN', at)], { state: 'RUN', epoch: play.epoch + 1 }, options);
  }
  const events: PlayEvent[] = [{ type: 'resumed', layer: position, at }];
  if (goesOn && isParked(play.state)) return change(play, events, { dueAt: at }, { inbox });
  if (goesOn && play.state === 'ON_HOLD' && isParked(play.held))
    return change(play, events, { held: 'RUN', epoch: play.epoch + 1 }, { unset: ['dueAt', 'ready'], inbox });
  return change(play, events, {}, { inbox });
}

/**
 * The pause is over from now on: its `until` says so, also to a worker that takes the play later. A worker that has the play ends a
 * short pause by itself; the wait for plays it sees ended when it reads the play again.
 */
function endPause(
  play: CommandTarget,
  { kind, position }: Extract<Command, { kind: 'retryNow' | 'playsEnded' }>,
  at: Date,
  hasRoom: boolean,
): Decision {
  const wait = play.waits?.[position];
  const forPlays = kind === 'playsEnded';
  const isHeld = play.state === 'ON_HOLD' && isParked(play.held);
  const isWorking = forPlays && play.state === 'RUN';
  const isIt = wait && isPause(wait.kind) && (wait.kind === 'children') === forPlays;
  if (!isIt || !(isParked(play.state) || isHeld || isWorking)) return refuse('The layer does not pause before a call.');
  if (wait.until && (forPlays || wait.until <= at))
    return refuse('The pause of the layer is over; the play waits for its turn.');
  const waitEnd = { position, until: at };
  const events: PlayEvent[] = [{ type: 'resumed', layer: position, at }];
  if (isHeld)
    return change(play, events, { held: 'RUN', epoch: play.epoch + 1 }, { unset: ['dueAt', 'ready'], waitEnd });
  if (isWorking) return change(play, events, {}, { waitEnd });
  if (!hasRoom) return change(play, events, { dueAt: at }, { waitEnd });
  const options = { unset: ['dueAt', 'ready'], touch: ['heartbeatAt'], ring: true, waitEnd } as const;
  return change(play, [stateEvent(play.state, 'RUN', at)], { state: 'RUN', epoch: play.epoch + 1 }, options);
}

/** Whether the command would set the play going: then it asks for room in the company's window. */
export function needsRoom(play: CommandTarget, command: Command, at: Date): boolean {
  const decision = decideCommand(play, command, at);
  return decision.kind === 'write' && decision.ring;
}

function hasAnswer({ inbox }: CommandTarget, position: number): boolean {
  return inbox !== undefined && Object.hasOwn(inbox, String(position));
}

interface ChangeOptions {
  readonly unset?: readonly PlayField[];
  readonly touch?: PlayWrite['touch'];
  readonly ring?: boolean;
  readonly inbox?: PlayWrite['inbox'];
  readonly waitEnd?: PlayWrite['waitEnd'];
}

function change(
  play: CommandTarget,
  events: readonly PlayEvent[],
  set: PlayWrite['set'],
  options: ChangeOptions,
): Decision {
  return {
    kind: 'write',
    ring: options.ring ?? false,
    write: {
      match: { epoch: play.epoch, seq: play.seq, states: [play.state] },
      set: { ...set, seq: play.seq + events.length },
      unset: options.unset ?? [],
      touch: options.touch ?? [],
      layers: [],
      log: numberEvents(play.seq, events),
      ...(options.inbox && { inbox: options.inbox }),
      ...(options.waitEnd && { waitEnd: options.waitEnd }),
    },
  };
}

function stateEvent(from: PlayState, state: PlayState, at: Date): PlayEvent {
  return { type: 'state', from, state, at };
}

function refuse(why: string): Decision {
  return { kind: 'refuse', why };
}
