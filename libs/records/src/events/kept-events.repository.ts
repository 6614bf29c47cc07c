import type { ClientSession, mongo } from 'mongoose';
import { isDuplicateKey, MAJORITY, type Mongo, type SystemScope, type TenantScope } from '@weft/store';
import { KEPT_EVENTS, type KeptEventDocument } from './kept-event.schema.js';

/** For what a play waits: without a key, for events of any key. */
export interface AwaitedEvent {
  readonly name: string;
  readonly key: string | null;
}

/** The place of an event in the order in which they came. */
export type EventPlace = Pick<KeptEventDocument, '_id' | 'received_at'>;
/** An event that no play had taken when it was read. */
export type OpenEvent = KeptEventDocument & { readonly payload: string };

export interface WantedEvents {
  readonly awaited: readonly AwaitedEvent[];
  readonly now: Date;
  readonly after: EventPlace | null;
  /** Users whose events are left out. */
  readonly notSentBy: readonly string[];
}

/** For how long the id of a sender is known when a play has taken its event. */
const KNOWN_MS = 86_400_000;
const IN_ORDER = { received_at: 1, _id: 1 } as const;

/** Events that are kept for plays that begin to wait for them, and the marks of those that were taken. */
export class KeptEventsRepository {
  constructor(private readonly mongo: Mongo) {}

  /** How many a company has that no play has taken, counted up to `most`, and the bytes of their payloads. */
  async sizeOf({ companyId }: TenantScope, most: number): Promise<{ readonly count: number; readonly bytes: number }> {
    const [found] = await this.events()
      .aggregate<{ readonly count: number; readonly bytes: number }>([
        { $match: { company_id: companyId, open: true } },
        { $limit: most },
        { $project: { _id: 0, bytes: 1 } },
        { $group: { _id: null, count: { $sum: 1 }, bytes: { $sum: '$bytes' } } },
      ])
      .toArray();
    return { count: found?.count ?? 0, bytes: found?.bytes ?? 0 };
  }

  /** False: one with this id is there. */
  async insert({ companyId }: TenantScope, event: KeptEventDocument): Promise<boolean> {
    if (event.company_id !== companyId) throw new TypeError('an event of another company');
    try {
      await this.events().insertOne(event, { writeConcern: MAJORITY });
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  find({ companyId }: TenantScope, id: string): Promise<KeptEventDocument | null> {
    return this.events().findOne({ _id: id, company_id: companyId });
  }

  /** Those that a play may take that waits for these, first come first, from after `after` on. */
  openFor(
    { companyId }: TenantScope,
    { awaited, now, after, notSentBy }: WantedEvents,
    limit: number,
  ): Promise<OpenEvent[]> {
    const any = awaited.map(({ name, key }) => (key === null ? { name } : { name, key }));
    const filter = {
      ...{ company_id: companyId, open: true, keep_until: { $gt: now }, $and: [{ $or: any }, behind(after)] },
      ...(notSentBy.length > 0 && { sent_by: { $nin: notSentBy } }),
    };
    return this.events()
      .find<OpenEvent>(filter as mongo.Filter<KeptEventDocument>, { sort: IN_ORDER, limit })
      .toArray();
  }

  /** Of all companies, what no play has taken, from after `after` on; without payloads. */
  openOfAll(_scope: SystemScope, now: Date, after: EventPlace | null, limit: number): Promise<KeptEventDocument[]> {
    const filter = { open: true, keep_until: { $gt: now }, ...behind(after) } as mongo.Filter<KeptEventDocument>;
    return this.events()
      .find(filter, { projection: { payload: 0 }, sort: IN_ORDER, limit })
      .toArray();
  }

  /** In the transaction in which a play takes it. False: another one has taken it. */
  async take(
    session: ClientSession,
    { companyId }: TenantScope,
    { _id, is_repeatable, received_at, keep_until }: OpenEvent,
  ): Promise<boolean> {
    const open = { _id, company_id: companyId, open: true } as const;
    if (!is_repeatable) return (await this.events().deleteOne(open, { session })).deletedCount === 1;
    const known = new Date(Math.max(received_at.getTime() + KNOWN_MS, keep_until.getTime()));
    const mark = { $unset: { open: 1, payload: 1 }, $set: { expires_at: known } } as const;
    const taken = await this.events().updateOne(open, mark, { session });
    return taken.matchedCount === 1;
  }

  private events(): mongo.Collection<KeptEventDocument> {
    return this.mongo.collection<KeptEventDocument>(KEPT_EVENTS);
  }
}

function behind(after: EventPlace | null): mongo.Document {
  if (after === null) return {};
  const { received_at, _id } = after;
  return { $or: [{ received_at: { $gt: received_at } }, { received_at, _id: { $gt: _id } }] };
}
