import { isDuplicateKey, findPage, recordAudit, type AuditEntryInput, type Mongo } from '@weft/store';
import type { Look, PageOf, PageRequest, SystemScope } from '@weft/store';
import type { ClientSession, mongo } from 'mongoose';
import { COMPANIES, type CompanyDocument } from '../people/company.schema.js';
import { SESSIONS, type SessionDocument } from '../people/session.schema.js';
import { COMPANY_JOBS, type CompanyJobDocument, type LeftToGive } from './company-job.schema.js';

export type NewCompanyJob = Pick<CompanyJobDocument, '_id' | 'kind' | 'about' | 'name' | 'requested_by' | 'file'>;

/** How a job ended. */
export interface CompanyJobEnd {
  readonly error?: string;
  readonly file?: string;
  readonly left_to_give?: LeftToGive;
}

/** Exports, imports and erasures of whole companies. They are the installation's. */
export class CompanyJobsRepository {
  constructor(private readonly mongo: Mongo) {}

  /**
   * A company that is to be erased is stopped for good in the same transaction.
   *
   * @returns null: it is being erased already
   */
  async start(_scope: SystemScope, job: NewCompanyJob, entry: AuditEntryInput): Promise<CompanyJobDocument | null> {
    const created_at = new Date(this.mongo.serverNow());
    const none = { counts: {}, attempts: 0, completed_at: null, error: null, left_to_give: {}, look_again_at: null };
    const document: CompanyJobDocument = { ...job, ...none, state: 'running', created_at };
    const write = this.mongo.transaction(async (session) => {
      await this.jobs().insertOne(document, { session });
      if (job.kind === 'erasure') await this.stopForGood(job.about, session);
      await recordAudit(session, entry);
      return document;
    });
    return write.catch((error: unknown) => {
      if (isDuplicateKey(error)) return null;
      throw error;
    });
  }

  find(_scope: SystemScope, id: string): Promise<CompanyJobDocument | null> {
    return this.jobs().findOne({ _id: id });
  }

  list(_scope: SystemScope, page: PageRequest): Promise<PageOf<CompanyJobDocument>> {
    return findPage(this.jobs(), {}, page, {});
  }

  /** Those that a process may work on now, the oldest first. */
  async running(_scope: SystemScope, most: number): Promise<CompanyJobDocument[]> {
    const now = new Date(this.mongo.serverNow());
    const found = this.jobs().find({
      state: 'running',
      $or: [{ look_again_at: null }, { look_again_at: { $lte: now } }],
    });
    return found.sort({ _id: 1 }).limit(most).toArray();
  }

  look(): Look {
    return { collection: COMPANY_JOBS, filter: { state: 'running' } };
  }

  /** @returns how often it was begun, this time included; null: it does not run any more */
  async begin(_scope: SystemScope, id: string): Promise<number | null> {
    const running = { _id: id, state: 'running' as const };
    const begun = await this.jobs().findOneAndUpdate(running, { $inc: { attempts: 1 } }, { returnDocument: 'after' });
    return begun?.attempts ?? null;
  }

  /** In the transaction of what is counted. */
  async count(session: ClientSession, id: string, collection: string, documents: number): Promise<void> {
    await this.jobs().updateOne({ _id: id }, { $inc: { [countOf(collection)]: documents } }, { session });
  }

  /** What an export or an import has done so far. */
  async show(_scope: SystemScope, id: string, counts: Readonly<Record<string, number>>): Promise<void> {
    await this.jobs().updateOne({ _id: id, state: 'running' }, { $set: { counts } });
  }

  async lookAgain(session: ClientSession, id: string, afterMs: number): Promise<void> {
    const look_again_at = new Date(this.mongo.serverNow() + afterMs);
    await this.jobs().updateOne({ _id: id }, { $set: { look_again_at } }, { session });
  }

  async end(_scope: SystemScope, id: string, end: CompanyJobEnd, entry: AuditEntryInput): Promise<void> {
    const completed_at = new Date(this.mongo.serverNow());
    const state = end.error === undefined ? 'done' : 'failed';
    await this.mongo.transaction(async (session) => {
      const running = { _id: id, state: 'running' as const };
      const { matchedCount } = await this.jobs().updateOne(
        running,
        { $set: { ...end, state, completed_at, look_again_at: null } },
        { session },
      );
      if (matchedCount === 1) await recordAudit(session, entry);
    });
  }

  private async stopForGood(companyId: string, session: ClientSession): Promise<void> {
    const stopped = { $set: { active: false, erasing: true as const } };
    await this.mongo.collection<CompanyDocument>(COMPANIES).updateOne({ _id: companyId }, stopped, { session });
    await this.mongo.collection<SessionDocument>(SESSIONS).deleteMany({ CompanyID: companyId }, { session });
  }

  private jobs(): mongo.Collection<CompanyJobDocument> {
    return this.mongo.collection<CompanyJobDocument>(COMPANY_JOBS);
  }
}

/** A point in the name would be read as a path. */
function countOf(collection: string): string {
  return `counts.${collection.replace('.', '_')}`;
}
