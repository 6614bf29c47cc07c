/** What is due under a rule, and in which steps it goes. */
import type { RetentionRule } from './rules.js';

/** Most entries that one step deletes: specification §8. */
export const BATCH_SIZE = 500;

export interface Entry<Id = string> {
  readonly id: Id;
  /** Epoch ms from which its age counts; null: it cannot go whatever its age (a play that has not ended). */
  readonly at: number | null;
}

/** Entries from before this (epoch ms) are old enough to go. */
export function cutoffOf(rule: Pick<RetentionRule, 'keepMs'>, nowMs: number): number {
  return nowMs - rule.keepMs;
}

/**
 * The entries that go, oldest first.
 *
 * @param newestFirst all entries that the rule governs; the newest are the first ones, whatever their age
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

/** How long to leave the database to others after a step, so that cleaning takes at most half of the time. */
export function pauseAfter(stepMs: number): number {
  return Math.min(2_000, Math.max(5, stepMs));
}
