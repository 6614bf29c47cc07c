import { Schema } from 'mongoose';

export const TRIGGER_DELIVERIES = 'trigger_deliveries';
export const TRIGGER_BODIES = 'trigger_bodies';

export const DELIVERY_OUTCOMES = ['accepted', 'duplicate', 'skipped', 'refused'] as const;
/** `duplicate`: a play of an earlier delivery holds its id. `skipped`: the trigger's condition is false, or it is a ping. */
export type DeliveryOutcome = (typeof DELIVERY_OUTCOMES)[number];

type Texts = Readonly<Record<string, string | readonly string[]>>;

/** What arrived at a trigger and was verified, and what became of it. */
export interface TriggerDeliveryDocument {
  readonly _id: string;
  readonly company_id: string;
  readonly flow_id: string;
  readonly trigger_id: string;
  /** The sender's id of it, or its own id. */
  readonly dedupe_id: string;
  readonly received_at: Date;
  readonly outcome: DeliveryOutcome;
  /** Why it was refused, or why it was skipped if not by the condition; null otherwise. */
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly play_id: string | null;
  /** Left out: POST. */
  readonly method?: string;
  readonly content_type: string | null;
  readonly bytes: number;
  /** As expressions see them: without credentials. */
  readonly headers: Texts;
  readonly query: Texts;
  /** The delivery that this one repeats. */
  readonly replay_of: string | null;
  readonly expires_at: Date;
}

/** The body of a delivery, kept for replays only, for a shorter time. */
export interface TriggerBodyDocument {
  /** Of the delivery. */
  readonly _id: string;
  readonly company_id: string;
  readonly flow_id: string;
  readonly trigger_id: string;
  readonly body: Buffer;
  readonly bytes: number;
  readonly expires_at: Date;
}

const of = {
  _id: { type: String, required: true },
  company_id: { type: String, required: true },
  flow_id: { type: String, required: true },
  trigger_id: { type: String, required: true },
  bytes: { type: Number, required: true },
  expires_at: { type: Date, required: true },
} as const;

export const triggerDeliverySchema = new Schema<TriggerDeliveryDocument>(
  {
    ...of,
    dedupe_id: { type: String, required: true },
    received_at: { type: Date, required: true },
    outcome: { type: String, required: true, enum: DELIVERY_OUTCOMES },
    error: { type: Schema.Types.Mixed, default: null },
    play_id: { type: String, default: null },
    method: { type: String },
    content_type: { type: String, default: null },
    headers: { type: Schema.Types.Mixed, required: true },
    query: { type: Schema.Types.Mixed, required: true },
    replay_of: { type: String, default: null },
  },
  { collection: TRIGGER_DELIVERIES, minimize: false, versionKey: false },
);

// The deliveries of one trigger, newest first; the oldest that are trimmed.
triggerDeliverySchema.index({ company_id: 1, trigger_id: 1, _id: -1 });
// Erasing them with their flow.
triggerDeliverySchema.index({ company_id: 1, flow_id: 1 });
// Old ones go by themselves.
triggerDeliverySchema.index({ expires_at: 1 }, { expireAfterSeconds: 0 });

export const triggerBodySchema = new Schema<TriggerBodyDocument>(
  { ...of, body: { type: Buffer, required: true } },
  { collection: TRIGGER_BODIES, minimize: false, versionKey: false },
);

// The bodies of one trigger with their sizes, newest first: trimming reads no body.
triggerBodySchema.index({ company_id: 1, trigger_id: 1, _id: -1, bytes: 1 });
// Erasing them with their flow.
triggerBodySchema.index({ company_id: 1, flow_id: 1 });
// Old ones go by themselves, before their deliveries.
triggerBodySchema.index({ expires_at: 1 }, { expireAfterSeconds: 0 });
