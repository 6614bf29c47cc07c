/** Queues of plays that wait for turns, and the turns of plays, as filters and orders of their two indexes. */
import { isLaneQueue, turnOf, type Play } from '@weft/engine';
import mongoose, { type mongo } from 'mongoose';

export interface QueueKey {
  readonly companyId: string;
  /** `laneQueue` or `flowQueue` of the engine. */
  readonly queue: string;
}

/** All that a play may have. */
const PRIORITIES: readonly number[] = Array.from({ length: 21 }, (_, i) => i - 10);

/** Plays that wait in a queue, and that nobody holds. */
export function inQueue({ companyId, queue }: QueueKey): mongo.Filter<Play> {
  const waiting = { company_id: companyId, queues: queue, state: 'DEFERRED' } as const;
  // named, so that MongoDB merges their ranges of the index
  return isLaneQueue(queue) ? { ...waiting, priority: { $in: [...PRIORITIES] } } : waiting;
}

/** In a lane that of acceptance, whatever the priorities. */
export function orderIn(queue: string): mongo.Sort {
  return isLaneQueue(queue) ? { order: 1 } : { priority: -1, order: 1 };
}

/** What comes before a play in a queue: each filter is one range of the index. */
export function aheadIn(key: QueueKey, { priority, order }: Pick<Play, 'priority' | 'order'>): mongo.Filter<Play>[] {
  const earlier = { order: { $lt: order } };
  if (isLaneQueue(key.queue)) return [{ ...inQueue(key), ...earlier }];
  return [
    { ...inQueue(key), priority: { $gt: priority } },
    { ...inQueue(key), priority, ...earlier },
  ];
}

/** Plays that have a turn of the queue: a range of the index whose ends need no look at the plays. */
export function byTurn({ companyId, queue }: QueueKey): mongo.Filter<Play> {
  if (isLaneQueue(queue)) return { company_id: companyId, turns: turnOf(queue, 0) };
  const prefix = `${queue}#`.replace(/[!-/;-@[-`{-~]/g, String.raw`\$&`);
  return { company_id: companyId, turns: { $regex: `^${prefix}` } };
}

/**
 * As they are inserted: an empty timestamp becomes the time of MongoDB's cluster, which grows with each insert, over all processes
 * and over a failover (ADR 98).
 */
export function withOrder(plays: readonly Play[]): readonly Play[] {
  const needsOrder = ({ lane, limitKey, order }: Play) => !order && (lane !== undefined || limitKey !== undefined);
  if (!plays.some(needsOrder)) return plays;
  return plays.map((play) =>
    needsOrder(play) ? { ...play, order: new mongoose.mongo.Timestamp({ t: 0, i: 0 }) } : play,
  );
}
