import type { RetentionCollection, RetentionScope } from '@weft/retention';
import type { Mongo, PayloadStore, TenantScope } from '@weft/store';
import type { RetentionStateRepository } from './retention-state.repository.js';

/**
 * One rule at work on one company: finds what is due and deletes it, a batch at a time. What a step deletes it looks at again
 * in the deletion itself, in one transaction with the count of it: a step that is cut off has deleted and counted nothing.
 */
export interface Sweep {
  readonly collection: RetentionCollection;
  readonly scope: RetentionScope | null;
  /** Null: the default. */
  readonly policyId: string | null;
  /** Deletes at most one batch, and looks at no more than a few thousand entries for it: the run checks between steps whether it must end. */
  step(): Promise<SweepStep>;
  /** What would go now, by the same queries. */
  preview(): Promise<SweepPreview>;
}

export interface SweepStep {
  readonly deleted: number;
  /** Of what, when it is not the sweep's own collection. */
  readonly from?: RetentionCollection;
  /** True: there may be more. */
  readonly more: boolean;
  /** Milliseconds of the step in which it was decided what is due. */
  readonly decidedMs: number;
  /** Of plays: what is left of the rule. */
  readonly left?: PlaysLeft;
}

/** What a sweep still has to delete. */
export interface PlaysLeft {
  /** At most: plays that an open one needs stay. Counted up to a million. */
  readonly plays: number;
  /** For how long the oldest of those that the step has found could have been deleted. */
  readonly overdueMs: number;
}

export interface SweepPreview {
  readonly wouldDelete: number;
  readonly kept: number;
  /** There are more of both than could be counted: it looks at `MOST_PREVIEWED` plays, and for some seconds. */
  readonly isCapped?: boolean;
}

/** Plays that a preview counts. */
export const MOST_PREVIEWED = 100_000;
/** How long one of its counts may take. */
export const PREVIEW_WITHIN_MS = 2_000;

/** What every sweep works with. */
export interface SweepContext {
  readonly mongo: Mongo;
  readonly company: TenantScope;
  /** Of the run, by MongoDB's clock: ages are counted up to here. */
  readonly now: Date;
  readonly states: RetentionStateRepository;
  readonly payloads: PayloadStore;
}

/** Measures how long it took to decide. */
export async function timed<T>(decide: () => Promise<T>): Promise<{ readonly found: T; readonly decidedMs: number }> {
  const start = performance.now();
  const found = await decide();
  return { found, decidedMs: performance.now() - start };
}
