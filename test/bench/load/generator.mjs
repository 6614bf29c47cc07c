// @ts-check
/**
 * The load generator, a separate process. Over IPC, one load after another:
 * `{ start: LoadPlan }` → `{ started: true }`; `{ window: 'begin' | 'end' }` mark the measured time;
 * `{ stop: true }` → no new requests, waits for those in progress → `{ stopped: LoadReport }`.
 */
import { closedLoop } from './closed-loop.mjs';
import { openLoop } from './open-loop.mjs';
import { createTally } from './tally.mjs';

/**
 * @typedef {object} LoadPlan
 * @property {'closed' | 'open'} mode
 * @property {{ origin: string, path: string, headers: Record<string, string> }} request
 * @property {string} targetOrigin
 * @property {number} callsBefore calls that the target had when the load began
 * @property {number} connections closed: how many post side by side
 * @property {number | null} maxOutstanding closed: plays accepted and not executed; null = no bound
 * @property {number | null} rate open: runs per second
 */
/** @typedef {ReturnType<import('./tally.mjs').Tally['report']> & { maxLagMs?: number }} LoadReport */

let lastRun = 0;
let tally = createTally();
/** @type {() => Promise<{ maxLagMs: number } | void>} */
let stop = async () => undefined;

process.on('message', async (/** @type {{ start?: LoadPlan, window?: 'begin' | 'end', stop?: true }} */ message) => {
  if (message.window === 'begin') tally.begin();
  if (message.window === 'end') tally.end();
  if (message.start) {
    tally = createTally();
    const loop = message.start.mode === 'closed' ? closedLoop : openLoop;
    stop = await loop(message.start, tally, () => (lastRun += 1));
    process.send?.({ started: true });
  }
  if (message.stop) {
    const extra = await stop();
    process.send?.({ stopped: { ...tally.report(), ...extra } });
  }
});
process.on('disconnect', () => process.exit(0));
process.on('SIGTERM', () => process.exit(0));
process.send?.({ ready: true });
