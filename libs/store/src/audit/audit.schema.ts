import { Schema } from 'mongoose';
import type { AuditAction } from './audit-actions.js';

export const AUDIT_LOGS = 'audit_logs';

/** docs/http-api.md §7: personal fields of entries older than this are replaced by the marker. */
export const REDACT_AFTER_MS = 30 * 24 * 3_600_000;
export const REDACTED = '[redacted]';

/** `seal` of an entry that is not sealed yet. */
export const UNSEALED = 0;
/** Name of the index over the entries that no seal holds. */
export const UNSEALED_ENTRIES = 'unsealed';

/** Before and after of one field; absent is null. */
export interface AuditChange {
  readonly before: unknown;
  readonly after: unknown;
}

/** Stand-ins of an entry's personal values in its signature, so that redaction leaves the signature good. */
export interface PersonalHashes {
  /** Null once they are redacted: without it the values cannot be guessed from their hashes. */
  readonly salt: string | null;
  /** By name: `UserEmail`, `UserIPAddress`, `changes.<field>`. */
  readonly hashes: Readonly<Record<string, string>>;
}

/** One entry as it is stored: the names of docs/http-api.md §7, `id` as `_id`. Never changed, except by redaction and its seal. */
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
  readonly personal: PersonalHashes;
  /** Signature of the entry, made in the transaction of its change. */
  readonly mac: string;
  /** Number of the seal in its company's chain that holds it; `UNSEALED` until then. */
  readonly seal: number;
  /** Of an entry that may be asked for again after a crash: no two of a company have the same one. */
  readonly once?: string;
}

export const auditSchema = new Schema<AuditDocument>(
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
    personal: { type: Schema.Types.Mixed, required: true },
    mac: { type: String, required: true },
    seal: { type: Number, required: true },
    once: { type: String },
  },
  { collection: AUDIT_LOGS, minimize: false, versionKey: false, suppressReservedKeysWarning: true },
);

// The list of a company, newest first.
auditSchema.index({ company_id: 1, _id: -1 });
// The list by action and by kind of thing; what happened to one thing; what one person did.
auditSchema.index({ company_id: 1, action_type: 1, _id: -1 });
auditSchema.index({ company_id: 1, resource_type: 1, _id: -1 });
auditSchema.index({ company_id: 1, resource_id: 1, _id: -1 });
auditSchema.index({ company_id: 1, UserID: 1, _id: -1 });
auditSchema.index({ company_id: 1, UserEmail: 1, _id: -1 });
// The order of the seals: verify walks it, retention cuts from its beginning.
auditSchema.index({ company_id: 1, seal: 1, _id: 1 });
// What the next seal takes.
auditSchema.index({ company_id: 1, _id: 1 }, { name: UNSEALED_ENTRIES, partialFilterExpression: { seal: UNSEALED } });
// What is recorded once, whatever crashes.
auditSchema.index({ company_id: 1, once: 1 }, { unique: true, partialFilterExpression: { once: { $type: 'string' } } });
// What is due for redaction.
auditSchema.index({ timestamp: 1 }, { partialFilterExpression: { 'personal.salt': { $type: 'string' } } });
