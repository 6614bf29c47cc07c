import mongoose, { type mongo } from 'mongoose';
import {
  recordAudit,
  findPage,
  isDuplicateKey,
  type AuditEntryInput,
  type Mongo,
  type PageOf,
  type PageRequest,
  type SystemScope,
  type TenantScope,
} from '@weft/store';
import {
  MAX_ATTEMPTS_KEPT,
  WEBHOOK_DELIVERIES,
  type DeliveryAttempt,
  type DeliveryDocument,
  type DeliveryState,
} from './webhook-delivery.schema.js';

/** What became of an attempt. */
export interface AttemptResult {
  readonly id: string;
  /** `next_attempt` of the delivery as it was read to be sent. */
  readonly due: Date | null;
  readonly attempt: DeliveryAttempt;
  readonly state: DeliveryState;
  readonly next_attempt: Date | null;
  /** It was made earlier than the schedule says, and counts in it only if it has ended the delivery. Left out: no. */
  readonly isEarly?: boolean;
}

/** Pending deliveries of an endpoint: all of them, and those that are due. */
export interface PendingCounts {
  readonly all: number;
  readonly due: number;
}

/** A delivery that was given up, among those of its endpoint. */
export interface GivenUpMark {
  readonly at: Date;
  readonly id: string;
}

/** What is sent. */
export type DueDelivery = Pick<DeliveryDocument, '_id' | 'body' | 'tries' | 'next_attempt' | 'planned_attempt'>;
const DUE = { body: 1, tries: 1, next_attempt: 1, planned_attempt: 1 } as const;

/** Deliveries that have ended stay for this long: docs/webhooks.md. */
export const DELIVERY_KEPT_MS = 7 * 86_400_000;

export class WebhookDeliveriesRepository {
  private readonly deliveries: mongo.Collection<DeliveryDocument>;

  constructor(private readonly mongo: Mongo) {
    this.deliveries = mongo.collection(WEBHOOK_DELIVERIES);
  }

  /** Those that are stored already stay as they are. @returns how many were new */
  async add({ companyId }: TenantScope, deliveries: readonly DeliveryDocument[]): Promise<number> {
    if (deliveries.length === 0) return 0;
    assertOwn(companyId, deliveries);
    try {
      return (await this.deliveries.insertMany([...deliveries], { ordered: false })).insertedCount;
    } catch (error) {
      if (!(error instanceof mongoose.mongo.MongoBulkWriteError)) throw error;
      const faults = [error.writeErrors].flat();
      if (faults.length === 0 || !faults.every(isDuplicateKey)) throw error;
      return error.insertedCount;
    }
  }

  /** Those that are stored already are sent again. */
  async addOrReplay({ companyId }: TenantScope, deliveries: readonly DeliveryDocument[]): Promise<void> {
    if (deliveries.length === 0) return;
    assertOwn(companyId, deliveries);
    await this.deliveries.bulkWrite(
      deliveries.map(({ _id, state, tries, next_attempt, expires_at, ...rest }) => ({
        updateOne: {
          filter: { _id },
          update: {
            $set: { state, tries, next_attempt, expires_at },
            $unset: { planned_attempt: true },
            $setOnInsert: rest,
          },
          upsert: true,
        },
      })),
      { ordered: false },
    );
  }

  find({ companyId }: TenantScope, webhookId: string, id: string): Promise<DeliveryDocument | null> {
    return this.deliveries.findOne({ _id: id, company_id: companyId, webhook_id: webhookId });
  }

  list(
    { companyId }: TenantScope,
    webhookId: string,
    state: DeliveryState | undefined,
    page: PageRequest,
  ): Promise<PageOf<DeliveryDocument>> {
    const filter = { company_id: companyId, webhook_id: webhookId, ...(state && { state }) };
    return findPage<DeliveryDocument>(this.deliveries, filter, page, { body: 0 });
  }

