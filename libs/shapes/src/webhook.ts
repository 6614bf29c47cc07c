/** An outgoing webhook as people write it: docs/webhooks.md. */
import { z } from 'zod';
import { seenName } from './bounds.js';
import { MAX_LABEL_VALUE, MAX_LABELS } from './labels.js';
import type { Plain } from './plain.js';

/** The event of a play that comes into this state; the other states have no event. */
export const EVENT_OF_STATE = {
  WAIT: 'play.waiting',
  DONE: 'play.done',
  FAIL: 'play.failed',
  SKIP: 'play.skipped',
  FILTERED: 'play.filtered',
} as const;
export const PLAY_EVENTS = ['play.accepted', ...Object.values(EVENT_OF_STATE)] as const;
export const OTHER_EVENTS = ['flow.changed', 'schedule.missed', 'webhook.disabled'] as const;
export const WEBHOOK_EVENTS = [...PLAY_EVENTS, ...OTHER_EVENTS] as const;

const MAX_ATTEMPTS = 20;
export const MAX_DELAY_SECONDS = 86_400;
const ADDRESS = /^[!-~]{1,64}@[\w.-]{1,253}$/;
/** Without user name, password and fragment: the first two would be shown, the last is never sent. */
const URL_SHAPE = /^https?:\/\/[^\s@#/?\\\x00-\x1f\x7f]+(?:[/?][^\s#\\\x00-\x1f\x7f]*)?$/i;

const notify = z.strictObject({
  integrationId: z
    .string()
    .min(1)
    .max(64)
    .meta({ description: 'Id of an integration link to a mail server.', examples: ['06dqx3v8k2m7w0r5t9ya'] }),
  to: z
    .string()
    .min(3)
    .max(320)
    .regex(ADDRESS, 'must be one e-mail address')
    .meta({ description: 'Who gets a mail when Weft disables the webhook.', examples: ['on-call@example.com'] }),
});

export const webhookShape = z.strictObject({
  name: seenName.meta({ description: 'What people call it.', examples: ['Orders to the warehouse'] }),
  url: z
    .string()
    .min(8)
    .max(2_000)
    .regex(URL_SHAPE, 'must be an http or https address without user name and fragment')
    .meta({
      description: 'Where events are posted to. Values of its query are not shown again.',
      examples: ['https://hooks.example.com/weft'],
    }),
  events: z
    .array(z.enum(WEBHOOK_EVENTS))
    .min(1)
    .max(WEBHOOK_EVENTS.length)
    .meta({ description: 'The types of events that it gets.', examples: [['play.done', 'play.failed']] }),
  flow_ids: z.array(z.string()).max(100).nullable().default(null).describe('Events of these flows only; null: of all.'),
  labels: z
    .record(z.string(), z.string().max(MAX_LABEL_VALUE))
    .meta({ maxProperties: MAX_LABELS })
    .nullable()
    .default(null)
    .describe('Events of plays with all of these labels only; null: of all.'),
  signing: z
    .enum(['v1', 'v1a'])
    .default('v1')
    .describe(
      'v1: HMAC-SHA256 under a shared secret; v1a: Ed25519, of which the receiver has the public key. Default: v1.',
    ),
  schedule: z
    .array(z.int().min(0).max(MAX_DELAY_SECONDS))
    .min(1)
    .max(MAX_ATTEMPTS)
    .nullable()
    .default(null)
    .describe('Seconds before each attempt; null: 0, 5 s, 5 and 30 min, 2, 5, 10, 14, 20 and 24 h.'),
  rate_per_second: z
    .int()
    .min(1)
    .max(1_000)
    .nullable()
    .default(null)
    .describe('At most this many attempts a second; null: as fast as the receiver answers.'),
  max_in_flight: z.int().min(1).max(100).default(10).describe('At most this many attempts at once. Default: 10.'),
  ordered: z
    .boolean()
    .default(false)
    .describe('True: one event after the other, in the order of the change feed; one that fails holds up the others.'),
  include_out: z
    .boolean()
    .default(false)
    .describe('True: events of ends have the output of the last layer, up to 16 KB.'),
  notify: notify.nullable().default(null).describe('Whom a mail tells that it was disabled.'),
  enabled: z.boolean().default(true).describe('False: it gets nothing. Default: true.'),
});

/** What users say of a webhook. */
export type WebhookFields = Plain<z.output<typeof webhookShape>>;
export type WebhookEventType = WebhookFields['events'][number];
