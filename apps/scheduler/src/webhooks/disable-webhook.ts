import type { EgressDialer } from '@weft/egress';
import type { IntegrationTokens } from '@weft/identity';
import { sendNotice } from '@weft/layers';
import { TenantScope, type Mongo } from '@weft/store';
import { WEBHOOKS, type WebhookDocument, type WebhookRepository } from '@weft/records';

export type DisableReason = 'dead' | 'gone' | 'asked';

const SAYS: Readonly<Record<DisableReason, string>> = {
  dead: 'every attempt of the last five days has failed',
  gone: 'its receiver answered 410 Gone',
  asked: 'its receiver asked for it with the header webhook-delivery: disable',
};
const MAIL_ATTEMPTS = 3;
const MAIL_PAUSE_MS = 20_000;

export interface DisableDependencies {
  readonly mongo: Mongo;
  readonly webhooks: WebhookRepository;
  readonly integrations: IntegrationTokens;
  readonly sockets: EgressDialer;
  readonly base: string;
  readonly onMailFault: (webhookId: string, error: unknown) => void;
}

/**
 * Disables an endpoint with its audit entry, from which the event `webhook.disabled` follows, and mails whom it names. Its
 * deliveries stay.
 *
 * @returns false when somebody else has disabled or deleted it
 */
export async function disableWebhook(
  webhook: WebhookDocument,
  reason: DisableReason,
  deps: DisableDependencies,
): Promise<boolean> {
  const { _id: id, company_id } = webhook;
  const now = new Date(deps.mongo.serverNow());
  const disabled = await deps.webhooks.update(
    new TenantScope(company_id),
    id,
    { enabled: false, disabled_reason: SAYS[reason], updated_at: now },
    {
      action_type: 'webhook_disabled',
      collection: WEBHOOKS,
      company_id,
      resource_type: 'webhook',
      resource_id: id,
      reason: SAYS[reason],
      changes: { enabled: { before: true, after: false } },
    },
    { enabled: true },
  );
  if (disabled && webhook.notify) void mail(webhook, SAYS[reason], `${id}.${now.getTime()}`, deps);
  return disabled;
}

async function mail(
  { _id, company_id, name, notify }: WebhookDocument,
  why: string,
  id: string,
  { integrations, sockets, base, onMailFault }: DisableDependencies,
): Promise<void> {
  if (!notify) return;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const link = await integrations.find(company_id, notify.integrationId);
      if (!link) throw new Error('the integration link that it names does not exist');
      await sendNotice(sockets, link, {
        to: notify.to,
        subject: `Weft has disabled the webhook "${oneLine(name)}"`,
        text:
          `The webhook "${oneLine(name)}" was disabled because ${why}.\n\n` +
          'Its deliveries are kept. Repair the receiver, enable the webhook, and replay what it has missed:\n' +
          `${base}/api/v1/webhooks/${_id}\n`,
        id,
      });
      return;
    } catch (error) {
      if (attempt === MAIL_ATTEMPTS) return onMailFault(_id, error);
      await new Promise((resolve) => setTimeout(resolve, MAIL_PAUSE_MS).unref());
    }
  }
}

function oneLine(text: string): string {
  return text.replace(/\p{Cc}/gu, ' ');
}
