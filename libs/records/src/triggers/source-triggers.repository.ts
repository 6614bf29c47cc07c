import type { mongo } from 'mongoose';
import { SOURCE_TYPES } from '@weft/shapes';
import type { Look, Mongo, SystemScope, TenantScope } from '@weft/store';
import { TRIGGERS, type ShardReading, type TriggerDocument, type TriggerReadingState } from './trigger.schema.js';

const READS = { type: { $in: [...SOURCE_TYPES] }, enabled: true };

/** What a reader says of itself; a field that is left out stays. */
export type ReadingNews = Partial<Pick<TriggerReadingState, 'state' | 'error' | 'lag' | 'last_message_at' | 'well_at'>>;

/** Triggers that read messages, and how far they are. */
export class SourceTriggersRepository {
  constructor(private readonly mongo: Mongo) {}

  /** Whether any trigger reads. */
  look(_scope: SystemScope): Look {
    return { collection: TRIGGERS, filter: READS };
  }

  /** The ids of all that are enabled, in their order. */
  async enabled(_scope: SystemScope, after: string, limit: number): Promise<string[]> {
    const found = await this.triggers()
      .find({ ...READS, _id: { $gt: after } }, { projection: { _id: 1 }, sort: { _id: 1 }, limit })
      .toArray();
    return found.map(({ _id }) => _id);
  }

  /** For their lags: those of the page that are enabled. */
  async find(_scope: SystemScope, ids: readonly string[]): Promise<TriggerDocument[]> {
    return this.triggers()
      .find({ ...READS, _id: { $in: [...ids] } })
      .toArray();
  }

  /**
   * From now on only this holder writes how far the trigger is read.
   *
   * @returns the trigger; null: it is not enabled any more
   */
  async begin(_scope: SystemScope, id: string, holder: string): Promise<TriggerDocument | null> {
    const begun = { 'reading.holder': holder, 'reading.state': 'starting', 'reading.error': null };
    const update = [{ $set: { ...begun, 'reading.lag': { $ifNull: ['$reading.lag', null] } } }];
    return this.triggers().findOneAndUpdate({ ...READS, _id: id }, update, { returnDocument: 'after' });
  }

  /**
   * A majority has it when this resolves.
   *
   * @param shards how far these parts are now
   * @returns false when another process reads by now: nothing was written
   */
  async note(
    { companyId }: TenantScope,
    { _id, holder }: { readonly _id: string; readonly holder: string },
    news: ReadingNews,
    shards: Readonly<Record<string, ShardReading>> = {},
  ): Promise<boolean> {
    const fields = Object.entries({ ...news, ...prefixed('shards.', shards) });
    const { matchedCount } = await this.triggers().updateOne(
      { _id, company_id: companyId, 'reading.holder': holder },
      { $set: prefixed('reading.', Object.fromEntries(fields)) },
      { writeConcern: { w: 'majority' } },
    );
    return matchedCount === 1;
  }

  private triggers(): mongo.Collection<TriggerDocument> {
    return this.mongo.collection<TriggerDocument>(TRIGGERS);
  }
}

function prefixed<T>(prefix: string, fields: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [prefix + name, value]));
}
