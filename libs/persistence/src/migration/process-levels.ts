import type { mongo } from 'mongoose';
import { MAJORITY, type Mongo } from '../mongo.js';

export const HEALTH_PROBES = 'health_probes';

/** A process that was not seen for that long is gone: each writes its sign of life every second. */
const GONE_AFTER_MS = 60_000;

/** A sign of life of all processes of one name and one version. */
export interface ProbeDocument {
  /** `<name>:<level>`; `<name>` alone is that of a version from before there were levels. */
  readonly _id: string;
  /** How many migrations it knows; absent: none. */
  readonly level?: number;
  readonly at: Date;
}

/** Which versions are running now, told by the write with which each process looks whether MongoDB keeps what it is given. */
export class ProcessLevels {
  constructor(private readonly mongo: Mongo) {}

  /** A durable write: a primary that answers but cannot keep anything (no majority, no disk) does not take it. */
  async tell(processName: string, level: number, deadlineMs: number): Promise<void> {
    await this.probes().updateOne(
      { _id: `${processName}:${level}` },
      { $set: { level }, $currentDate: { at: true } },
      { upsert: true, writeConcern: MAJORITY, timeoutMS: deadlineMs },
    );
  }

  /** The level of the oldest version that has a process; `Infinity` when none was seen. */
  async lowest(): Promise<number> {
    const since = { $subtract: ['$$NOW', GONE_AFTER_MS] };
    const [oldest] = await this.probes()
      .aggregate<{ readonly level: number }>([
        { $match: { $expr: { $gt: ['$at', since] } } },
        { $group: { _id: null, level: { $min: { $ifNull: ['$level', 0] } } } },
      ])
      .toArray();
    return oldest?.level ?? Number.POSITIVE_INFINITY;
  }

  private probes(): mongo.Collection<ProbeDocument> {
    return this.mongo.collection<ProbeDocument>(HEALTH_PROBES);
  }
}
