import type { mongo } from 'mongoose';
import { isDuplicateKey, type Mongo, type SystemScope } from '@weft/store';
import { LEASES, type LeaseDocument } from './lease.schema.js';

export interface Lease {
  /** What it is for. */
  readonly name: string;
  /** Names who holds it: a process, or one run of it. */
  readonly holder: string;
}

const IS_OVER = { $lte: ['$until', '$$NOW'] };

/**
 * What only one process may do at a time. Every time is MongoDB's, so no process's clock decides. A process that stands still may
 * come back after its lease went to another one: what it writes then must be refused by a condition of its own, or change nothing.
 */
export class LeasesRepository {
  constructor(private readonly mongo: Mongo) {}

  /** @returns false when somebody else holds it; who holds it already, holds it for longer */
  async take(_scope: SystemScope, { name, holder }: Lease, forMs: number): Promise<boolean> {
    const mayTake = { $or: [{ $eq: [{ $ifNull: ['$holder', holder] }, holder] }, IS_OVER] };
    const either = (taken: unknown, kept: string) => ({ $cond: [mayTake, taken, kept] });
    const taken = [{ $set: { holder: either(holder, '$holder'), until: either(later(forMs), '$until') } }];
    const write = () => this.leases().findOneAndUpdate({ _id: name }, taken, { upsert: true, returnDocument: 'after' });
    const lease = await write().catch((error: unknown) => {
      if (!isDuplicateKey(error)) throw error;
      return write(); // another process made it at the same moment
    });
    return lease?.holder === holder;
  }

  /** @returns the names of those that are still the holder's */
  async renew(
    _scope: SystemScope,
    names: readonly string[],
    holder: string,
    forMs: number,
  ): Promise<ReadonlySet<string>> {
    if (names.length === 0) return new Set();
    const his = { _id: { $in: [...names] }, holder };
    await this.leases().updateMany(his, [{ $set: { until: later(forMs) } }]);
    const held = await this.leases()
      .find(his, { projection: { _id: 1 } })
      .toArray();
    return new Set(held.map(({ _id }) => _id));
  }

  /** Others need not wait until it is over. */
  async release(_scope: SystemScope, names: readonly string[], holder: string): Promise<void> {
    await this.leases().deleteMany({ _id: { $in: [...names] }, holder });
  }

  /** Of these, those that somebody holds. */
  async held(_scope: SystemScope, names: readonly string[]): Promise<ReadonlySet<string>> {
    if (names.length === 0) return new Set();
    const isHeld = { _id: { $in: [...names] }, $expr: { $gt: ['$until', '$$NOW'] } };
    const held = await this.leases()
      .find(isHeld, { projection: { _id: 1 } })
      .toArray();
    return new Set(held.map(({ _id }) => _id));
  }

  private leases(): mongo.Collection<LeaseDocument> {
    return this.mongo.collection<LeaseDocument>(LEASES);
  }
}

function later(ms: number) {
  return { $add: ['$$NOW', ms] };
}
