import { AUDIT_ACTIONS, withoutPersonal, type AuditChange, type AuditFacts } from '@weft/store';
import {
  freeObject,
  integerOrNull,
  listOf,
  named,
  object,
  oneOf,
  pageOf,
  text,
  textOrNull,
  time,
} from '../http/schema.js';

/** docs/http-api.md §7, an entry of the audit log. */
export interface AuditEntryView {
  readonly id: string;
  readonly action_type: string;
  readonly collection: string;
  readonly company_id: string | null;
  readonly entries_deleted: number | null;
  readonly duration_ms: number | null;
  readonly timestamp: string;
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

/** The fields in the order of the contract: also the columns of an export. */
export const AUDIT_FIELDS = [
  'id',
  'action_type',
  'collection',
  'company_id',
  'entries_deleted',
  'duration_ms',
  'timestamp',
  'UserID',
  'UserEmail',
  'UserIPAddress',
  'resource_type',
  'resource_id',
  'request_id',
  'outcome',
  'reason',
  'changes',
] as const satisfies readonly (keyof AuditEntryView)[];

/** What the log shows of an entry at a time: personal values older than 30 days never, redacted in the store or not yet. */
export function toAuditEntryView(entry: AuditFacts, nowMs: number): AuditEntryView {
  const shown = withoutPersonal(entry, nowMs);
  return {
    id: shown._id,
    action_type: shown.action_type,
    collection: shown.collection,
    company_id: shown.company_id,
    entries_deleted: shown.entries_deleted,
    duration_ms: shown.duration_ms,
    timestamp: shown.timestamp.toISOString(),
    UserID: shown.UserID,
    UserEmail: shown.UserEmail,
    UserIPAddress: shown.UserIPAddress,
    resource_type: shown.resource_type,
    resource_id: shown.resource_id,
    request_id: shown.request_id,
    outcome: shown.outcome,
    reason: shown.reason,
    changes: shown.changes,
  };
}

const auditEntrySchema = named(
  'AuditEntry',
  object<AuditEntryView>({
    id: text,
    action_type: oneOf(AUDIT_ACTIONS),
    collection: text,
    company_id: textOrNull,
    entries_deleted: integerOrNull,
    duration_ms: integerOrNull,
    timestamp: time,
    UserID: textOrNull,
    UserEmail: textOrNull,
    UserIPAddress: textOrNull,
    resource_type: textOrNull,
    resource_id: textOrNull,
    request_id: textOrNull,
    outcome: oneOf(['success', 'failure']),
    reason: textOrNull,
    changes: freeObject,
  }),
);

export const auditEntryPageSchema = pageOf('AuditEntry', auditEntrySchema);
export const auditEntriesSchema = listOf(auditEntrySchema);
