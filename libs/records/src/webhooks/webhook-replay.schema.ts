import { Schema } from 'mongoose';

export const WEBHOOK_REPLAYS = 'webhook_replays';

export const REPLAY_STATES = ['running', 'done', 'aborted'] as const;
export type ReplayState = (typeof REPLAY_STATES)[number];

/** Deliveries of a time that are sent again in the background. */
export interface ReplayDocument {
  readonly _id: string;
  readonly company_id: string;
  readonly webhook_id: string;
  readonly since: Date;
  readonly until: Date;
  readonly only: 'failed' | 'all';
  readonly state: ReplayState;
  readonly matched: number;
  readonly changed: number;
  readonly skipped: number;
  readonly failed: number;
  /** Where it goes on: opaque to all but its runner. */
  readonly position: string;
  readonly createdAt: Date;
  readonly completedAt: Date | null;
}

export const replaySchema = new Schema<ReplayDocument>(
  {
    _id: { type: String, required: true },
    company_id: { type: String, required: true },
    webhook_id: { type: String, required: true },
    since: { type: Date, required: true },
    until: { type: Date, required: true },
    only: { type: String, required: true },
    state: { type: String, required: true },
    matched: { type: Number, required: true },
    changed: { type: Number, required: true },
    skipped: { type: Number, required: true },
    failed: { type: Number, required: true },
    position: { type: String, default: '' },
    createdAt: { type: Date, required: true },
    completedAt: { type: Date, default: null },
  },
  { collection: WEBHOOK_REPLAYS, versionKey: false },
);

// the list of an endpoint, newest first
replaySchema.index({ company_id: 1, webhook_id: 1, _id: -1 });
// what is to be done
replaySchema.index({ company_id: 1, _id: 1 }, { name: 'running', partialFilterExpression: { state: 'running' } });
