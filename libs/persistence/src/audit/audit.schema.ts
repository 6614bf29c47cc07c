import { Schema } from 'mongoose';
import type { AuditAction } from './audit-actions.js';

export const AUDIT_LOGS = 'audit_logs';

/** Before and after of one field; absent is null. */
export interface AuditChange {
  readonly before: unknown;
  readonly after: unknown;
}

/** One entry as it is stored: the names of contract §7, `id` as `_id`. Never changed, except by redaction. */
export interface AuditDocument {
  readonly _id: string;
  readonly action_type: AuditAction;
  /** The collection that the action changed. */
  readonly collection: string;
  readonly company_id: string | null;
  readonly entries_deleted: number | null;
  readonly duration_ms: number | null;
  readonly timestamp: Date;
  readonly UserID: string | null;
  readonly UserEmail: string | null;
  readonly UserIPAddress: string | null;
  readonly resource_type: string | null;
  readonly resource_id: string | null;
  readonly request_id: string | null;
  readonly outcome: 'success' | 'failure';
  readonly reason: string | null;
  readonly changes: Readonly<Record<string, AuditChange>>;
}

export const auditSchema = new Schema(
  {
    _id: { type: String, required: true },
    action_type: { type: String, required: true },
    collection: { type: String, required: true },
    company_id: { type: String, default: null },
    entries_deleted: { type: Number, default: null },
    duration_ms: { type: Number, default: null },
    timestamp: { type: Date, required: true },
    UserID: { type: String, default: null },
    UserEmail: { type: String, default: null },
    UserIPAddress: { type: String, default: null },
    resource_type: { type: String, default: null },
    resource_id: { type: String, default: null },
    request_id: { type: String, default: null },
    outcome: { type: String, required: true },
    reason: { type: String, default: null },
    changes: { type: Schema.Types.Mixed, required: true },
  },
  { collection: AUDIT_LOGS, minimize: false, versionKey: false, suppressReservedKeysWarning: true },
);

// The list of a company, newest first.
auditSchema.index({ company_id: 1, _id: -1 });
// What happened to one thing; what one person did.
auditSchema.index({ company_id: 1, resource_id: 1, _id: -1 });
auditSchema.index({ company_id: 1, UserID: 1, _id: -1 });
