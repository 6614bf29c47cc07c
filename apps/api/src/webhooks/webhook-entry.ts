import { WEBHOOKS, type AuditAction, type AuditEntryInput, type WebhookDocument } from '@weft/persistence';
import { actorEntry, changesBetween, type Actor } from '../audit/actor-entry.js';
import { maskedUrl } from './webhook.view.js';

const FIELDS = [
  'name',
  'url',
  'events',
  'flow_ids',
  'labels',
  'signing',
  'schedule',
  'rate_per_second',
  'max_in_flight',
  'ordered',
  'include_out',
  'notify',
  'enabled',
] as const satisfies readonly (keyof WebhookDocument)[];

/** The audit entry of a change: without secrets, and without the values of the URL's query. */
export function webhookEntry(
  actor: Actor,
  action: AuditAction,
  before: WebhookDocument | null,
  after: WebhookDocument | null,
): AuditEntryInput {
  const subject = { collection: WEBHOOKS, resource_type: 'webhook', resource_id: (after ?? before)?._id ?? '' };
  const changes = changesBetween(before, after, FIELDS);
  if (changes.url) {
    const mask = (url: unknown) => (typeof url === 'string' ? maskedUrl(url) : null);
    changes.url = { before: mask(changes.url.before), after: mask(changes.url.after) };
  }
  return actorEntry(actor, action, subject, changes);
}
