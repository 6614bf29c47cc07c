import { Schema } from 'mongoose';

export const FLOW_GATES = 'flow_gates';

/** Who is in a flow with a concurrency limit now. There is none before the first play was admitted. */
export interface FlowGateDocument {
  /** The flow's id. */
  readonly _id: string;
  readonly company_id: string;
  /** Raised by every change: who changes the gate says which one it saw. */
  readonly rev: number;
  /** Ids of the plays that hold a place: from just before their admission until they have ended. */
  readonly holders: readonly string[];
}

export const flowGateSchema = new Schema(
  {
    _id: { type: String, required: true },
    company_id: { type: String, required: true },
    rev: { type: Number, required: true },
    holders: { type: [String], required: true },
  },
  { collection: FLOW_GATES, versionKey: false },
);
