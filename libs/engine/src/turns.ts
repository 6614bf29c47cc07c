/**
 * Turns: what a play waits for before it begins (ADR 98). A play of a lane needs the turn of that lane, which one play has at a time; a
 * play of a flow with a concurrency limit needs one of that many turns of its flow, or of its key in the flow. Each kind has a queue. A
 * play gets all turns that it needs in one write, or none, and has them until it has ended.
 */
import type { PlayState } from '@weft/contracts';
import type { Play } from './play.js';
import { numberEvents, type PlayEvent } from './play-log.js';
import type { PlayField, PlayWrite } from './play-write.js';

export interface LaneRequest {
  readonly name: string;
  /** The lane stops when the play FAILs during its turn. */
  readonly stopsOnFail?: boolean;
  /** Of a retry that takes the place of the failed play: that play's; default: MongoDB gives one. */
  readonly order?: object;
}

/** The name of a lane, and the key of a limit, have no more characters. */
export const MAX_QUEUE_NAME = 255;

const OF_LANE = 'lane:';
const OF_FLOW = 'flow:';

/** What is wrong with what names a queue, in words; null: nothing. */
export function queueNameFault(what: 'a lane' | 'a key', name: unknown): string | null {
  if (typeof name !== 'string' || name.length === 0 || name.length > MAX_QUEUE_NAME)
    return `${what} is a text of 1 to ${MAX_QUEUE_NAME} characters`;
  return name.includes('\0') ? `${what} must not contain the character NUL` : null;
}

export function laneFault(name: unknown): string | null {
  return queueNameFault('a lane', name);
}

export function laneQueue(lane: string): string {
  return `${OF_LANE}${lane}`;
}

/** @param key empty: the limit has none. It has no `#` in the name of the queue, so that no queue's turns begin like those of another */
export function flowQueue(flowId: string, key: string): string {
  if (key === '') return `${OF_FLOW}${flowId}`;
  return `${OF_FLOW}${flowId}:${key.replaceAll('%', '%25').replaceAll('#', '%23')}`;
}

/** @returns null: the queue is of a flow */
export function laneOfQueue(queue: string): string | null {
  return queue.startsWith(OF_LANE) ? queue.slice(OF_LANE.length) : null;
}

export function isLaneQueue(queue: string): boolean {
  return laneOfQueue(queue) !== null;
}

/** @returns null: the queue is of a lane */
export function flowOfQueue(queue: string): string | null {
  return queue.startsWith(OF_FLOW) ? (queue.slice(OF_FLOW.length).split(':', 1)[0] ?? null) : null;
}

/** Each is a range of the keys of an index. */
export const QUEUES_OF_FLOWS = /^flow:/;
export const QUEUES_OF_LANES = /^lane:/;

export function turnOf(queue: string, slot: number): string {
  return `${queue}#${slot}`;
}

/** The queue that a turn is of. */
export function queueOfTurn(turn: string): string {
  return turn.slice(0, turn.lastIndexOf('#'));
}

/** Which of the turns of a queue are among these. */
export function slotsIn(turns: readonly string[], queue: string): number[] {
  return turns.filter((turn) => queueOfTurn(turn) === queue).map((turn) => Number(turn.slice(queue.length + 1)));
}

/**
 * The turns that may be given: the lowest that nobody has, so that a limit that was lowered is reached as plays end.
 *
 * @param limit how many plays may have one
 */
export function freeSlots(limit: number, taken: readonly number[]): number[] {
  const [room, inUse] = [Math.max(0, limit - taken.length), new Set(taken)];
  const free: number[] = [];
  for (let slot = 0; free.length < room; slot += 1) if (!inUse.has(slot)) free.push(slot);
  return free;
}

/** The queues of a play, in the order in which it joins them. */
export function queuesOf({ flowId, lane, limitKey }: Pick<Play, 'flowId' | 'lane' | 'limitKey'>): string[] {
  return [
    ...(lane === undefined ? [] : [laneQueue(lane)]),
    ...(limitKey === undefined ? [] : [flowQueue(flowId, limitKey)]),
  ];
}

/** Whether it has yet to get its turns. */
export function awaitsTurns(play: Pick<Play, 'flowId' | 'lane' | 'limitKey' | 'turns'>): boolean {
  return !play.turns && queuesOf(play).length > 0;
}

/** The queue that holds a waiting play up; undefined: it does not wait in one. */
export function holdingQueue({ queues = [] }: Pick<Play, 'queues'>): string | undefined {
  return queues.at(-1);
}

/** Whether a play that ended so has the turn of its lane, which goes no further until somebody retries or skips it. */
export function isAtStoppedLane({ state, turns }: Pick<Play, 'state' | 'turns'>): boolean {
  return state === 'FAIL' && turns !== undefined;
}

/** What a play of a lane is inserted with. */
export function laneFields({ name, stopsOnFail, order }: LaneRequest): Pick<Play, 'lane' | 'laneStops' | 'order'> {
  return { lane: name, ...(stopsOnFail && { laneStops: true }), ...(order && { order }) };
}

/** What the end of a play does with its turns: all are free, unless its lane stops at it. */
export function turnsAtEnd(
  { turns = [], lane, laneStops }: Partial<Pick<Play, 'turns' | 'lane' | 'laneStops'>>,
  state: PlayState,
): { readonly set: Pick<Play, 'turns'>; readonly unset: readonly PlayField[] } {
  const kept = lane === undefined ? '' : turnOf(laneQueue(lane), 0);
  if (state === 'FAIL' && laneStops && turns.includes(kept)) return { set: { turns: [kept] }, unset: [] };
  return { set: {}, unset: ['turns'] };
}

type Waiting = Pick<Play, 'flowId' | 'epoch' | 'seq' | 'lane' | 'limitKey' | 'queues'>;

/** A play that is the next one of its lane joins the queue of its flow. It stays the next one of its lane, and has no turn. */
export function joinWrite(play: Waiting): PlayWrite {
  const all = queuesOf(play);
  return stays(play, { queues: all.slice(0, (play.queues?.length ?? 0) + 1) });
}

/** Another play has got the turn of its lane before it: it leaves the queue of its flow. */
export function leaveWrite(play: Waiting): PlayWrite {
  return stays(play, { queues: queuesOf(play).slice(0, 1) });
}

/**
 * A play gets its turns, all that it needs, and goes on: it is rung for under its new epoch.
 *
 * @param hasRoom false: its company's window has none. It is due from now on
 */
export function turnsWrite(play: Waiting, turns: readonly string[], at: Date, hasRoom = true): PlayWrite {
  if (!hasRoom) {
    const due = stays(play, { turns, ready: true, dueAt: at });
    return { ...due, unset: ['queues'] };
  }
  const events: PlayEvent[] = [{ type: 'state', from: 'DEFERRED', state: 'RUN', at }];
  return {
    ...stays(play, { turns, state: 'RUN', seq: play.seq + events.length }),
    unset: ['queues'],
    touch: ['heartbeatAt'],
    log: numberEvents(play.seq, events),
  };
}

function stays(play: Waiting, set: PlayWrite['set']): PlayWrite {
  return {
    match: { epoch: play.epoch, seq: play.seq, states: ['DEFERRED'] },
    set: { epoch: play.epoch + 1, ...set },
    unset: [],
    touch: [],
    layers: [],
    log: [],
  };
}
