import type { components } from '@weft/client';
import { pairsText, readPairs } from '../values/json-text';

export type Webhook = components['schemas']['Webhook'];
export type WebhookBody = components['schemas']['CreateWebhookBody'];
export type EventType = Webhook['events'][number];

const WORDS: Readonly<Record<EventType, string>> = {
  'play.done': 'a play has ended well',
  'play.failed': 'a play has failed, or was cancelled',
  'play.waiting': 'a play waits for an event, an approval or another play',
  'play.accepted': 'a run was accepted',
  'play.skipped': 'a play was skipped',
  'play.filtered': 'a play was filtered out',
  'flow.changed': 'a flow was changed',
  'schedule.missed': 'slots of a schedule passed without a run',
  'webhook.disabled': 'another webhook was disabled',
};
export const EVENTS = Object.entries(WORDS) as [EventType, string][];

export interface WebhookForm {
  readonly name: string;
  /** Of a stored one the server shows values of its query as `[redacted]`: it is sent only when it was typed. */
  readonly url: string;
  readonly events: readonly EventType[];
  readonly flowIds: readonly string[];
  readonly labels: string;
  readonly signing: 'v1' | 'v1a';
  readonly ratePerSecond: number | '';
  readonly maxInFlight: number;
  readonly isOrdered: boolean;
  readonly hasOut: boolean;
}

export const NEW_WEBHOOK: WebhookForm = {
  name: '',
  url: '',
  events: ['play.done', 'play.failed'],
  flowIds: [],
  labels: '',
  signing: 'v1',
  ratePerSecond: '',
  maxInFlight: 10,
  isOrdered: false,
  hasOut: false,
};

export function formOf(webhook: Webhook): WebhookForm {
  return {
    name: webhook.name,
    url: webhook.url,
    events: webhook.events,
    flowIds: webhook.flow_ids ?? [],
    labels: pairsText(webhook.labels ?? {}),
    signing: webhook.signing,
    ratePerSecond: webhook.rate_per_second ?? '',
    maxInFlight: webhook.max_in_flight,
    isOrdered: webhook.ordered,
    hasOut: webhook.include_out,
  };
}

/** Null while a field has a fault. */
export function bodyOf(form: WebhookForm): Omit<WebhookBody, 'signing'> | null {
  const labels = readPairs(form.labels);
  if ('fault' in labels || form.name.trim() === '' || form.url.trim() === '' || form.events.length === 0) return null;
  return {
    name: form.name.trim(),
    url: form.url.trim(),
    events: EVENTS.map(([event]) => event).filter((event) => form.events.includes(event)),
    flow_ids: form.flowIds.length === 0 ? null : [...form.flowIds],
    labels: Object.keys(labels.value).length === 0 ? null : labels.value,
    rate_per_second: form.ratePerSecond === '' ? null : form.ratePerSecond,
    max_in_flight: form.maxInFlight,
    ordered: form.isOrdered,
    include_out: form.hasOut,
  };
}

/** What a change sends: the address only when somebody typed another one, because the stored one is not shown whole. */
export function patchOf(before: WebhookForm, now: WebhookForm): Partial<WebhookBody> | null {
  const body = bodyOf(now);
  if (body === null) return null;
  const { url, ...rest } = body;
  return before.url === now.url ? rest : { ...rest, url };
}
