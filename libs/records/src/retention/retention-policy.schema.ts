import { RETENTION_SCOPES, type RetentionScope } from '@weft/retention';
import { Schema } from 'mongoose';

export const RETENTION_POLICIES = 'retention_policies';

/** docs/retention.md: general (`scope`), of one flow (`flow_id`), or of a flow group (`flow_group_id`, scope `flows.group`). */
export interface RetentionPolicyDocument {
  readonly _id: string;
  readonly company_id: string;
  readonly scope: RetentionScope | null;
  readonly flow_id: string | null;
  readonly flow_group_id: string | null;
  /** `2m`, `30d`, `6y` or `0`. */
  readonly cadence: string;
  readonly min_entries: number;
  readonly enforced_minimum: string;
  readonly enabled: boolean;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export const retentionPolicySchema = new Schema<RetentionPolicyDocument>(
  {
    _id: { type: String, required: true },
    company_id: { type: String, required: true },
    scope: { type: String, default: null, enum: [...RETENTION_SCOPES, null] },
    flow_id: { type: String, default: null },
    flow_group_id: { type: String, default: null },
    cadence: { type: String, required: true },
    min_entries: { type: Number, required: true },
    enforced_minimum: { type: String, required: true },
    enabled: { type: Boolean, required: true },
    created_at: { type: Date, required: true },
    updated_at: { type: Date, required: true },
  },
  { collection: RETENTION_POLICIES, minimize: false, versionKey: false },
);

// All policies of a company, newest first.
retentionPolicySchema.index({ company_id: 1, _id: -1 });
