/** The scopes of a policy (docs/retention.md), and the limits that hold for each whatever the policy says. */
export const RETENTION_SCOPES = [
  'flows.all',
  'flows.filtered',
  'flows.group',
  'plays',
  'play_layers',
  'audit',
  'audit_logs',
  'kv_stores',
] as const;
export type RetentionScope = (typeof RETENTION_SCOPES)[number];

/**
 * A scope that governs entries by itself: not `flows.group`, which belongs to a group, nor `audit_logs`, which is `audit`.
 */
export type GeneralScope = Exclude<RetentionScope, 'flows.group' | 'audit_logs'>;

/** The collections that entries are deleted from, by their names in audit entries and metrics. */
export const RETENTION_COLLECTIONS = ['flows', 'plays', 'play_layers', 'audit_logs', 'kv_stores'] as const;
export type RetentionCollection = (typeof RETENTION_COLLECTIONS)[number];

/** This many entries are kept in every scope, however old. */
export const FEWEST_ENTRIES = 10;

/** The enforced minimum: no policy deletes entries that are younger. */
export function leastMinimum(scope: RetentionScope | null): string {
  if (scope === 'audit' || scope === 'audit_logs') return '14d';
  return scope === 'flows.filtered' ? '3d' : '0';
}
