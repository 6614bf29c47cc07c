import type { Labels } from '@weft/contracts';
import type { DeliveryDocument, WebhookDocument } from '@weft/records';
import type { WebhookEventType } from '@weft/shapes';
import { dataOf, eventBody, type EventSource, type PlayEvent } from './play-events.js';
import { delayBefore } from './retry-schedule.js';

/** Whether an endpoint wants this event. */
export function wants(
  { events, flow_ids, labels }: Pick<WebhookDocument, 'events' | 'flow_ids' | 'labels'>,
  event: { readonly type: WebhookEventType; readonly flowId: string | null; readonly labels?: Labels },
): boolean {
  if (!events.includes(event.type)) return false;
  if (flow_ids !== null && event.flowId !== null && !flow_ids.includes(event.flowId)) return false;
  if (labels === null || !event.type.startsWith('play.')) return true;
  return Object.entries(labels).every(([key, value]) => event.labels?.[key] === value);
}

/** Place of an event in the change log: sorts as text. */
export function orderOf(batch: number, play: number, entry: number): string {
  const parts: readonly [number, number][] = [
    [batch, 9],
    [play, 3],
    [entry, 4],
  ];
  return parts.map(([number, width]) => number.toString(36).padStart(width, '0')).join('.');
}

/**
 * Place of an event that the change log does not have: before what comes into the log from now on.
 *
 * @param nextBatch number of the batch that is made into deliveries next
 * @param entryId of the event's audit entry: it begins with its time
 */
export function orderOfOther(nextBatch: number, entryId: string): string {
  return `${orderOf(nextBatch, 0, 0)}~${entryId}`;
}

/** @param base public address of the API */
export function deliveryOfPlay(
  webhook: WebhookDocument,
  play: EventSource,
  event: PlayEvent,
  order: string,
  base: string,
  now: Date,
): DeliveryDocument {
  const data = dataOf(play, event, base, webhook.include_out);
  return {
    ...newDelivery(webhook, `${play._id}_${event.seq}`, event.type, event.at, data, order, now),
    playId: play._id,
    seq: event.seq,
  };
}

/**
 * @param name of the event: with the endpoint it is the `webhook-id`
 * @param order see `orderOf` and `orderOfOther`
 */
export function newDelivery(
  webhook: Pick<WebhookDocument, '_id' | 'company_id' | 'schedule'>,
  name: string,
  event: WebhookEventType,
  at: Date,
  data: object,
  order: string,
  now: Date,
): DeliveryDocument {
  return {
    _id: `${webhook._id}_${name}`,
    company_id: webhook.company_id,
    webhook_id: webhook._id,
    event,
    playId: null,
    seq: null,
    at,
    order,
    body: eventBody(event, at, data),
    state: 'pending',
    attempts: [],
    tries: 0,
    next_attempt: new Date(now.getTime() + (delayBefore(webhook.schedule, 0, null, () => 0) ?? 0)),
    expires_at: null,
  };
}
