import type { mongo } from 'mongoose';
import { TOTAL_CAP, type Look, type Mongo, type SystemScope } from '@weft/store';
import { stampDestinations } from './destination.repository.js';
import { DESTINATIONS, type DestinationDocument, type DestinationState } from './destination.schema.js';

export type DestinationStep = Partial<Pick<DestinationDocument, 'releasedTo' | 'step' | 'state'>> & {
  /** From now; null: nobody looks after it any more. */
  readonly lookAfterMs: number | null;
  /** From now; null: no more. */
  readonly sweepMs?: number | null;
};

const isDueBy = (now: Date) => ({ lookAt: { $exists: true, $lte: now } });

/** The destinations of all companies that schedulers look after. Of several schedulers, one takes each step. */
export class DestinationWalkRepository {
  constructor(
    private readonly mongo: Mongo,
    private readonly _scope: SystemScope,
  ) {}

  /** Whether any is due. */
  look(now: Date): Look {
    return { collection: DESTINATIONS, filter: isDueBy(now) };
  }

  /** Index `lookAt_1`. */
  async due(now: Date, limit: number): Promise<DestinationDocument[]> {
    return this.all()
      .find(isDueBy(now), { sort: { lookAt: 1 }, limit })
      .toArray();
  }

  /** @returns false: another scheduler, a worker or a user was faster */
  async take(read: DestinationDocument, { lookAfterMs, sweepMs, state, ...set }: DestinationStep): Promise<boolean> {
    const match = { _id: read._id, company_id: read.company_id, rev: read.rev, lookAt: read.lookAt } as const;
    const moved = state !== undefined && state !== read.state;
    const later = (ms: number) => ({ $add: ['$$NOW', ms] });
    const change = [
      {
        $set: {
          ...set,
          ...(state && { state }),
          ...(moved && { since: '$$NOW', rev: { $add: ['$rev', 1] } }),
          ...(lookAfterMs !== null && { lookAt: later(lookAfterMs) }),
          ...(typeof sweepMs === 'number' && { sweepUntil: later(sweepMs) }),
        },
      },
      ...(lookAfterMs === null ? [{ $unset: 'lookAt' }] : []),
      ...(sweepMs === null ? [{ $unset: 'sweepUntil' }] : []),
    ];
    // calls depend on the state and on the step
    if (!moved && set.step === undefined) return (await this.all().updateOne(match, change)).modifiedCount > 0;
    return this.mongo.transaction(async (session) => {
      const { modifiedCount } = await this.all().updateOne(match, change, { session });
      if (modifiedCount > 0) await stampDestinations(session, this.mongo, read.company_id);
      return modifiedCount > 0;
    });
  }

  /**
   * How far the plays that wait were released.
   *
   * @param isSwept the outage is over: none is released any more
   */
  async released({ _id, company_id, state, rev }: DestinationDocument, to: string, isSwept: boolean): Promise<void> {
    const match = { _id, company_id, state, ...(isSwept && { rev }) };
    if (!isSwept) return void (await this.all().updateOne(match, { $set: { releasedTo: to } }));
    await this.mongo.transaction(async (session) => {
      const over = { sweepUntil: true, rate: true, failureShare: true } as const;
      const { modifiedCount } = await this.all().updateOne(match, { $unset: over }, { session });
      if (modifiedCount > 0) await stampDestinations(session, this.mongo, company_id);
    });
  }

  /** Nothing is said of it any more. */
  async forget(read: DestinationDocument): Promise<boolean> {
    const match = { _id: read._id, company_id: read.company_id, rev: read.rev, lookAt: read.lookAt } as const;
    return this.mongo.transaction(async (session) => {
      const { deletedCount } = await this.all().deleteOne(match, { session });
      if (deletedCount > 0) await stampDestinations(session, this.mongo, read.company_id);
      return deletedCount > 0;
    });
  }

  /** For gauges, up to 10,000; of states in which schedulers look after them. */
  async count(state: DestinationState): Promise<number> {
    return this.all().countDocuments({ lookAt: { $exists: true }, state }, { limit: TOTAL_CAP, hint: 'lookAt_1' });
  }

  private all(): mongo.Collection<DestinationDocument> {
    return this.mongo.collection<DestinationDocument>(DESTINATIONS);
  }
}
