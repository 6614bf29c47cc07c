import { type AuditAction, type AuditEntryInput } from '@weft/store';
import { WEBHOOKS, type WebhookDocument } from '@weft/records';
import { webhookShape, type WebhookFields } from '@weft/shapes';
import { actorEntry, changesBetween, type Actor } from '../audit/actor-entry.js';
import { auditedAddress } from '../audit/audited-address.js';

const FIELDS = Object.keys(webhookShape.shape) as (keyof WebhookFields)[];

/** The audit entry of a change: without secrets, and of the URL only the origin. */
export function webhookEntry(
  actor: Actor,
  action: AuditAction,
  before: WebhookDocument | null,
  after: WebhookDocument | null,
): AuditEntryInput {
  const subject = { collection: WEBHOOKS, resource_type: 'webhook', resource_id: (after ?? before)?._id ?? '' };
  const shown = (webhook: WebhookDocument | null) => webhook && { ...webhook, url: auditedAddress(webhook.url) };
  const changes = changesBetween(shown(before), shown(after), FIELDS);
  return actorEntry(actor, action, subject, changes);
}
