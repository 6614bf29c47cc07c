/** What a policy can be about (contract §7), and what holds for it whatever the policy says. */
export const SCOPES = [
  'flows.all',
  'flows.filtered',
  'flows.group',
  'plays',
  'play_layers',
  'audit',
  'audit_logs',
  'kv_stores',
] as const;
export type Scope = (typeof SCOPES)[number];

/** A scope that governs entries by itself: `flows.group` belongs to a group, `audit_logs` is `audit`. */
export type GeneralScope = Exclude<Scope, 'flows.group' | 'audit_logs'>;

/** What loses entries, as audit entries and metrics name it. */
export const RETENTION_COLLECTIONS = ['flows', 'plays', 'play_layers', 'audit_logs', 'kv_stores'] as const;
export type RetentionCollection = (typeof RETENTION_COLLECTIONS)[number];

/** Entries that remain in every scope, however old. */
export const FEWEST_ENTRIES = 10;

/** Enforced minimum below which no policy goes. */
export function leastMinimum(scope: Scope | null): string {
  if (scope === 'audit' || scope === 'audit_logs') return '14d';
  return scope === 'flows.filtered' ? '3d' : '0';
}
