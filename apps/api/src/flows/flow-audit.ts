import type { Principal } from '@weft/access';
import { FLOWS, type AuditAction, type AuditChange, type AuditEntryInput } from '@weft/persistence';
import { isDeepStrictEqual } from 'node:util';
import type { RequestOrigin } from '../http/request-origin.js';

/** Who changes a flow, and from where: goes into the audit entry of the change. */
export interface Actor {
  readonly caller: Principal;
  readonly origin: RequestOrigin;
}

/** The audit entry of a change of a flow or of its layers; both are found under the flow's id. */
export function flowEntry(
  { caller, origin }: Actor,
  action: AuditAction,
  flowId: string,
  changes: Readonly<Record<string, AuditChange>>,
): AuditEntryInput {
  return {
    action_type: action,
    collection: FLOWS,
    company_id: caller.companyId,
    UserID: caller.userId,
    UserEmail: caller.email,
    UserIPAddress: origin.address,
    request_id: origin.requestId,
    resource_type: 'flow',
    resource_id: flowId,
    changes,
  };
}

/** Before and after of the named fields that differ. */
export function changesBetween<T extends object>(
  before: T | null,
  after: T | null,
  fields: readonly (keyof T & string)[],
): Record<string, AuditChange> {
  const changes: Record<string, AuditChange> = {};
  for (const field of fields) {
    const change = { before: before?.[field] ?? null, after: after?.[field] ?? null };
    if (!isDeepStrictEqual(change.before, change.after)) changes[field] = change;
  }
  return changes;
}
