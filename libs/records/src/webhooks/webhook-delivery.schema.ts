import { Schema } from 'mongoose';

export const WEBHOOK_DELIVERIES = 'webhook_deliveries';

export const DELIVERY_STATES = ['pending', 'delivered', 'failed', 'aborted'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** The newest ones of a delivery are kept. */
export const MAX_ATTEMPTS_KEPT = 20;

/** One call of the receiver. */
export interface DeliveryAttempt {
  readonly at: Date;
  /** Null: there was no answer. */
  readonly status: number | null;
  readonly duration_ms: number;
  readonly error: string | null;
  /** The first 2 KB of the answer's body. */
  readonly answer: string | null;
}

/** One event for one endpoint. */
export interface DeliveryDocument {
  /** `webhook-id`: of the endpoint and the event, so that an event is stored once however often it is found. */
  readonly _id: string;
  readonly company_id: string;
  readonly webhook_id: string;
  readonly event: string;
  readonly playId: string | null;
  readonly seq: number | null;
  /** When it happened. */
  readonly at: Date;
  /** Sorts the events of a company: place in the change log. */
  readonly order: string;
  /** The bytes that are signed and sent, as text. */
  readonly body: string;
  readonly state: DeliveryState;
  readonly attempts: readonly DeliveryAttempt[];
  /** Attempts since it was made or replayed: its place in the schedule. */
  readonly tries: number;
  /** Pending deliveries only. */
  readonly next_attempt: Date | null;
  /**
   * When the schedule has the next attempt, if that was or is to be made earlier: while this is after `next_attempt`, the attempt
   * does not count in the schedule. Left out: it was not made earlier since the last attempt that counts.
   */
  readonly planned_attempt?: Date;
  /** When it is deleted; set when it is not pending any more. */
  readonly expires_at: Date | null;
}

export const deliverySchema = new Schema<DeliveryDocument>(
  {
    _id: { type: String, required: true },
    company_id: { type: String, required: true },
    webhook_id: { type: String, required: true },
    event: { type: String, required: true },
    playId: { type: String, default: null },
    seq: { type: Number, default: null },
    at: { type: Date, required: true },
    order: { type: String, required: true },
    body: { type: String, required: true },
    state: { type: String, required: true },
    attempts: { type: [Schema.Types.Mixed], required: true } as never,
    tries: { type: Number, required: true },
    next_attempt: { type: Date, default: null },
    planned_attempt: { type: Date, default: undefined } as never,
    expires_at: { type: Date, default: null },
  },
  { collection: WEBHOOK_DELIVERIES, versionKey: false },
);

const IS_PENDING = { partialFilterExpression: { state: 'pending' } };
// what an endpoint gets next; for an ordered one in the order of the events
deliverySchema.index({ webhook_id: 1, next_attempt: 1 }, { name: 'due', ...IS_PENDING });
deliverySchema.index({ webhook_id: 1, order: 1 }, { name: 'in_order', ...IS_PENDING });
// the list of an endpoint, newest first, and by state; deleting an endpoint's
deliverySchema.index({ company_id: 1, webhook_id: 1, _id: -1 });
deliverySchema.index({ company_id: 1, webhook_id: 1, state: 1, _id: -1 });
// replays of what failed in a time
deliverySchema.index(
  { company_id: 1, webhook_id: 1, at: 1, _id: 1 },
  { name: 'given_up', partialFilterExpression: { state: { $in: ['failed', 'aborted'] } } },
);
// what is deleted
deliverySchema.index({ expires_at: 1 }, { partialFilterExpression: { expires_at: { $type: 'date' } } });
