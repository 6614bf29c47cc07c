const WEBHOOK_SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 30];

/** Rows of the catalogue: deliveries of webhooks. */
export const WEBHOOK_METRICS = {
  webhook_attempts_total: {
    type: 'counter',
    help: 'Calls of receivers of webhooks: delivered, refused (an answer that is not 2xx) or unanswered',
    labels: ['outcome'],
    values: { outcome: ['delivered', 'refused', 'unanswered'] },
  },
  webhook_attempt_duration_seconds: {
    type: 'histogram',
    help: 'Seconds of a call of a receiver of webhooks',
    labels: [],
    buckets: WEBHOOK_SECONDS,
  },
  webhook_attempts_in_flight: { type: 'gauge', help: 'Receivers of webhooks that are being called', labels: [] },
  webhook_deliveries_ended_total: {
    type: 'counter',
    help: 'Deliveries of webhooks that are not pending any more: delivered, failed or aborted',
    labels: ['state'],
    values: { state: ['delivered', 'failed', 'aborted'] },
  },
  webhook_failing_endpoints: {
    type: 'gauge',
    help: 'Enabled webhooks of which every attempt has failed for ten minutes or more',
    labels: [],
  },
  webhook_endpoints_behind: {
    type: 'gauge',
    help: 'Enabled webhooks whose pending deliveries have reached their bound: their later events are in the change log alone',
    labels: [],
  },
  webhook_oldest_pending_seconds: {
    type: 'gauge',
    help: 'Age of the oldest event that an enabled webhook has not got yet',
    labels: [],
  },
  webhook_disabled_total: {
    type: 'counter',
    help: 'Webhooks that were disabled: dead (failures for five days), gone (410) or asked (webhook-delivery: disable)',
    labels: ['reason'],
    values: { reason: ['dead', 'gone', 'asked'] },
  },
} as const;
