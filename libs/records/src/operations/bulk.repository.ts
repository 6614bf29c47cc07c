import type { mongo } from 'mongoose';
import {
  recordAudit,
  takeTurn,
  findPage,
  SystemScope,
  type AuditEntryInput,
  type Mongo,
  type PageOf,
  type PageRequest,
  type TenantScope,
} from '@weft/store';
import { COMPANIES } from '../people/company.schema.js';
import { BULKS, type BulkDocument, type BulkState, type BulkTally } from './bulk.schema.js';

/** What the starter of a bulk operation decides. */
export type NewBulk = Pick<
  BulkDocument,
  '_id' | 'company_id' | 'kind' | 'action' | 'matched' | 'target' | 'ratePerSecond' | 'requestedBy'
>;

/** One batch, which belongs to who claimed it until the lease ends. */
export type BulkTurn = BulkDocument;

export interface BulkProgress {
  readonly after: string;
  readonly tally: BulkTally;
  /** Until the next batch. */
  readonly pauseMs: number;
}

const later = (ms: number) => ({ $add: ['$$NOW', ms] });
const ended = (state: BulkState) => ({ state, completedAt: '$$NOW', turnAt: '$$REMOVE' });
const HANDLED = { $add: ['$changed', '$skipped', '$failed'] };

/**
 * Bulk operations and who has the next batch of each. All times are MongoDB's. A turn is one batch: `claim` takes the
 * operation that has waited longest, so operations take turns, and the batch of a process that died is done again.
 */
export class BulkRepository {
  constructor(private readonly mongo: Mongo) {}

  /** @returns null: the company has `most` running ones; nothing was stored */
  async start(scope: TenantScope, bulk: NewBulk, most: number, entry: AuditEntryInput): Promise<BulkDocument | null> {
    const createdAt = new Date(this.mongo.serverNow());
    const none = { changed: 0, skipped: 0, failed: 0, after: null, completedAt: null, term: 0, faults: 0 };
    const document: BulkDocument = { ...bulk, ...none, state: 'running', createdAt, turnAt: createdAt };
    return this.mongo.transaction(async (session) => {
      await takeTurn(session, this.mongo, COMPANIES, { _id: scope.companyId });
      const running = { company_id: scope.companyId, state: 'running' as const };
      if ((await this.bulks().countDocuments(running, { session, limit: most })) >= most) return null;
      await this.bulks().insertOne(document, { session });
      await recordAudit(session, entry);
      return document;
    });
  }

  async find(scope: TenantScope, id: string): Promise<BulkDocument | null> {
    return this.bulks().findOne({ _id: id, company_id: scope.companyId });
  }

  /** Newest first. */
  async list(scope: TenantScope, page: PageRequest): Promise<PageOf<BulkDocument>> {
    return findPage<BulkDocument>(this.bulks(), { company_id: scope.companyId }, page, { target: 0 });
  }

  /** @returns false: it is not running; nothing was written */
  async abort(scope: TenantScope, id: string, entry: AuditEntryInput): Promise<boolean> {
    return this.mongo.transaction(async (session) => {
      const filter = { _id: id, company_id: scope.companyId, state: 'running' as const };
      const { matchedCount } = await this.bulks().updateOne(filter, [{ $set: ended('aborted') }], { session });
      if (matchedCount === 0) return false;
      await recordAudit(session, entry);
      return true;
    });
  }

  /**
   * The next batch of one of these kinds, for `leaseMs` the claimer's. Null: none has a batch to do now.
   *
   * @param but companies whose operations are left out
   */
  async claim(
    _scope: SystemScope,
    kinds: readonly string[],
    leaseMs: number,
    but: readonly string[] = [],
  ): Promise<BulkTurn | null> {
    return this.bulks().findOneAndUpdate(
      // the index is read up to now, give or take what this process knows of MongoDB's clock; MongoDB decides
      {
        turnAt: { $lte: new Date(this.mongo.serverNow() + 1_000) },
        kind: { $in: [...kinds] },
        ...(but.length > 0 && { company_id: { $nin: [...but] } }),
        $expr: { $lte: ['$turnAt', '$$NOW'] },
      },
      [{ $set: { turnAt: later(leaseMs), term: { $add: ['$term', 1] } } }],
      { sort: { turnAt: 1 }, returnDocument: 'after' },
    );
  }

  /** @returns false when the turn is over: stop working */
  async renew(turn: BulkTurn, leaseMs: number): Promise<boolean> {
    const filter = { ...ofTurn(turn), state: 'running' as const };
    return (await this.bulks().updateOne(filter, [{ $set: { turnAt: later(leaseMs) } }])).matchedCount === 1;
  }

  /** The batch is done, also of an operation that was aborted meanwhile. Ends the turn. */
  async advance(turn: BulkTurn, { after, tally, pauseMs }: BulkProgress): Promise<void> {
    const counted = Object.fromEntries(
      Object.entries(tally).map(([name, count]) => [name, plus(name, count as number)]),
    );
    const next = { $cond: [{ $eq: ['$state', 'running'] }, later(pauseMs), '$$REMOVE'] };
    await this.bulks().updateOne(ofTurn(turn), [
      { $set: { ...counted, after: { $literal: after }, turnAt: next, faults: 0, term: plus('term', 1) } },
      { $set: { matched: { $max: ['$matched', HANDLED] } } },
    ]);
  }

  /** Ends the turn without a result: the batch is done again later. */
  async postpone(turn: BulkTurn, pauseMs: number, isFault: boolean): Promise<void> {
    await this.bulks().updateOne({ ...ofTurn(turn), state: 'running' }, [
      { $set: { turnAt: later(pauseMs), term: plus('term', 1), ...(isFault && { faults: plus('faults', 1) }) } },
    ]);
  }

  /** Nothing is left to do, or nothing may be done any more. */
  async end(turn: BulkTurn, state: 'done' | 'aborted'): Promise<void> {
    await this.bulks().updateOne({ ...ofTurn(turn), state: 'running' }, [{ $set: ended(state) }]);
  }

  private bulks(): mongo.Collection<BulkDocument> {
    return this.mongo.collection<BulkDocument>(BULKS);
  }
}

function ofTurn({ _id, term }: BulkTurn) {
  return { _id, term };
}

function plus(field: string, count: number) {
  return { $add: [`$${field}`, count] };
}
