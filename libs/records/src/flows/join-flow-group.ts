import { WeftError } from '@weft/kernel';
import type { ClientSession } from 'mongoose';
import { Mongo, type TenantScope } from '@weft/store';
import { FLOW_GROUPS, type FlowGroupDocument } from './flow-group.schema.js';

/**
 * In the transaction that puts a flow into a group. The group is written, not only looked for: a deletion at the same moment
 * collides with it, so that no flow is left in a group that is gone.
 *
 * @throws WeftError `unknown_id` when the company has no such group
 */
export async function joinFlowGroup(session: ClientSession, scope: TenantScope, groupId: string): Promise<void> {
  const { matchedCount } = await Mongo.of(session)
    .collection<FlowGroupDocument>(FLOW_GROUPS)
    .updateOne({ _id: groupId, company_id: scope.companyId }, { $inc: { joins: 1 } }, { session });
  if (matchedCount === 1) return;
  const message = 'the company has no flow group with this id';
  throw new WeftError('unknown_id', `${message}.`, { errors: [{ path: 'groupId', code: 'unknown_id', message }] });
}
