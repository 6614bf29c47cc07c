import type { mongo } from 'mongoose';
import { recordAudit, type AuditEntryInput } from '../audit/record-audit.js';
import type { Mongo } from '../driver/mongo.js';
import { takeTurn } from '../driver/in-turn.js';
import { findPage, type PageOf, type PageRequest } from '../driver/paging.js';
import { COMPANIES } from '../people/company.schema.js';
import type { SystemScope, TenantScope } from '../scope.js';
import { DESTINATIONS, type DestinationDocument } from './destination.schema.js';

/** What is known of the destinations that the flows of a company call. Changes by users have their audit entry. */
export class DestinationRepository {
  constructor(private readonly mongo: Mongo) {}

  async find({ companyId }: TenantScope, address: string): Promise<DestinationDocument | null> {
    return this.destinations().findOne({ _id: idOf(companyId, address), company_id: companyId });
  }

  /** By address, the last one first; `after` and `nextAfter` are addresses. */
  async list({ companyId }: TenantScope, page: PageRequest): Promise<PageOf<DestinationDocument>> {
    const after = page.after === null ? null : idOf(companyId, page.after);
    const own = { company_id: companyId };
    const found = await findPage<DestinationDocument>(this.destinations(), own, { ...page, after }, {});
    return { ...found, nextAfter: found.nextAfter === null ? null : (found.items.at(-1)?.address ?? null) };
  }

  /** Those of several companies, for the workers that run their flows. */
  async ofCompanies(_scope: SystemScope, companyIds: readonly string[]): Promise<DestinationDocument[]> {
    return this.destinations()
      .find({ company_id: { $in: [...companyIds] } })
      .toArray();
  }

  /**
   * One that is up and not limited is not kept.
   *
   * `conflict`: it is not what was read any more. `full`: the company has `most` destinations already. Nothing was written then.
   *
   * @param before null: it is not there yet
   */
  async save(
    { companyId }: TenantScope,
    before: DestinationDocument | null,
    after: Omit<DestinationDocument, '_id' | 'company_id' | 'rev'>,
    most: number,
    entry: AuditEntryInput,
  ): Promise<'saved' | 'conflict' | 'full'> {
    const _id = idOf(companyId, after.address);
    const isPlain = after.state === 'up' && after.rate_limit === null;
    return this.mongo.transaction(async (session) => {
      if (isPlain && before) {
        const gone = { _id, company_id: companyId, rev: before.rev };
        if ((await this.destinations().deleteOne(gone, { session })).deletedCount === 0) return 'conflict';
      } else if (before === null && !isPlain) {
        await takeTurn(session, this.mongo, COMPANIES, { _id: companyId });
        const ofCompany = { company_id: companyId };
        if ((await this.destinations().countDocuments(ofCompany, { session, limit: most })) >= most) return 'full';
        if (await this.destinations().findOne({ _id, ...ofCompany }, { session })) return 'conflict';
        await this.destinations().insertOne({ _id, ...ofCompany, ...after, rev: 1 }, { session });
      } else if (before) {
        const { matchedCount } = await this.destinations().updateOne(
          { _id, company_id: companyId, rev: before.rev },
          { $set: after, $inc: { rev: 1 } },
          { session },
        );
        if (matchedCount === 0) return 'conflict';
      }
      await recordAudit(session, entry);
      return 'saved';
    });
  }

  private destinations(): mongo.Collection<DestinationDocument> {
    return this.mongo.collection<DestinationDocument>(DESTINATIONS);
  }
}

function idOf(companyId: string, address: string): string {
  return `${companyId} ${address}`;
}
