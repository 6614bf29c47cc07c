import { WeftError } from '@weft/kernel';
import type { mongo } from 'mongoose';
import {
  recordAudit,
  findPage,
  type AuditEntryInput,
  type Mongo,
  type PageOf,
  type PageRequest,
  type SystemScope,
  type TenantScope,
} from '@weft/store';
import { SESSIONS, type SessionDocument } from './session.schema.js';
import { USERS, type UserDocument } from './user.schema.js';
import { COMPANIES, type CompanyDocument } from './company.schema.js';

/** What operators set: limits, and the workers. */
export const COMPANY_RULES = ['backlog_max', 'runs_per_second', 'bytes_max', 'worker_label'] as const;
type CompanyRule = (typeof COMPANY_RULES)[number];

export class CompanyRepository {
  constructor(private readonly mongo: Mongo) {}

  async find(scope: TenantScope): Promise<CompanyDocument | null> {
    return this.companies().findOne({ _id: scope.companyId });
  }

  /** Those of the ids that exist, in no order: a user's companies, to name them at sign-in. */
  async findMany(_scope: SystemScope, ids: readonly string[]): Promise<CompanyDocument[]> {
    return this.companies()
      .find({ _id: { $in: [...ids] } })
      .toArray();
  }

  /** Of the companies that have one, by company. */
  async workerLabels(_scope: SystemScope): Promise<ReadonlyMap<string, string>> {
    const labelled = { worker_label: { $type: 'string' } } as mongo.Filter<CompanyDocument>;
    const found = await this.companies()
      .find(labelled, { projection: { worker_label: 1 } })
      .toArray();
    return new Map(found.flatMap(({ _id, worker_label: label }) => (label == null ? [] : [[_id, label]])));
  }

  /** Every company of the installation, for work that goes through all of them. */
  async allIds(_scope: SystemScope): Promise<string[]> {
    const found = await this.companies()
      .find({}, { projection: { _id: 1 } })
      .sort({ _id: 1 })
      .toArray();
    return found.map(({ _id }) => _id);
  }

  /** @param ids null: every company of the installation */
  async list(_scope: SystemScope, ids: readonly string[] | null, page: PageRequest): Promise<PageOf<CompanyDocument>> {
    return findPage<CompanyDocument>(this.companies(), ids === null ? {} : { _id: { $in: [...ids] } }, page, {});
  }

  /** A company that its maker administers; false when the maker is gone, and nothing was written. */
  async create(
    _scope: SystemScope,
    company: CompanyDocument,
    makerId: string,
    entry: AuditEntryInput,
  ): Promise<boolean> {
    return this.mongo.transaction(async (session) => {
      const membership = { company_id: company._id, role: 'admin', group_ids: [] } as const;
      const { matchedCount } = await this.mongo
        .collection<UserDocument>(USERS)
        .updateOne({ _id: makerId }, { $push: { company_roles: membership } }, { session });
      if (matchedCount === 0) return false;
      await this.companies().insertOne(company, { session });
      await recordAudit(session, entry);
      return true;
    });
  }

  /**
   * A company that is deactivated loses its sessions.
   *
   * @param entryOf null where nothing differs
   * @returns null when there is no such company
   * @throws WeftError `company_erasing`
   */
  async update(
    scope: TenantScope,
    change: Partial<Pick<CompanyDocument, 'name' | 'active' | CompanyRule>>,
    entryOf: (before: CompanyDocument, after: CompanyDocument) => AuditEntryInput | null,
  ): Promise<CompanyDocument | null> {
    return this.mongo.transaction(async (session) => {
      const before = await this.companies().findOne({ _id: scope.companyId }, { session });
      if (!before) return null;
      if (before.erasing)
        throw new WeftError('company_erasing', 'The company is being erased. Nothing brings it back.');
      const after = { ...before, ...change };
      await this.companies().updateOne({ _id: before._id }, { $set: change }, { session });
      if (before.active && !after.active) {
        await this.mongo.collection<SessionDocument>(SESSIONS).deleteMany({ CompanyID: before._id }, { session });
      }
      const entry = entryOf(before, after);
      if (entry) await recordAudit(session, entry);
      return after;
    });
  }

  /** Those whose bytes are to be measured: with a limit often, the others now and then; those first that were measured longest ago. */
  async toMeasure(_scope: SystemScope, limitedBefore: Date, othersBefore: Date, most: number): Promise<string[]> {
    const due = [
      { stored: { $exists: false } },
      { bytes_max: { $type: 'number' }, 'stored.at': { $lt: limitedBefore } },
      { 'stored.at': { $lt: othersBefore } },
    ] as mongo.Filter<CompanyDocument>[];
    const found = this.companies().find({ $or: due }, { projection: { _id: 1 } });
    return (await found.sort({ 'stored.at': 1 }).limit(most).toArray()).map(({ _id }) => _id);
  }

  /** Its turn to be measured comes after all others now, also when it takes longer than there is time. What was measured stays. */
  async beginMeasuring(scope: TenantScope, at: Date): Promise<void> {
    await this.companies().updateOne(
      { _id: scope.companyId },
      { $set: { 'stored.at': at }, $max: { 'stored.bytes': 0 } },
    );
  }

  async setStored(scope: TenantScope, bytes: number): Promise<void> {
    await this.companies().updateOne({ _id: scope.companyId }, { $set: { 'stored.bytes': bytes } });
  }

  /** Whose plays are measured next, and whether their bytes are limited. */
  async playsToMeasure(
    _scope: SystemScope,
    now: Date,
    most: number,
  ): Promise<readonly { readonly id: string; readonly isLimited: boolean }[]> {
    const due = { $or: [{ stored_plays: { $exists: false } }, { 'stored_plays.again_at': { $lte: now } }] };
    const found = this.companies().find(due as mongo.Filter<CompanyDocument>, { projection: { bytes_max: 1 } });
    const companies = await found.sort({ 'stored_plays.again_at': 1 }).limit(most).toArray();
    return companies.map(({ _id, bytes_max = null }) => ({ id: _id, isLimited: bytes_max !== null }));
  }

  /** As `beginMeasuring`. */
  async beginMeasuringPlays(scope: TenantScope, at: Date, again_at: Date): Promise<void> {
    await this.companies().updateOne(
      { _id: scope.companyId },
      { $set: { 'stored_plays.at': at, 'stored_plays.again_at': again_at }, $max: { 'stored_plays.bytes': 0 } },
    );
  }

  async setStoredPlays(scope: TenantScope, bytes: number, again_at: Date): Promise<void> {
    await this.companies().updateOne(
      { _id: scope.companyId },
      { $set: { 'stored_plays.bytes': bytes, 'stored_plays.again_at': again_at } },
    );
  }

  /** What was measured of each, in all. */
  async storedBytes(_scope: SystemScope, most: number): Promise<ReadonlyMap<string, number>> {
    const found = await this.companies()
      .aggregate<{ readonly _id: string; readonly bytes: number }>([
        { $match: { stored: { $exists: true } } },
        { $project: { bytes: { $add: ['$stored.bytes', { $ifNull: ['$stored_plays.bytes', 0] }] } } },
        { $sort: { bytes: -1 } },
        { $limit: most },
      ])
      .toArray();
    return new Map(found.map(({ _id, bytes }) => [_id, bytes]));
  }

  private companies(): mongo.Collection<CompanyDocument> {
    return this.mongo.collection<CompanyDocument>(COMPANIES);
  }
}
