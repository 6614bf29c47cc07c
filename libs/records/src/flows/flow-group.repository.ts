import type { mongo } from 'mongoose';
import { recordAudit, type AuditEntryInput, type Mongo, type TenantScope } from '@weft/store';
import { visibleTo, type FlowVisibility } from './flow-visibility.js';
import { FLOWS, type FlowDocument } from './flow.schema.js';
import { authorOf } from '../people/grant-audit.js';
import { NamedGroupRepository } from '../people/named-group.repository.js';
import { removePoliciesOf } from '../retention/retention-policy.repository.js';
import { FLOW_GROUPS, type FlowGroupDocument } from './flow-group.schema.js';

export class FlowGroupRepository extends NamedGroupRepository<FlowGroupDocument> {
  constructor(mongo: Mongo) {
    super(mongo, FLOW_GROUPS);
  }

  /** The flows of each group that a caller with this visibility sees, newest first; deleted ones are not in. */
  async flowsOf(
    scope: TenantScope,
    ids: readonly string[],
    visibility: FlowVisibility,
  ): Promise<ReadonlyMap<string, readonly string[]>> {
    const rows = await this.flows()
      .find<Pick<FlowDocument, '_id' | 'groupId'>>(
        {
          $and: [{ company_id: scope.companyId, filteredAt: null, groupId: { $in: [...ids] } }, visibleTo(visibility)],
        },
        { projection: { groupId: 1 } },
      )
      .sort({ _id: -1 })
      .toArray();
    return new Map(ids.map((id) => [id, rows.filter((flow) => flow.groupId === id).map((flow) => flow._id)]));
  }

  /**
   * Deletes a group that has no flows, with the grants on it. Deleted flows do not hold it; they leave it, so that one that
   * is restored is in no group that is gone.
   *
   * @returns whom grants on it reached, to tell the bus; otherwise why it is still there, or that it never was
   */
  async remove(
    scope: TenantScope,
    id: string,
    entry: AuditEntryInput,
  ): Promise<{ readonly grantees: readonly string[] } | 'has_flows' | 'missing'> {
    const { companyId: company_id } = scope;
    return this.mongo.transaction(async (session) => {
      const inGroup = { company_id, groupId: id };
      const held = await this.flows().findOne({ ...inGroup, filteredAt: null }, { session, projection: { _id: 1 } });
      if (held) return 'has_flows';
      const { deletedCount } = await this.groups().deleteOne({ _id: id, company_id }, { session });
      if (deletedCount === 0) return 'missing';
      await this.flows().updateMany(
        { ...inGroup, filteredAt: { $ne: null } },
        { $set: { groupId: null } },
        { session },
      );
      const grantees = await this.grants.removeOfResource(session, scope, 'flow_group', id, authorOf(entry));
      await removePoliciesOf(session, scope, { flow_group_id: id }, authorOf(entry));
      await recordAudit(session, entry);
      return { grantees };
    });
  }

  private groups(): mongo.Collection<FlowGroupDocument> {
    return this.mongo.collection<FlowGroupDocument>(FLOW_GROUPS);
  }

  private flows(): mongo.Collection<FlowDocument> {
    return this.mongo.collection<FlowDocument>(FLOWS);
  }
}
