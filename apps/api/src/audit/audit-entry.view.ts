import type { AuditChange, AuditDocument } from '@weft/persistence';
import { freeObject, integerOrNull, named, object, oneOf, pageOf, text, textOrNull, time } from '../http/schema.js';

/** Contract §7, an entry of the audit log. */
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

const REDACTED = '[redacted]';
/** Specification §2: personal fields of older entries are not shown. */
const REDACT_AFTER_MS = 30 * 24 * 3_600_000;

export function toAuditEntryView(entry: AuditDocument, nowMs: number): AuditEntryView {
  const { _id, timestamp, UserEmail, UserIPAddress, ...rest } = entry;
  const isOld = nowMs - timestamp.getTime() > REDACT_AFTER_MS;
  const personal = (value: string | null): string | null => (isOld && value !== null ? REDACTED : value);
  return {
    ...rest,
    id: _id,
    timestamp: timestamp.toISOString(),
    UserEmail: personal(UserEmail),
    UserIPAddress: personal(UserIPAddress),
  };
}

export const auditEntryPageSchema = pageOf(
  'AuditEntry',
  named(
    'AuditEntry',
    object<AuditEntryView>({
      id: text,
      action_type: text,
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
  ),
);
