import { PAYLOAD_CHUNKS, PAYLOAD_FILES, type Mongo } from '@weft/store';
import type { ClientSession, mongo } from 'mongoose';
import { COLLECTIONS, companyFilter, type CollectionEntry } from '../database/collections.js';
import { COMPANIES } from '../people/company.schema.js';
import { EXTERNAL_IDENTITIES, type ExternalIdentityDocument } from '../people/external-identity.schema.js';
import { USERS, type UserDocument } from '../people/user.schema.js';
import type { CompanyJobsRepository } from './company-jobs.repository.js';

/** Documents that one transaction deletes. */
const PORTION = 500;
/** Files: the chunks of each go with it. */
const FILES = 20;

/** The collections that have something of companies; the company itself goes last. */
export const ERASED: readonly CollectionEntry[] = COLLECTIONS.filter(
  ({ name, ofCompany }) => ofCompany !== null && name !== COMPANIES,
);

/**
 * Deletes what a company has, in portions that may be repeated: each is counted in the transaction that deletes it, so the counts are
 * exact whatever is killed.
 */
export class CompanyEraser {
  constructor(
    private readonly mongo: Mongo,
    private readonly jobs: Pick<CompanyJobsRepository, 'count' | 'lookAgain'>,
  ) {}

  /** @returns false: the collection has nothing of the company any more */
  async portion({ name, ofCompany }: CollectionEntry, companyId: string, jobId: string): Promise<boolean> {
    if (ofCompany === null) return false;
    const filter = companyFilter(ofCompany, companyId);
    const limit = name === PAYLOAD_FILES ? FILES : PORTION;
    const found = await this.mongo
      .collection(name)
      .find(filter, { projection: { _id: 1 }, limit })
      .toArray();
    const ids = found.map(({ _id }) => _id);
    if (ids.length === 0) return false;
    // files last: after a crash between the two, they still say what is left to delete
    if (name === PAYLOAD_FILES) await this.mongo.collection(PAYLOAD_CHUNKS).deleteMany({ files_id: { $in: ids } });
    await this.mongo.transaction(async (session) => {
      const gone =
        name === USERS
          ? await this.removeMembers(ids.map(String), companyId, session)
          : (await this.mongo.collection(name).deleteMany({ ...filter, _id: { $in: ids } }, { session })).deletedCount;
      await this.jobs.count(session, jobId, name, gone);
    });
    return true;
  }

  /**
   * After everything else: from then on no walk over companies comes upon it.
   *
   * @param lookAgainMs what a process had in hand at that moment was written by then
   * @returns false: it was gone already
   */
  removeCompany(companyId: string, jobId: string, lookAgainMs: number): Promise<boolean> {
    return this.mongo.transaction(async (session) => {
      const companies = this.mongo.collection<{ _id: string }>(COMPANIES);
      const { deletedCount } = await companies.deleteOne({ _id: companyId }, { session });
      if (deletedCount === 0) return false;
      await this.jobs.count(session, jobId, COMPANIES, 1);
      await this.jobs.lookAgain(session, jobId, lookAgainMs);
      return true;
    });
  }

  /** An account that has a place in another company stays there. */
  private async removeMembers(ids: readonly string[], company_id: string, session: ClientSession): Promise<number> {
    const users = this.mongo.collection<UserDocument>(USERS);
    const identities: mongo.Collection<ExternalIdentityDocument> = this.mongo.collection(EXTERNAL_IDENTITIES);
    const left = await users.find({ _id: { $in: [...ids] } }, { session, projection: { company_roles: 1 } }).toArray();
    const elsewhere = left.filter(({ company_roles }) =>
      company_roles.some((place) => place.company_id !== company_id),
    );
    const staying = new Set(elsewhere.map(({ _id }) => _id));
    const gone = ids.filter((id) => !staying.has(id));
    await users.updateMany({ _id: { $in: [...staying] } }, { $pull: { company_roles: { company_id } } }, { session });
    await identities.deleteMany({ user_id: { $in: gone } }, { session });
    return (await users.deleteMany({ _id: { $in: gone } }, { session })).deletedCount;
  }
}
