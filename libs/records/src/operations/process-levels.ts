import type { mongo } from 'mongoose';
import { MAJORITY, type Mongo } from '@weft/store';

export const HEALTH_PROBES = 'health_probes';

/** A process that was not seen for that long is gone: each writes its sign of life every two seconds. */
const GONE_AFTER_MS = 60_000;

/** A sign of life of all processes of one name and one version. */
export interface ProbeDocument {
  /** `<name>:<level>`. */
  readonly _id: string;
  /** How many migrations it knows. */
  readonly level: number;
  readonly at: Date;
}

/**
 * Which versions are running now. Each process reports its version with the write by which it checks whether MongoDB stores
 * data.
 */
export class ProcessLevels {
  constructor(private readonly mongo: Mongo) {}

  /** A durable write: a primary that answers but cannot keep anything (no majority, no disk) does not take it. */
  async tell(processName: string, level: number): Promise<void> {
    await this.probes().updateOne(
      { _id: `${processName}:${level}` },
      { $set: { level }, $currentDate: { at: true } },
      { upsert: true, writeConcern: MAJORITY },
    );
  }

  /** The level of the oldest version that has a process; `Infinity` when none was seen. */
  async lowest(): Promise<number> {
    const since = { $subtract: ['$$NOW', GONE_AFTER_MS] };
    const [oldest] = await this.probes()
      .aggregate<{ readonly level: number }>([
        { $match: { $expr: { $gt: ['$at', since] } } },
        { $group: { _id: null, level: { $min: '$level' } } },
      ])
      .toArray();
    return oldest?.level ?? Number.POSITIVE_INFINITY;
  }

  /** The last signs of life of lower levels that may still have a process: those that are younger than a minute. */
  async below(level: number): Promise<readonly ProbeDocument[]> {
    const since = { $subtract: ['$$NOW', GONE_AFTER_MS] };
    return this.probes()
      .find({ level: { $lt: level }, $expr: { $gt: ['$at', since] } })
      .toArray();
  }

  private probes(): mongo.Collection<ProbeDocument> {
    return this.mongo.collection<ProbeDocument>(HEALTH_PROBES);
  }
}
