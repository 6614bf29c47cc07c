import type { mongo } from 'mongoose';
import {
  recordAudit,
  findPage,
  type AuditEntryInput,
  type Mongo,
  type PageOf,
  type PageRequest,
  type TenantScope,
} from '@weft/store';
import { GrantRepository } from './grant.repository.js';

interface NamedGroup {
  readonly _id: string;
  readonly company_id: string;
  readonly name: string;
}

/** What groups of people and groups of flows have in common: a name in a company, and grants that go with them. */
export abstract class NamedGroupRepository<Group extends NamedGroup> {
  protected readonly grants: GrantRepository;

  constructor(
    protected readonly mongo: Mongo,
    private readonly collection: string,
  ) {
    this.grants = new GrantRepository(mongo);
  }

  async find(scope: TenantScope, id: string): Promise<Group | null> {
    return this.named().findOne<Group>({ _id: id, company_id: scope.companyId });
  }

  async list(scope: TenantScope, page: PageRequest): Promise<PageOf<Group>> {
    const ofCompany = { company_id: scope.companyId } as mongo.Filter<Group>;
    return findPage<Group>(this.mongo.collection<Group>(this.collection), ofCompany, page, {});
  }

  async insert(scope: TenantScope, group: Group, entry: AuditEntryInput): Promise<void> {
    if (group.company_id !== scope.companyId) throw new TypeError('a group of another company cannot be made here');
    await this.mongo.transaction(async (session) => {
      await this.named().insertOne(group, { session });
      await recordAudit(session, entry);
    });
  }

  /** False when there is no such group; nothing is recorded then. */
  async rename(scope: TenantScope, id: string, name: string, entry: AuditEntryInput): Promise<boolean> {
    return this.mongo.transaction(async (session) => {
      const filter = { _id: id, company_id: scope.companyId };
      const { matchedCount } = await this.named().updateOne(filter, { $set: { name } }, { session });
      if (matchedCount === 1) await recordAudit(session, entry);
      return matchedCount === 1;
    });
  }

  private named(): mongo.Collection<NamedGroup> {
    return this.mongo.collection<NamedGroup>(this.collection);
  }
}
