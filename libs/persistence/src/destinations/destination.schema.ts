import type { RateLimit } from '@weft/contracts';
import { Schema } from 'mongoose';

export const DESTINATIONS = 'destinations';

export const DESTINATION_STATES = ['up', 'down', 'paused', 'recovering'] as const;
export type DestinationState = (typeof DESTINATION_STATES)[number];

/** A `host:port` that flows of a company call, as far as it is not just up: who limited it, and how an outage goes on. */
export interface DestinationDocument {
  /** `<company id> <host:port>` */
  readonly _id: string;
  readonly company_id: string;
  /** `host:port`. */
  readonly address: string;
  readonly state: DestinationState;
  /** Of the state. */
  readonly since: Date;
  readonly rate_limit: RateLimit | null;
  /** Counts changes by users: each is made of exactly what was read. */
  readonly rev: number;
}

export const destinationSchema = new Schema<DestinationDocument>(
  {
    _id: { type: String, required: true },
    company_id: { type: String, required: true },
    address: { type: String, required: true },
    state: { type: String, required: true, enum: DESTINATION_STATES },
    since: { type: Date, required: true },
    rate_limit: { type: Schema.Types.Mixed, default: null },
    rev: { type: Number, required: true },
  },
  { collection: DESTINATIONS, versionKey: false },
);

// The list of a company; all of several companies, which workers read.
destinationSchema.index({ company_id: 1, _id: -1 });
