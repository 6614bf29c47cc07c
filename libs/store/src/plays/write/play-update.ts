import { isDeepStrictEqual } from 'node:util';
import type { LayerResult, LogEntry, Play, PlayKey, PlayWrite } from '@weft/engine';
import type { mongo } from 'mongoose';
import { foundUnmarkedUntil } from '../reads/late-moves.js';

/**
 * A `PlayWrite` in MongoDB's words. User data only ever goes through plain operators, so no value can become code
 * (docs/protocol.md §3, rule 11).
 */
export function playFilter(key: PlayKey, { match }: PlayWrite): mongo.Filter<Play> {
  return {
    _id: key.playId,
    company_id: key.companyId,
    flowId: key.flowId,
    epoch: match.epoch,
    ...(match.seq !== undefined && { seq: match.seq }),
    state: match.states.length === 1 ? match.states[0] : { $in: [...match.states] },
    ...(match.owner !== undefined && { owner: match.owner ?? { $exists: false } }),
    ...(match.heartbeatAt && { heartbeatAt: match.heartbeatAt }),
    ...(match.until && { $expr: { $lte: ['$$NOW', match.until] } }),
  };
}

/** Of users' commands, which are few: whatever the age of the play, so that it may last until they are committed. */
export const MARKED = true;

/** @param isMarked see `late-moves.ts` */
export function playUpdate(write: PlayWrite, isMarked: boolean): mongo.UpdateFilter<Play> {
  const set: Record<string, unknown> = { ...write.set };
  if (write.inbox) set[`inbox.${write.inbox.position}`] = write.inbox.payload;
  if (write.waitEnd) set[`waits.${write.waitEnd.position}.until`] = write.waitEnd.until;
  if (write.erasesOutputs) set['layers.$[].out'] = null;
  const push: Record<string, unknown> = {};
  if (write.layers.length > 0) push.layers = { $each: write.layers };
  if (write.log.length > 0) push.log = { $each: write.log };
  const update: Record<string, unknown> = {};
  if (Object.keys(set).length > 0) update.$set = set;
  if (Object.keys(push).length > 0) update.$push = push;
  if (write.unset.length > 0) update.$unset = Object.fromEntries(write.unset.map((field) => [field, 1]));
  const touch: readonly string[] = isMarked && write.log.length > 0 ? [...write.touch, 'movedAt'] : write.touch;
  if (touch.length > 0) update.$currentDate = Object.fromEntries(touch.map((field) => [field, true]));
  return update;
}

/**
 * The filter and the update of a write of a play that is young, or not any more. While it is, nothing is marked, and the
 * filter holds only for as long as the move is found without a mark, by MongoDB's clock: a write may be on its way for long.
 */
export function playOperation(key: PlayKey, write: PlayWrite, isLate: boolean) {
  const filter = playFilter(key, write);
  const isBound = !isLate && write.log.length > 0;
  const bound = { $lt: ['$$NOW', foundUnmarkedUntil(key.playId)] };
  const $expr = filter.$expr ? { $and: [filter.$expr, bound] } : bound;
  return { filter: isBound ? { ...filter, $expr } : filter, update: playUpdate(write, isLate) };
}

/** Two writers may tell of the same play at the same millisecond, a worker that it waits and a user that it is on hold. */
function isSame(stored: LogEntry | undefined, event: LogEntry): boolean {
  if (stored?.type !== event.type || stored.at.getTime() !== event.at.getTime()) return false;
  return !('state' in stored && 'state' in event) || stored.state === event.state;
}

/** What of a play tells whether a write is in it. */
export type PlayOutcome = Pick<Play, '_id' | 'epoch' | 'seq' | 'owner' | 'inbox'> & {
  readonly layers: readonly Pick<LayerResult, 'by'>[];
  readonly log: readonly LogEntry[];
};

/** Its fields; `inbox` only where a write brings an answer. */
export const OUTCOME_FIELDS = {
  epoch: 1,
  seq: 1,
  owner: 1,
  'layers.by': 1,
  'log.seq': 1,
  'log.type': 1,
  'log.at': 1,
  'log.state': 1,
} as const;

/** Whether a play that was read after an unclear outcome shows that this write is in it: docs/protocol.md §3, rule 10. */
export function showsWrite(play: PlayOutcome | null, write: PlayWrite): boolean {
  if (!play) return false;
  const result = write.layers.at(-1);
  if (result) return play.layers[(write.set.cursor ?? 0) - 1]?.by === result.by && play.seq >= (write.set.seq ?? 0);
  const event = write.log.at(-1);
  if (event) {
    const stored = play.log[event.seq - 1];
    const isOwn = write.set.owner === undefined || play.owner === write.set.owner;
    return isSame(stored, event) && isOwn && bringsSame(play, write);
  }
  return play.epoch === write.set.epoch && play.owner === undefined;
}

/** Of two events that come for one layer at the same millisecond, one is taken; nothing is known once the layer has used it. */
function bringsSame({ inbox }: PlayOutcome, write: PlayWrite): boolean {
  if (!write.inbox) return true;
  const stored = inbox?.[write.inbox.position];
  return stored === undefined || isDeepStrictEqual(stored, write.inbox.payload);
}
