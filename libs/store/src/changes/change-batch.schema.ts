import { Schema } from 'mongoose';

export const CHANGE_BATCHES = 'change_batches';

/** The new log entries of one play, by their numbers: after `from`, up to `to`. */
export interface PlayChangeRange {
  readonly playId: string;
  readonly flowId: string;
  readonly from: number;
  readonly to: number;
}

/** One numbered step of a company's change log: ADR 66. Never changed; deleted when all of its plays are. */
export interface ChangeBatchDocument {
  /** Company and number: who inserts a number first has it. */
  readonly _id: string;
  readonly company_id: string;
  readonly n: number;
  readonly at: Date;
  readonly plays: readonly PlayChangeRange[];
}

export const changeBatchSchema = new Schema<ChangeBatchDocument>(
  {
    _id: { type: String, required: true },
    company_id: { type: String, required: true },
    n: { type: Number, required: true },
    at: { type: Date, required: true },
    plays: { type: [Schema.Types.Mixed], required: true } as never,
  },
  { collection: CHANGE_BATCHES, versionKey: false },
);

// what a reader reads next; the newest number
changeBatchSchema.index({ company_id: 1, n: 1 });
// where the log of a time begins
changeBatchSchema.index({ company_id: 1, at: 1 });
// how much of a play is in the log
changeBatchSchema.index({ company_id: 1, 'plays.playId': 1 });
