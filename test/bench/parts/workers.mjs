// @ts-check
/**
 * What more workers give: plays a second of 1, 2, 4 and 8 workers whose layers wait for an answer. Slots limit it then, not
 * the machine: so the figure shows what queue and window cost, not how many cores there are.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { openProductStage } from './product-stage.mjs';

const WORKERS = [1, 2, 4, 8];
const SLOTS = 20;
/** Long enough that the wait, not the machine, is what 160 slots take. */
const ANSWER_MS = 2_000;
/** Until all slots are in use, and no longer in step. */
const SETTLE_MS = 3 * ANSWER_MS;
/** Until every process knows the new workers. */
const KNOWN_MS = 6_000;

/** @param {import('./leg.mjs').Bench} bench @returns {Promise<string>} a report to print */
export async function measureWorkers(bench) {
  const stage = await openProductStage(bench, 'workers', {
    env: { WORKER_SLOTS: String(SLOTS) },
    targetDelayMs: ANSWER_MS,
  });
  try {
    /** @type {string[]} */
    const rows = [];
    let started = 0;
    let one = 0;
    for (const count of WORKERS) {
      for (; started < count; started += 1) await stage.running.startWorker();
      await delay(KNOWN_MS, undefined, { signal: bench.signal });
      const { perSecond } = await stage.closedLoop(3 * SLOTS * count, bench.options.seconds, SETTLE_MS);
      one ||= perSecond;
      const most = (count * SLOTS * 1_000) / ANSWER_MS;
      const share = `${((100 * perSecond) / most).toFixed(0)} % of what the slots allow`;
      rows.push(`workers · ${count}: ${perSecond.toFixed(1)} plays/s, ${(perSecond / one).toFixed(2)} ×, ${share}`);
    }
    return rows.join('\n');
  } finally {
    await stage.close();
  }
}
