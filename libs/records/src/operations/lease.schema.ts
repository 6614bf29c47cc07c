import { Schema } from 'mongoose';

export const LEASES = 'leases';

/** What only one process may do at a time, and which one does it. A handful of records, and one for each company with webhooks and each trigger that reads; found by `_id`. */
export interface LeaseDocument {
  /** What it is for: `job:retention`, `webhooks:<company>`. */
  readonly _id: string;
  readonly holder: string;
  /** By MongoDB's clock. */
  readonly until: Date;
}

export const leaseSchema = new Schema<LeaseDocument>(
  {
    _id: { type: String, required: true },
    holder: { type: String, required: true },
    until: { type: Date, required: true },
  },
  { collection: LEASES, versionKey: false },
);
