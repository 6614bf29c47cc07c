import { PLAY_STATES } from '@weft/contracts';
import { WEBHOOK_EVENTS, type WebhookEventType } from '@weft/shapes';
import * as s from '../http/schema.js';

const error = s.orNull(
  s.object<{ code: string; message: string; ref: string | null }>({ code: s.text, message: s.text, ref: s.textOrNull }),
);
const labels = { type: 'object', additionalProperties: s.text };

// without a name: oapi-codegen leaves out schemas that only webhooks refer to
const playData = {
  type: 'object',
  properties: {
    playId: s.text,
    flowId: s.text,
    seq: { ...s.integer, description: 'Number of the frame in the play’s own stream; 0: the play was accepted.' },
    state: s.oneOf(PLAY_STATES),
    startedAt: s.timeOrNull,
    completedAt: s.timeOrNull,
    duration: { ...s.integerOrNull, description: 'Milliseconds.' },
    error,
    labels,
    url: { ...s.text, description: 'Where the play can be read.' },
    out: { description: 'With include_out: the output of the last layer, or a reference to it.' },
  },
  required: ['playId', 'flowId', 'seq', 'state', 'startedAt', 'completedAt', 'duration', 'error', 'labels', 'url'],
};

const otherData: Readonly<Partial<Record<WebhookEventType, s.Schema>>> = {
  'flow.changed': s.object<Record<'flowId' | 'action' | 'userId' | 'url', unknown>>({
    flowId: s.text,
    action: { ...s.text, description: 'What the audit log calls the change.' },
    userId: s.textOrNull,
    url: s.text,
  }),
  'schedule.missed': s.object<Record<'scheduleId' | 'flowId' | 'missed' | 'url', unknown>>({
    scheduleId: s.text,
    flowId: s.text,
    missed: s.object<Record<'count' | 'first' | 'last', unknown>>({ count: s.integer, first: s.time, last: s.time }),
    url: s.text,
  }),
  'webhook.disabled': s.object<Record<'webhookId' | 'reason' | 'url', unknown>>({
    webhookId: s.text,
    reason: s.textOrNull,
    url: s.text,
  }),
};

const SAYS: Readonly<Record<WebhookEventType, string>> = {
  'play.accepted': 'A run was accepted.',
  'play.waiting': 'A play waits for an event, an approval or another play.',
  'play.done': 'A play has ended well.',
  'play.failed': 'A play has failed, or was cancelled.',
  'play.skipped': 'A run was not to happen: its condition was false, or the play before it is still open.',
  'play.filtered': 'A filter of the flow did not let the play pass.',
  'flow.changed': 'A flow or its layers were changed.',
  'schedule.missed': 'Slots of a schedule have passed without a run.',
  'webhook.disabled': 'Weft has disabled another webhook of the company.',
};

const test = s.object<Record<'test' | 'webhookId' | 'url', unknown>>({
  test: { const: true },
  webhookId: s.text,
  url: s.text,
});

const HEADERS = [
  ['webhook-id', 'The same for each attempt and replay of an event.'],
  ['webhook-timestamp', 'When the attempt was made, in seconds.'],
  ['webhook-signature', 'Signatures of id, timestamp and body, with a space between them: Standard Webhooks 1.0.0.'],
].map(([name, description]) => ({ in: 'header', name, required: true, description, schema: s.text }));

/** The events of webhooks for the OpenAPI document: what a receiver is sent. */
export function webhookOperations(): Readonly<Record<string, object>> {
  return Object.fromEntries(WEBHOOK_EVENTS.map((type) => [type, { post: operationOf(type) }]));
}

function operationOf(type: WebhookEventType): object {
  const data = { anyOf: [otherData[type] ?? playData, test] };
  const schema = s.object<Record<'type' | 'timestamp' | 'data', unknown>>({
    type: { const: type },
    timestamp: { ...s.time, description: 'When it happened.' },
    data,
  });
  return {
    operationId: `on_${type.replace('.', '_')}`,
    tags: ['Webhooks'],
    summary: SAYS[type],
    security: [], // the signature in the headers, no credential of Weft
    parameters: HEADERS,
    requestBody: { required: true, content: { 'application/json': { schema } } },
    responses: {
      '2XX': { description: 'The event is taken.' },
      '410': { description: 'No more events, please: the webhook is disabled.' },
      default: { description: 'The event is sent again by the schedule of the webhook.' },
    },
  };
}
