import type { mongo } from 'mongoose';
import type { LastRun } from './schedule.schema.js';

/** Plays of one schedule whose end is awaited; of more that are open at once (`allow`), the oldest are not looked at any more. */
const MAX_OPEN = 1_000;

/** Steps of an update: puts a play into `open` and into `last`, which never goes back to an older one. */
export function withRun(run: LastRun, isOpen: boolean): mongo.Document[] {
  const playId = { $literal: run.playId };
  const isNewest = { $gte: [{ $literal: run.at }, { $ifNull: ['$last.at', new Date(0)] }] };
  const open = { $slice: [{ $concatArrays: [withoutOpen(run.playId), [playId]] }, -MAX_OPEN] };
  return [{ $set: { ...(isOpen && { open }), last: { $cond: [isNewest, { $literal: run }, '$last'] } } }];
}

/** `open` without that play. */
export function withoutOpen(playId: string): mongo.Document {
  return { $filter: { input: '$open', cond: { $ne: ['$$this', { $literal: playId }] } } };
}
