import type { ClientSession } from 'mongoose';
import { Mongo } from '../mongo.js';
import type { TenantScope } from '../scope.js';

/** What was granted to a group or user that is no more goes with it, in the same transaction. */
export async function deleteGrantsTo(
  session: ClientSession,
  scope: TenantScope,
  grantee: { readonly type: 'user' | 'group'; readonly id: string },
): Promise<void> {
  await Mongo.of(session)
    .collection('grants')
    .deleteMany({ CompanyID: scope.companyId, GrantType: grantee.type, GranteeID: grantee.id }, { session });
}
