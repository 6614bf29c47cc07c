import type { RateLimit } from '@weft/shapes';
import { Schema } from 'mongoose';

export const DESTINATIONS = 'destinations';

export const DESTINATION_STATES = ['up', 'down', 'paused', 'recovering'] as const;
export type DestinationState = (typeof DESTINATION_STATES)[number];

/** What one worker saw of the newest calls while the destination was up. */
export interface WorkerEvidence {
  readonly worker: string;
  readonly calls: number;
  readonly failed: number;
  /** Calls in a second, before they began to fail. */
  readonly rate: number;
  readonly at: Date;
}

/** How an outage goes on. */
export interface DestinationHealth {
  /** While it is up and suspect. */
  readonly evidence?: readonly WorkerEvidence[];
  readonly suspectSince?: Date;
  /** The share of the calls that failed, of 1, when it went down. */
  readonly failureShare?: number | null;
  /** Calls in a second before it went down. */
  readonly rate?: number | null;
  /** While it is down: when the next call is let through. */
  readonly nextProbe?: Date | null;
  readonly failedProbes?: number;
  /** While it is recovering: how far its rate has grown. */
  readonly step?: number;
}

/** A `host:port` that flows of a company call, as far as it is not just up: who limited it, and how an outage goes on. */
export interface DestinationDocument extends DestinationHealth {
  /** `<company id> <host:port>` */
  readonly _id: string;
  readonly company_id: string;
  /** `host:port`. */
  readonly address: string;
  readonly state: DestinationState;
  /** Of the state. */
  readonly since: Date;
  readonly rate_limit: RateLimit | null;
  /** Counts changes by users, and of the state: each is made of exactly what was read. */
  readonly rev: number;
  /** When a scheduler looks after it next: asks a waiting play to try, or releases the next ones. */
  readonly lookAt?: Date;
  /** Up to the id of this play, those that wait were released; then the next round begins. */
  readonly releasedTo?: string;
  /** Plays that wait for it although it is up are released until a round that begins after this has ended. */
  readonly sweepUntil?: Date;
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
    evidence: { type: Schema.Types.Mixed },
    suspectSince: { type: Date },
    failureShare: { type: Number },
    rate: { type: Number },
    nextProbe: { type: Date },
    failedProbes: { type: Number },
    step: { type: Number },
    lookAt: { type: Date },
    releasedTo: { type: String },
    sweepUntil: { type: Date },
  },
  { collection: DESTINATIONS, versionKey: false },
);

// The list of a company; all of one company, which workers read after a change.
destinationSchema.index({ company_id: 1, _id: -1 });
// Those that schedulers look after.
destinationSchema.index({ lookAt: 1 }, { partialFilterExpression: { lookAt: { $exists: true } } });
