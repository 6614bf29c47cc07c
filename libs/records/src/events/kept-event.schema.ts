import { Schema } from 'mongoose';

export const KEPT_EVENTS = 'kept_events';

/** An event that is kept for a play that begins to wait for it. */
export interface KeptEventDocument {
  /** Its own id, or one that follows from the sender's id: then it stays as a mark when a play has taken it. */
  readonly _id: string;
  readonly company_id: string;
  readonly name: string;
  readonly key: string | null;
  /** JSON; left out when a play has taken it. */
  readonly payload?: string;
  readonly bytes: number;
  /** It reaches plays of flows that this user may execute at that moment. */
  readonly sent_by: string;
  readonly received_at: Date;
  /** No play has taken it. */
  readonly open?: true;
  readonly keep_until: Date;
  /** It has an id of its sender. */
  readonly is_repeatable?: true;
  readonly expires_at: Date;
}

export const keptEventSchema = new Schema<KeptEventDocument>(
  {
    _id: { type: String, required: true },
    company_id: { type: String, required: true },
    name: { type: String, required: true },
    key: { type: String, default: null },
    payload: { type: String },
    bytes: { type: Number, required: true },
    sent_by: { type: String, required: true },
    received_at: { type: Date, required: true },
    open: { type: Boolean },
    keep_until: { type: Date, required: true },
    is_repeatable: { type: Boolean },
    expires_at: { type: Date, required: true },
  },
  { collection: KEPT_EVENTS, versionKey: false },
);

const ifOpen = { partialFilterExpression: { open: true } };
// What a play may take that begins to wait, in the order in which it came; how many bytes a company has, without reading the events.
keptEventSchema.index({ company_id: 1, open: 1, name: 1, received_at: 1, _id: 1, key: 1, bytes: 1 }, ifOpen);
// The scheduler: all that are kept still, in order.
keptEventSchema.index({ received_at: 1, _id: 1 }, ifOpen);
// Old ones go by themselves.
keptEventSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0 });
