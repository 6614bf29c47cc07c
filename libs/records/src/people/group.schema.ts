import { Schema } from 'mongoose';

export const GROUPS = 'groups';

/** People of a company who are granted things together. Who is in it: `CompanyRole.group_ids` of the users. */
export interface GroupDocument {
  readonly _id: string;
  readonly company_id: string;
  readonly name: string;
  readonly created_by: string;
  readonly created_at: Date;
  /** Rises with each change of its members: one who joins while it is deleted meets the deletion here. */
  readonly changes: number;
}

export const groupSchema = new Schema<GroupDocument>(
  {
    _id: { type: String, required: true },
    company_id: { type: String, required: true },
    name: { type: String, required: true },
    created_by: { type: String, required: true },
    created_at: { type: Date, required: true },
    changes: { type: Number, required: true },
  },
  { collection: GROUPS, versionKey: false },
);

// The groups of a company, newest first.
groupSchema.index({ company_id: 1, _id: -1 });
