import { Schema } from 'mongoose';

export const WEBHOOK_OUTBOXES = 'webhook_outboxes';

/** How far the events of a company were made into deliveries. The scheduler with the lease `webhooks:<company>` delivers them. */
export interface OutboxDocument {
  /** The company. */
  readonly _id: string;
  /** Number of the next batch of the change log. */
  readonly next_batch: number;
  /** Entries of the audit log from before this time were looked at. */
  readonly audit_to: Date;
  /** Endpoints that were deleted, and whose deliveries are still to be deleted. Left out: none. */
  readonly removed?: readonly string[];
  /** For endpoints with too many pending deliveries: number of the batch whose events they do not have yet. Left out: none. */
  readonly behind?: Readonly<Record<string, number>>;
  /** Endpoints that were made: what two that are made at once both write. */
  readonly made?: number;
}

export const outboxSchema = new Schema<OutboxDocument>(
  {
    _id: { type: String, required: true },
    next_batch: { type: Number, required: true },
    audit_to: { type: Date, required: true },
    removed: { type: [String], default: undefined } as never,
    behind: { type: Schema.Types.Mixed, default: undefined } as never,
    made: { type: Number, default: undefined } as never,
  },
  { collection: WEBHOOK_OUTBOXES, versionKey: false },
);
