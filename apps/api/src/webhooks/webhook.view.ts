import {
  DELIVERY_STATES,
  REPLAY_STATES,
  type DeliveryAttempt,
  type DeliveryDocument,
  type DeliveryState,
  type ReplayDocument,
  type ReplayState,
  type WebhookDocument,
} from '@weft/records';
import { fieldsIn, WEBHOOK_EVENTS, webhookShape, type WebhookFields } from '@weft/shapes';
import * as s from '../http/schema.js';

const HIDDEN = '[redacted]';

export interface WebhookView extends WebhookFields {
  readonly id: string;
  readonly company_id: string;
  readonly disabled_reason: string | null;
  readonly failing_since: string | null;
  readonly created_by: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/** What the receiver needs to verify signatures: shown once. */
export interface ShownSecret {
  readonly secret?: string;
  readonly public_key?: string;
}

export function toWebhookView(webhook: WebhookDocument): WebhookView {
  return {
    id: webhook._id,
    company_id: webhook.company_id,
    ...fieldsIn(webhookShape, webhook),
    url: maskedUrl(webhook.url),
    disabled_reason: webhook.disabled_reason,
    failing_since: webhook.failing_since?.toISOString() ?? null,
    created_by: webhook.created_by,
    created_at: webhook.created_at.toISOString(),
    updated_at: webhook.updated_at.toISOString(),
  };
}

/** The values of a query are often credentials. */
function maskedUrl(text: string): string {
  const at = text.indexOf('?');
  if (at < 0) return text;
  const query = text
    .slice(at + 1)
    .replace(/(^|&)([^=&]*)=?[^&]*/g, (_all, start: string, key: string) =>
      key === '' ? start : `${start}${key}=${HIDDEN}`,
    );
  return `${text.slice(0, at)}?${query}`;
}

const webhookFields = {
  id: s.text,
  company_id: s.text,
  ...s.fieldsOf(webhookShape),
  url: { ...s.text, description: 'Values of its query as `[redacted]`.' },
  disabled_reason: { ...s.textOrNull, description: 'Why Weft disabled it.' },
  failing_since: { ...s.timeOrNull, description: 'Since when every attempt has failed.' },
  created_by: s.text,
  created_at: s.time,
  updated_at: s.time,
};
const secretFields = {
  secret: { ...s.text, description: 'With v1: what signatures are verified with. Shown this once.' },
  public_key: { ...s.text, description: 'With v1a: what signatures are verified with.' },
};

export const webhookSchema = s.named('Webhook', s.object<WebhookView>(webhookFields));
export const webhookPageSchema = s.pageOf('Webhook', webhookSchema);
export const newWebhookSchema = s.named(
  'NewWebhook',
  s.object<WebhookView & Required<ShownSecret>>({ ...webhookFields, ...secretFields }, ['secret', 'public_key']),
);
export const shownSecretSchema = s.named(
  'WebhookSecret',
  s.object<Required<ShownSecret>>(secretFields, ['secret', 'public_key']),
);

export interface DeliveryView {
  readonly id: string;
  readonly event: string;
  readonly webhook_id: string;
  readonly playId: string | null;
  readonly seq: number | null;
  readonly state: DeliveryState;
  readonly at: string;
  readonly attempts: readonly (Omit<DeliveryAttempt, 'at'> & { readonly at: string })[];
  readonly next_attempt: string | null;
}

export function toDeliveryView(delivery: Omit<DeliveryDocument, 'body'>): DeliveryView {
  return {
    id: delivery._id,
    event: delivery.event,
    webhook_id: delivery.webhook_id,
    playId: delivery.playId,
    seq: delivery.seq,
    state: delivery.state,
    at: delivery.at.toISOString(),
    attempts: delivery.attempts.map((attempt) => ({ ...attempt, at: attempt.at.toISOString() })),
    next_attempt: delivery.next_attempt?.toISOString() ?? null,
  };
}

export const deliverySchema = s.named(
  'WebhookDelivery',
  s.object<DeliveryView>({
    id: { ...s.text, description: 'The header `webhook-id`.' },
    event: s.oneOf(WEBHOOK_EVENTS),
    webhook_id: s.text,
    playId: s.textOrNull,
    seq: { ...s.integerOrNull, description: 'Number of the frame in the play’s own stream; 0: it was accepted.' },
    state: s.oneOf(DELIVERY_STATES),
    at: { ...s.time, description: 'When it happened.' },
    attempts: s.listOf(
      s.object<DeliveryAttempt>({
        at: s.time,
        status: s.integerOrNull,
        duration_ms: s.integer,
        error: s.textOrNull,
        answer: { ...s.textOrNull, description: 'The first 2 KB of the answer.' },
      }),
    ),
    next_attempt: s.timeOrNull,
  }),
);
export const deliveryPageSchema = s.pageOf('WebhookDelivery', deliverySchema);

export interface ReplayView {
  readonly id: string;
  readonly action: 'replay';
  readonly state: ReplayState;
  readonly webhook_id: string;
  readonly since: string;
  readonly until: string;
  readonly only: 'failed' | 'all';
  readonly matched: number;
  readonly changed: number;
  readonly skipped: number;
  readonly failed: number;
  readonly createdAt: string;
  readonly completedAt: string | null;
}

export function toReplayView(replay: ReplayDocument): ReplayView {
  const { _id: id, state, webhook_id, only, matched, changed, skipped, failed } = replay;
  return {
    ...{ id, action: 'replay', state, webhook_id, only },
    since: replay.since.toISOString(),
    until: replay.until.toISOString(),
    ...{ matched, changed, skipped, failed },
    createdAt: replay.createdAt.toISOString(),
    completedAt: replay.completedAt?.toISOString() ?? null,
  };
}

export const replaySchema = s.named(
  'WebhookReplay',
  s.object<ReplayView>({
    id: s.text,
    action: s.oneOf(['replay']),
    state: s.oneOf(REPLAY_STATES),
    webhook_id: s.text,
    since: s.time,
    until: s.time,
    only: s.oneOf(['failed', 'all']),
    matched: { ...s.integer, description: 'Events that were found so far.' },
    changed: { ...s.integer, description: 'Of them, those that are sent again.' },
    skipped: s.integer,
    failed: s.integer,
    createdAt: s.time,
    completedAt: s.timeOrNull,
  }),
);
export const replayPageSchema = s.pageOf('WebhookReplay', replaySchema);
