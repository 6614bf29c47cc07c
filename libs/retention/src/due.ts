/** Decides which entries are due under a rule, and in which steps they are deleted. */
import type { RetentionRule } from './rules.js';

/** The most entries that one step deletes: docs/http-api.md §7. */
export const BATCH_SIZE = 500;

export interface Entry<Id = string> {
  readonly id: Id;
  /** Epoch ms from which its age counts. Null: the entry is never deleted, whatever its age (a play that has not ended). */
  readonly at: number | null;
}

/** Entries from before this (epoch ms) are old enough to be deleted. */
export function cutoffOf(rule: Pick<RetentionRule, 'keepMs'>, nowMs: number): number {
  return nowMs - rule.keepMs;
}

/**
 * The entries that are deleted, oldest first.
 *
 * @param newestFirst all entries that the rule governs
 */
export function entriesDue<Id>(
  newestFirst: readonly Entry<Id>[],
  rule: Pick<RetentionRule, 'keepMs' | 'minEntries'>,
  nowMs: number,
): Entry<Id>[] {
  const cutoff = cutoffOf(rule, nowMs);
  return newestFirst
    .slice(rule.minEntries)
    .filter(({ at }) => at !== null && at < cutoff)
    .reverse();
}

/** How long to pause after a step, so that cleaning takes at most about half of the database's time. */
export function pauseAfter(stepMs: number): number {
  return Math.min(2_000, Math.max(5, stepMs));
}