  /** The next ones of an endpoint that are due, without those that are being sent. */
  due(
    { companyId }: TenantScope,
    webhookId: string,
    now: Date,
    without: readonly string[],
    limit: number,
  ): Promise<DueDelivery[]> {
    return this.deliveries
      .find<DueDelivery>(
        {
          company_id: companyId,
          webhook_id: webhookId,
          state: 'pending',
          next_attempt: { $lte: now },
          ...(without.length > 0 && { _id: { $nin: [...without] } }),
        },
        { projection: DUE, sort: { next_attempt: 1 }, hint: 'due', limit },
      )
      .toArray();
  }

  /** The first pending ones of an ordered endpoint, due or not. */
  inOrder({ companyId }: TenantScope, webhookId: string, limit: number): Promise<DueDelivery[]> {
    return this.deliveries
      .find<DueDelivery>(
        { company_id: companyId, webhook_id: webhookId, state: 'pending' },
        { projection: DUE, sort: { order: 1 }, hint: 'in_order', limit },
      )
      .toArray();
  }

  /**
   * Stores what became of attempts. Of a delivery that is not due at the same time any more only the attempt: it was replayed
   * meanwhile, or another process has sent it, too, and its result was stored first. But what was delivered was not given up.
   */
  async record(_scope: SystemScope, results: readonly AttemptResult[]): Promise<void> {
    if (results.length === 0) return;
    const expires = new Date(this.mongo.serverNow() + DELIVERY_KEPT_MS);
    await this.deliveries.bulkWrite(
      results.map(({ id, due, attempt, state, next_attempt, isEarly = false }) => {
        const isDue = { $eq: ['$next_attempt', due] };
        const isGivenUp = { $in: ['$state', ['failed', 'aborted']] };
        const counts = state === 'delivered' ? { $or: [isDue, isGivenUp] } : isDue;
        const isOfSchedule = !isEarly || state !== 'pending';
        const ifItCounts = (then: unknown, otherwise: string) => ({ $cond: [counts, then, otherwise] });
        // literal, because an answer may look like an expression
        const attempts = { $concatArrays: ['$attempts', [{ $literal: attempt }]] };
        const set = {
          attempts: { $slice: [attempts, -MAX_ATTEMPTS_KEPT] },
          state: ifItCounts(state, '$state'),
          next_attempt: ifItCounts(next_attempt, '$next_attempt'),
          expires_at: ifItCounts(state === 'pending' ? null : expires, '$expires_at'),
          ...(isOfSchedule && {
            tries: ifItCounts({ $add: ['$tries', 1] }, '$tries'),
            planned_attempt: ifItCounts('$$REMOVE', '$planned_attempt'),
          }),
        };
        return { updateOne: { filter: { _id: id }, update: [{ $set: set }] } };
      }),
      { ordered: false },
    );
  }

  /** Sends one again, at once and with its whole schedule, with its audit entry. Null when the endpoint has no such delivery. */
  replay(
    { companyId }: TenantScope,
    webhookId: string,
    id: string,
    entry: AuditEntryInput,
  ): Promise<DeliveryDocument | null> {
    return this.mongo.transaction(async (session) => {
      const replayed = await this.deliveries.findOneAndUpdate(
        { _id: id, company_id: companyId, webhook_id: webhookId },
        { $set: this.again(), $unset: { planned_attempt: true } },
        { returnDocument: 'after', projection: { body: 0 }, session },
      );
      if (replayed) await recordAudit(session, entry);
      return replayed;
    });
  }

  /**
   * Sends again what was given up in a time, once each: in the order of their times, so that what is given up again at once is not
   * found again.
   *
   * @param after the last one of the page before
   */
  async replayGivenUp(
    { companyId }: TenantScope,
    webhookId: string,
    { since, until }: { readonly since: Date; readonly until: Date },
    after: GivenUpMark | null,
    limit: number,
  ): Promise<{ readonly matched: number; readonly changed: number; readonly last: GivenUpMark | null }> {
    const filter: mongo.Filter<DeliveryDocument> = {
      company_id: companyId,
      webhook_id: webhookId,
      state: { $in: ['failed', 'aborted'] },
      at: { $gte: after?.at ?? since, $lt: until },
      ...(after && { $or: [{ at: { $gt: after.at } }, { at: after.at, _id: { $gt: after.id } }] }),
    };
    const page = await this.deliveries
      .find(filter, { projection: { at: 1 }, sort: { at: 1, _id: 1 }, hint: 'given_up', limit })
      .toArray();
    const end = page.at(-1);
    if (!end) return { matched: 0, changed: 0, last: null };
    const ids = { _id: { $in: page.map(({ _id }) => _id) } };
    const { modifiedCount } = await this.deliveries.updateMany(
      { company_id: companyId, state: filter.state, ...ids },
      { $set: this.again(), $unset: { planned_attempt: true } },
    );
    return { matched: page.length, changed: modifiedCount, last: { at: end.at, id: end._id } };
  }

