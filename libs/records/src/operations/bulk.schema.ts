import { Schema } from 'mongoose';

export const BULKS = 'bulks';

export const BULK_STATES = ['running', 'done', 'aborted'] as const;
export type BulkState = (typeof BULK_STATES)[number];

/** How many items were looked at, by what became of them. */
export interface BulkTally {
  readonly changed: number;
  readonly skipped: number;
  readonly failed: number;
}

/** Many items that are changed in the background, batch by batch, by one process at a time. */
export interface BulkDocument extends BulkTally {
  readonly _id: string;
  readonly company_id: string;
  /** Which strategy changes the items: docs/glossary.md, "bulk operation". */
  readonly kind: string;
  readonly action: string;
  readonly state: BulkState;
  /** Counted at the start. */
  readonly matched: number;
  /** Which items are meant; fixed at the start, read by the strategy. */
  readonly target: Readonly<Record<string, unknown>>;
  readonly ratePerSecond: number | null;
  /** Whose rights decide, as they are at each batch. */
  readonly requestedBy: BulkRequester;
  /** The last item that was looked at. */
  readonly after: string | null;
  readonly createdAt: Date;
  readonly completedAt: Date | null;
  /** When a process may do the next batch; while one does it, when another may take over. Of running ones only. */
  readonly turnAt?: Date;
  /** Grows with each batch: a process that comes back late cannot write any more. */
  readonly term: number;
  /** Batches in a row that failed as a whole. */
  readonly faults: number;
}

export interface BulkRequester {
  readonly userId: string;
  readonly address: string;
  readonly requestId: string;
}

/** Finished operations are deleted after this time. */
const KEPT_SECONDS = 30 * 24 * 3_600;

export const bulkSchema = new Schema<BulkDocument>(
  {
    _id: { type: String, required: true },
    company_id: { type: String, required: true },
    kind: { type: String, required: true },
    action: { type: String, required: true },
    state: { type: String, required: true, enum: BULK_STATES },
    matched: { type: Number, required: true },
    changed: { type: Number, required: true },
    skipped: { type: Number, required: true },
    failed: { type: Number, required: true },
    target: { type: Schema.Types.Mixed, required: true },
    ratePerSecond: { type: Number, default: null },
    requestedBy: { type: Schema.Types.Mixed, required: true },
    after: { type: String, default: null },
    createdAt: { type: Date, required: true },
    completedAt: { type: Date, default: null },
    turnAt: { type: Date },
    term: { type: Number, required: true },
    faults: { type: Number, required: true },
  },
  { collection: BULKS, minimize: false, versionKey: false },
);

// the list of a company, newest first
bulkSchema.index({ company_id: 1, _id: -1 });
// what has a batch to do, the one that has waited longest first; running ones only
bulkSchema.index({ turnAt: 1 }, { partialFilterExpression: { turnAt: { $exists: true } } });
bulkSchema.index({ completedAt: 1 }, { expireAfterSeconds: KEPT_SECONDS });
