import { setTimeout as sleep } from 'node:timers/promises';
import type { mongo } from 'mongoose';
import { MAJORITY, type Mongo, type SystemScope } from '@weft/store';
import { HEALTH_PROBES, type HealthProbeDocument } from './health-probe.schema.js';

/** A process that was not seen for that long is gone: each writes its sign of life every two seconds. */
const GONE_AFTER_MS = 60_000;
const LEAVES_WITHIN_MS = 1_000;
/** More than people read. */
const MOST_LISTED = 1_000;

/** What a process says of itself. */
export type ProcessSign = Pick<HealthProbeDocument, 'level'> &
  Required<Pick<HealthProbeDocument, 'name' | 'version' | 'host' | 'startedAt'>> & { readonly id: string };

/**
 * Which processes of which versions are running now. Each says so with the write by which it checks whether MongoDB stores
 * data.
 */
export class RunningProcesses {
  constructor(private readonly mongo: Mongo) {}

  /** A durable write: a primary that answers but cannot keep anything (no majority, no disk) does not take it. */
  async tell({ id, ...sign }: ProcessSign): Promise<void> {
    await this.probes().updateOne(
      { _id: id },
      { $set: sign, $currentDate: { at: true } },
      { upsert: true, writeConcern: MAJORITY },
    );
  }

  /** It stops: nobody need wait to see whether it is gone. Gives up after a second. */
  async leave(id: string): Promise<void> {
    const gone = this.probes().deleteOne({ _id: id });
    gone.catch(() => undefined); // also when it fails after that second
    await Promise.race([gone, sleep(LEAVES_WITHIN_MS)]);
  }

  /** Those that gave a sign of life within the last minute, by name, the oldest first. */
  async list(_scope: SystemScope): Promise<readonly HealthProbeDocument[]> {
    const found = this.probes().find({ name: { $exists: true }, ...IS_ALIVE });
    return found.sort({ name: 1, startedAt: 1 }).limit(MOST_LISTED).toArray();
  }

  /** The level of the oldest version that has a process; `Infinity` when none was seen. */
  async lowest(): Promise<number> {
    const [oldest] = await this.probes()
      .aggregate<{
        readonly level: number;
      }>([{ $match: IS_ALIVE }, { $group: { _id: null, level: { $min: '$level' } } }])
      .toArray();
    return oldest?.level ?? Number.POSITIVE_INFINITY;
  }

  /** The last signs of life of lower levels that may still have a process: those that are younger than a minute. */
  async below(level: number): Promise<readonly HealthProbeDocument[]> {
    return this.probes()
      .find({ level: { $lt: level }, ...IS_ALIVE })
      .toArray();
  }

  private probes(): mongo.Collection<HealthProbeDocument> {
    return this.mongo.collection<HealthProbeDocument>(HEALTH_PROBES);
  }
}

const IS_ALIVE = { $expr: { $gt: ['$at', { $subtract: ['$$NOW', GONE_AFTER_MS] }] } };
