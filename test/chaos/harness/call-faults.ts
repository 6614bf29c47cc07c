import { outOf, type Play } from '@weft/engine';
import type { LedgerCall } from '@weft/testing';
import { FIRST, NOTE, SECOND } from './effect-flow.js';
import { CLOCK_TOLERANCE_MS } from './play-faults.js';

/** The ledger's calls by their idempotency key, `<play>.<position>`. */
export function callsByKey(calls: readonly LedgerCall[]): Map<string, LedgerCall[]> {
  const byKey = new Map<string, LedgerCall[]>();
  for (const call of calls) {
    const key = call.idempotencyKey ?? '';
    byKey.set(key, [...(byKey.get(key) ?? []), call]);
  }
  return byKey;
}

/**
 * Calls to the outside world that were made more often than allowed, or with other content than what is stored: docs/reliability.md
 * I5, I6, I7. For plays of the effect flow, and of flows that begin like it.
 *
 * @param calls all that the ledger got
 * @param crashes how often a worker was killed or frozen past its lease
 * @param clockErrorMs by how much stored times may differ from this machine's
 */
export function callFaults(
  plays: readonly Play[],
  calls: readonly LedgerCall[],
  crashes: number,
  clockErrorMs = CLOCK_TOLERANCE_MS,
): string[] {
  const byKey = callsByKey(calls);
  const faults: string[] = [];
  for (const play of plays) {
    for (const position of [FIRST, SECOND]) {
      const key = `${play._id}.${position}`;
      const made = byKey.get(key) ?? [];
      byKey.delete(key);
      const result = play.layers[position];
      const attempts = result?.attempts ?? 1;
      if (made.length > attempts + crashes)
        faults.push(`${key}: was called ${made.length} times for ${attempts} attempts and ${crashes} crashes`);
      if (result?.state !== 'DONE') continue;
      if (made.length === 0) faults.push(`${key}: is DONE and was never called`);
      const lastMs = Math.max(...made.map(({ at }) => at.getTime())) - result.completedAt.getTime();
      // what is stored came of the only call, whatever clocks say
      if (made.length > 1 && lastMs > clockErrorMs) {
        faults.push(`${key}: was called ${lastMs} ms after it was DONE (call ${made.length})`);
      }
      if (position !== SECOND) continue;
      const { text } = play.layers[NOTE]?.out as { text: string };
      const told = made.filter(({ body }) => body !== text).map(({ body }) => body);
      if (told.length > 0) faults.push(`${key}: was told "${told[0]}", stored is "${text}"`);
    }
    const first = play.layers[FIRST];
    const { receipt } = (first && (outOf(first) as { json?: { receipt: string } } | null)?.json) ?? { receipt: '' };
    const { text } = (play.layers[NOTE]?.out as { text: string } | undefined) ?? { text: receipt };
    if (!text.endsWith(receipt)) faults.push(`${play._id}: its note says "${text}", its first answer was "${receipt}"`);
  }
  for (const key of byKey.keys()) faults.push(`${key}: was called for no play that is known`);
  return faults;
}

/** How many layers were called more than once. */
export function repeatedCalls(calls: readonly LedgerCall[]): number {
  return [...callsByKey(calls).values()].filter((made) => made.length > 1).length;
}
