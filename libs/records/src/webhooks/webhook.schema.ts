import type { WebhookFields } from '@weft/shapes';
import { Schema } from 'mongoose';

export const WEBHOOKS = 'webhooks';

/** A receiver of a company's events: docs/webhooks.md. */
export interface WebhookDocument extends WebhookFields {
  readonly _id: string;
  readonly company_id: string;
  /** Sealed. */
  readonly secret: string;
  /** Sealed; it signs, too, until `previous_until`. */
  readonly previous_secret: string | null;
  readonly previous_until: Date | null;
  /** Why Weft disabled it; null while it is enabled, and when a user disabled it. */
  readonly disabled_reason: string | null;
  /** Number of the first batch of the change log whose events it gets. */
  readonly from_batch: number;
  /** What happened earlier is not for it, wherever the log has it. */
  readonly from_at: Date;
  /** Since when no attempt has succeeded; null: the last one has. */
  readonly failing_since: Date | null;
  /** Failed attempts since then. */
  readonly failures: number;
  readonly created_by: string;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export const webhookSchema = new Schema<WebhookDocument>(
  {
    _id: { type: String, required: true },
    company_id: { type: String, required: true },
    name: { type: String, required: true },
    url: { type: String, required: true },
    events: { type: [String], required: true },
    flow_ids: { type: [String], default: null } as never,
    labels: { type: Schema.Types.Mixed, default: null },
    signing: { type: String, required: true },
    secret: { type: String, required: true },
    previous_secret: { type: String, default: null },
    previous_until: { type: Date, default: null },
    schedule: { type: [Number], default: null } as never,
    rate_per_second: { type: Number, default: null },
    max_in_flight: { type: Number, required: true },
    ordered: { type: Boolean, required: true },
    include_out: { type: Boolean, required: true },
    notify: { type: Schema.Types.Mixed, default: null },
    enabled: { type: Boolean, required: true },
    disabled_reason: { type: String, default: null },
    from_batch: { type: Number, required: true },
    from_at: { type: Date, required: true },
    failing_since: { type: Date, default: null },
    failures: { type: Number, required: true },
    created_by: { type: String, required: true },
    created_at: { type: Date, required: true },
    updated_at: { type: Date, required: true },
  },
  { collection: WEBHOOKS, minimize: false, versionKey: false },
);

// the list of a company, newest first
webhookSchema.index({ company_id: 1, _id: -1 });
