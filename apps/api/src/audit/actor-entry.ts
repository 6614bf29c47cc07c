import type { Principal } from '@weft/access';
import type { AuditAction, AuditChange, AuditEntryInput } from '@weft/store';
import { isDeepStrictEqual } from 'node:util';
import type { RequestOrigin } from '../http/request-origin.js';

/** Who makes a change, and from where: stored in the audit entry of the change. */
export interface Actor {
  readonly caller: Principal;
  readonly origin: RequestOrigin;
}

/** In whose company something is done and by whom; nulls for somebody who is not known. */
export interface Doer {
  readonly companyId: string;
  readonly userId: string | null;
  readonly email: string | null;
}

/** What was changed. */
export interface Subject {
  readonly collection: string;
  readonly resource_type: string;
  readonly resource_id: string;
  /** The company whose log gets the entry; default: the company that the actor acts in. Null: the installation's log. */
  readonly company_id?: string | null;
}

/** The audit entry of a caller's action. */
export function actorEntry(
  { caller, origin }: { readonly caller: Doer; readonly origin: RequestOrigin },
  action: AuditAction,
  subject: Subject,
  changes: Readonly<Record<string, AuditChange>> = {},
): AuditEntryInput {
  return {
    action_type: action,
    company_id: caller.companyId,
    ...subject,
    UserID: caller.userId,
    UserEmail: caller.email,
    UserIPAddress: origin.address,
    request_id: origin.requestId,
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
