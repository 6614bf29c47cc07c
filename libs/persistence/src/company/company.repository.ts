import type { mongo } from 'mongoose';
import type { Mongo } from '../mongo.js';
import type { SystemScope, TenantScope } from '../scope.js';
import { COMPANIES, type CompanyDocument } from './company.schema.js';

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

  private companies(): mongo.Collection<CompanyDocument> {
    return this.mongo.collection<CompanyDocument>(COMPANIES);
  }
}
