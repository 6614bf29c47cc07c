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
import { SIGNINGS, WEBHOOK_EVENTS } from '@weft/webhooks';
import * as s from '../http/schema.js';

const HIDDEN = '[redacted]';

export interface WebhookView {
  readonly id: string;
  readonly company_id: string;
  readonly name: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly flow_ids: readonly string[] | null;
  readonly labels: Readonly<Record<string, string>> | null;
  readonly signing: string;
  readonly schedule: readonly number[] | null;
  readonly rate_per_second: number | null;
  readonly max_in_flight: number;
  readonly ordered: boolean;
  readonly include_out: boolean;
  readonly notify: { readonly integrationId: string; readonly to: string } | null;
  readonly enabled: boolean;
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
    name: webhook.name,
    url: maskedUrl(webhook.url),
    events: webhook.events,
    flow_ids: webhook.flow_ids,
    labels: webhook.labels,
    signing: webhook.signing,
    schedule: webhook.schedule,
    rate_per_second: webhook.rate_per_second,
    max_in_flight: webhook.max_in_flight,
    ordered: webhook.ordered,
    include_out: webhook.include_out,
    notify: webhook.notify,
    enabled: webhook.enabled,
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
  name: s.text,
  url: { ...s.text, description: 'Values of its query as `[redacted]`.' },
  events: s.listOf(s.oneOf(WEBHOOK_EVENTS)),
  flow_ids: s.orNull(s.listOf(s.text)),
  labels: s.orNull(s.freeObject),
  signing: s.oneOf(SIGNINGS),
  schedule: s.orNull(s.listOf(s.integer)),
  rate_per_second: s.integerOrNull,
  max_in_flight: s.integer,
  ordered: s.flag,
  include_out: s.flag,
  notify: s.orNull(s.object<{ integrationId: string; to: string }>({ integrationId: s.text, to: s.text })),
  enabled: s.flag,
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
