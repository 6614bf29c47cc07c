import type { GrantType, ResourceType } from '@weft/access';
import type { mongo } from 'mongoose';
import { FLOW_GROUPS } from '../flows/flow-group.schema.js';
import { FLOWS } from '../flows/flow.schema.js';
import { GROUPS } from './group.schema.js';
import { INTEGRATIONS } from '../integrations/integration.schema.js';
import type { Mongo, TenantScope } from '@weft/store';
import { USERS } from './user.schema.js';

interface Subject {
  readonly _id: string;
  readonly [field: string]: unknown;
}

const THINGS: Readonly<
  Record<ResourceType, { collection: string; company: string; creator: string; live: mongo.Filter<Subject> }>
> = {
  flow: { collection: FLOWS, company: 'company_id', creator: 'createdBy', live: { filteredAt: null } },
  flow_group: { collection: FLOW_GROUPS, company: 'company_id', creator: 'created_by', live: {} },
  integration: { collection: INTEGRATIONS, company: 'CompanyID', creator: 'UserID', live: {} },
};

const GRANTEES: Readonly<Record<GrantType, { collection: string; company: string }>> = {
  user: { collection: USERS, company: 'company_roles.company_id' },
  group: { collection: GROUPS, company: 'company_id' },
};

/** What grants can be given on, and to whom. */
export class GrantSubjects {
  constructor(private readonly mongo: Mongo) {}

  /** Who made the thing; null when the company has no such thing, or it was deleted. */
  async creatorOf(scope: TenantScope, type: ResourceType, id: string): Promise<string | null> {
    const { collection, company, creator, live } = THINGS[type];
    const found = await this.mongo
      .collection<Subject>(collection)
      .findOne({ ...live, _id: id, [company]: scope.companyId }, { projection: { [creator]: 1 } });
    return found ? String(found[creator]) : null;
  }

  /** Whether the user is a member of the company, whatever the role; whether it has that group. */
  async isGrantee(scope: TenantScope, type: GrantType, id: string): Promise<boolean> {
    const { collection, company } = GRANTEES[type];
    const found = await this.mongo
      .collection<Subject>(collection)
      .findOne({ _id: id, [company]: scope.companyId }, { projection: { _id: 1 } });
    return found !== null;
  }
}
