import type { AuditAction, AuditEntryInput } from '@weft/store';
import { GRANTS, type GrantDocument } from './grant.schema.js';

/** Whose change it is, and from where. */
export type GrantAuthor = Pick<AuditEntryInput, 'UserID' | 'UserEmail' | 'UserIPAddress' | 'request_id'>;

const AUDITED = ['ResourceType', 'ResourceID', 'GrantType', 'GranteeID', 'Permissions'] as const;

/** The audit entry of one grant that was made, changed (`before` and `after`) or taken back. */
export function grantEntry(
  action: AuditAction & `grant_${string}`,
  before: GrantDocument | null,
  after: GrantDocument | null,
  by: GrantAuthor,
): AuditEntryInput {
  const grant = (after ?? before) as GrantDocument;
  const changes = AUDITED.map((field) => [field, { before: before?.[field] ?? null, after: after?.[field] ?? null }]);
  return {
    ...by,
    action_type: action,
    collection: GRANTS,
    company_id: grant.CompanyID,
    resource_type: 'grant',
    resource_id: grant._id,
    changes: Object.fromEntries(changes) as AuditEntryInput['changes'],
  };
}

/** The author of a change that takes grants along. */
export function authorOf({ UserID, UserEmail, UserIPAddress, request_id }: AuditEntryInput): GrantAuthor {
  return { UserID, UserEmail, UserIPAddress, request_id };
}
