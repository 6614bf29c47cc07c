import { Schema } from 'mongoose';

export const FLOW_GROUPS = 'flow_groups';

/** Flows that are granted and kept together. Which flows are in it: `groupId` of the flows. */
export interface FlowGroupDocument {
  readonly _id: string;
  readonly company_id: string;
  readonly name: string;
  readonly created_by: string;
  readonly created_at: Date;
  /** Rises with each flow that joins: one that joins while the group is deleted meets the deletion here. */
  readonly joins: number;
}

export const flowGroupSchema = new Schema<FlowGroupDocument>(
  {
    _id: { type: String, required: true },
    company_id: { type: String, required: true },
    name: { type: String, required: true },
    created_by: { type: String, required: true },
    created_at: { type: Date, required: true },
    joins: { type: Number, required: true },
  },
  { collection: FLOW_GROUPS, versionKey: false },
);

// The flow groups of a company, newest first.
flowGroupSchema.index({ company_id: 1, _id: -1 });
