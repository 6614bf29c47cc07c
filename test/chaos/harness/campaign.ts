import { waitFor } from '@weft/testing';
import { repeatedCalls } from './call-faults.js';
import { faultsInTurn } from './campaign-length.js';
import type { WatchedFleet } from './cluster.js';
import type { InsistentLoad } from './insistent-load.js';

/** docs/reliability.md I1: everything accepted before has ended within this time after the last fault. */
const RECOVERS_WITHIN_MS = 60_000;
/** Additional time for a busy test machine: not a promise of the product. */
const GRACE_MS = 60_000;

/** Resolves when the fault is over. */
export type Strike = () => Promise<void>;

export interface Struck {
  readonly fault: string;
  /** The longest time in which no run was accepted, from the beginning of the fault until everything accepted before its end had ended. */
  readonly unavailableMs: number;
  /** From the end of the fault until all that had been accepted by then had ended. */
  readonly recoveredAfterMs: number;
}

export interface Strikes {
  /** Every campaign injects each once, in this order. */
  readonly always: Readonly<Record<string, Strike>>;
  /** Only in a campaign of several minutes. */
  readonly longer?: Readonly<Record<string, Strike>>;
}

/**
 * Injects one fault after another while runs arrive, each after the cluster has recovered from the previous one.
 * @throws Error when it does not recover
 */
export async function campaign(
  cluster: WatchedFleet,
  load: InsistentLoad,
  { always, longer = {} }: Strikes,
): Promise<Struck[]> {
  const strikes = { ...always, ...longer };
  const struck: Struck[] = [];
  for (const fault of faultsInTurn(Object.keys(always), Object.keys(strikes))) {
    load.longestGapMs();
    await strikes[fault]?.();
    const endedAt = performance.now();
    const before = [...load.accepted.values()];
    await waitFor(async () => (await cluster.open(before)) === 0, {
      what: `all plays to end that were accepted before the end of "${fault}"`,
      withinMs: RECOVERS_WITHIN_MS + GRACE_MS,
    }).catch(async (cause: unknown) => {
      const open = await cluster.plays
        .find({ _id: { $in: before }, completedAt: { $exists: false } })
        .limit(3)
        .toArray();
      throw new Error(`Plays are open, for example ${JSON.stringify(open)}`, { cause });
    });
    struck.push({
      fault,
      unavailableMs: load.longestGapMs(),
      recoveredAfterMs: Math.round(performance.now() - endedAt),
    });
  }
  return struck;
}

/** The report of a campaign: totals, then the worst result for each kind of fault. */
export function reportOf(cluster: WatchedFleet, load: InsistentLoad, struck: readonly Struck[]): string {
  const kinds = [...new Set(struck.map(({ fault }) => fault))].map((kind) => {
    const all = struck.filter(({ fault }) => fault === kind);
    const worst = (value: (one: Struck) => number): string => `${(Math.max(...all.map(value)) / 1_000).toFixed(1)} s`;
    return [
      `${kind} (${all.length} ×)`,
      `unavailable for ${worst(({ unavailableMs }) => unavailableMs)},`,
      `recovered after ${worst(({ recoveredAfterMs }) => recoveredAfterMs)}`,
    ].join(' ');
  });
  const total = `${load.accepted.size} runs accepted, ${load.refused()} requests sent again, ${repeatedCalls(cluster.ledger.calls)} layers called more than once`;
  return [total, ...kinds].join('\n');
}
