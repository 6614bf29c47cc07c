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

/** As often as retention runs by default: a run that takes longer does not keep up with what becomes due, and stops pausing. */
const BEHIND_AFTER_MS = 2 * 60_000;
/** One that is still not done deletes of two companies at once: others wait longer for the database meanwhile. */
const FAR_BEHIND_AFTER_MS = 15 * 60_000;
const SHORTEST_PAUSE_MS = 5;

/**
 * How long to pause after a step: as long as it took, so that cleaning takes at most about half of the time of one connection to
 * the database; hardly at all in a run that has fallen behind.
 *
 * @param runMs since the run began
 */
export function pauseAfter(stepMs: number, runMs: number): number {
  if (runMs > BEHIND_AFTER_MS) return SHORTEST_PAUSE_MS;
  return Math.min(2_000, Math.max(SHORTEST_PAUSE_MS, stepMs));
}

/** @param runMs since the run began */
export function companiesAtOnce(runMs: number): number {
  return runMs > FAR_BEHIND_AFTER_MS ? 2 : 1;
}