  /** How many of an endpoint are pending, and how many of these are due, each counted up to its limit. */
  async countPending({ companyId }: TenantScope, webhookId: string, limits: PendingCounts): Promise<PendingCounts> {
    const pending = { company_id: companyId, webhook_id: webhookId, state: 'pending' as const };
    const isDue = { next_attempt: { $lte: new Date(this.mongo.serverNow()) } };
    const [all, due] = await Promise.all([
      this.deliveries.countDocuments(pending, { hint: 'due', limit: limits.all }),
      this.deliveries.countDocuments({ ...pending, ...isDue }, { hint: 'due', limit: limits.due }),
    ]);
    return { all, due };
  }

  /**
   * Makes the next repeats of an endpoint due now, those first that would have come first, and each once in a pause of its
   * schedule.
   *
   * @returns how many
   */
  async hurry({ companyId }: TenantScope, webhookId: string, limit: number): Promise<number> {
    const now = new Date(this.mongo.serverNow());
    const later: mongo.Filter<DeliveryDocument> = {
      company_id: companyId,
      webhook_id: webhookId,
      state: 'pending',
      next_attempt: { $gt: now },
      planned_attempt: { $exists: false },
    };
    const page = await this.deliveries
      .find(later, { projection: { _id: 1 }, sort: { next_attempt: 1 }, hint: 'due', limit })
      .toArray();
    if (page.length === 0) return 0;
    const { modifiedCount } = await this.deliveries.updateMany({ ...later, _id: { $in: page.map(({ _id }) => _id) } }, [
      { $set: { next_attempt: now, planned_attempt: '$next_attempt' } },
    ]);
    return modifiedCount;
  }

  /** When the oldest pending delivery of each endpoint happened. */
  async oldestPending(_scope: SystemScope, webhookIds: readonly string[]): Promise<ReadonlyMap<string, Date>> {
    const oldest = await Promise.all(
      webhookIds.map((webhook_id) =>
        this.deliveries.findOne(
          { webhook_id, state: 'pending' },
          { sort: { order: 1 }, hint: 'in_order', projection: { webhook_id: 1, at: 1 } },
        ),
      ),
    );
    return new Map(oldest.flatMap((found) => (found ? [[found.webhook_id, found.at] as const] : [])));
  }

  /** @returns how many were deleted */
  async removeExpired(_scope: SystemScope, limit: number): Promise<number> {
    const now = new Date(this.mongo.serverNow());
    const page = await this.deliveries
      // with the type, because the planner uses the partial index only if the filter implies its own
      .find({ expires_at: { $lt: now, $type: 'date' } }, { projection: { _id: 1 }, sort: { expires_at: 1 }, limit })
      .toArray();
    if (page.length === 0) return 0;
    const ids = page.map(({ _id }) => _id);
    return (await this.deliveries.deleteMany({ _id: { $in: ids }, expires_at: { $lt: now } })).deletedCount;
  }

  private again(): Pick<DeliveryDocument, 'state' | 'tries' | 'next_attempt' | 'expires_at'> {
    return { state: 'pending', tries: 0, next_attempt: new Date(this.mongo.serverNow()), expires_at: null };
  }
}

function assertOwn(companyId: string, deliveries: readonly DeliveryDocument[]): void {
  if (deliveries.some(({ company_id }) => company_id !== companyId)) {
    throw new TypeError('a delivery of another company cannot be made here');
  }
}
