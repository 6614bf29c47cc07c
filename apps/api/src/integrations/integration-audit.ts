import { type AuditChange, type AuditEntryInput } from '@weft/store';
import { INTEGRATIONS, type IntegrationDocument } from '@weft/records';
import { changesBetween } from '../audit/actor-entry.js';
import { auditedAddress } from '../audit/audited-address.js';
import type { RequestOrigin } from '../http/request-origin.js';

/** Who changes a link, and from where. */
export interface IntegrationActor {
  readonly userId: string;
  readonly email: string;
  readonly companyId: string;
  readonly origin: RequestOrigin;
}

export function integrationEntry(
  { userId, email, companyId, origin }: IntegrationActor,
  action_type: 'integration_created' | 'integration_updated' | 'integration_deleted',
  before: IntegrationDocument | null,
  after: IntegrationDocument | null,
): AuditEntryInput {
  return {
    action_type,
    collection: INTEGRATIONS,
    company_id: companyId,
    UserID: userId,
    UserEmail: email,
    UserIPAddress: origin.address,
    request_id: origin.requestId,
    resource_type: 'integration',
    resource_id: (after ?? before)?._id ?? null,
    changes: changesOf(before, after),
  };
}

/** Tokens appear by their change alone: their names make the audit log hide the values. No address: it would outlive redaction. */
function changesOf(before: IntegrationDocument | null, after: IntegrationDocument | null): Record<string, AuditChange> {
  const shown = (link: IntegrationDocument | null) => link && { ...link, Endpoint: auditedAddress(link.Endpoint) };
  return changesBetween(shown(before), shown(after), [
    'Name',
    'Key',
    'IntegrationType',
    'Endpoint',
    'Kind',
    'Settings',
    'Test',
    'RateLimit',
    'AccessToken',
    'RefreshToken',
    'ClientSecret',
    'TokenExpiry',
    'Scopes',
    'ProviderUserID',
  ]);
}
