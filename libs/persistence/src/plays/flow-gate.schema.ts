import { Schema } from 'mongoose';

export const FLOW_GATES = 'flow_gates';

/** The plays that a flow with a concurrency limit has admitted. The document does not exist before the first admission. */
export interface FlowGateDocument {
  /** The flow's id. */
  readonly _id: string;
  readonly company_id: string;
  /** Incremented by every change: a writer names the revision that it read. */
  readonly rev: number;
  /** Ids of the admitted plays: from just before the write of their admission until they have ended. */
  readonly holders: readonly string[];
}

export const flowGateSchema = new Schema<FlowGateDocument>(
  {
    _id: { type: String, required: true },
    company_id: { type: String, required: true },
    rev: { type: Number, required: true },
    holders: { type: [String], required: true },
  },
  { collection: FLOW_GATES, versionKey: false },
);
