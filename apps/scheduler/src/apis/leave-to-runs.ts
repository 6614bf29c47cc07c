import { setTimeout as rest } from 'node:timers/promises';

/**
 * After a turn, as a multiple of what it took: a large document leaves the machine to runs for most of the time, and for more of it the busier the
 * machine is. At most `mostMs`, so that it ends on any machine.
 */
const REST = { times: 8, leastMs: 25, mostMs: 500 } as const;

/** Rests after a turn of an import. */
export async function leaveToRuns(tookMs: number, signal: AbortSignal): Promise<void> {
  await rest(Math.min(REST.mostMs, Math.max(REST.leastMs, REST.times * tookMs)), undefined, { signal });
}
