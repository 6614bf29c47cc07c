// @ts-check
import { runLeg } from './leg.mjs';

const QUIET_RATE = 200;
const OPEN_SHARE = 0.6;

/** @typedef {import('./leg.mjs').LegResult} LegResult */
/** @typedef {import('./leg.mjs').Phase} Phase */

/** @type {Record<import('../options.mjs').Options['parts'][number], (bench: import('./leg.mjs').Bench, onLeg: (leg: LegResult) => void) => Promise<void>>} */
export const RUN_PART = {
  /** Accepting and executing together: the sustained rate, then the cost at a rate that both systems sustain. */
  async run(bench, onLeg) {
    const { outstanding, rate } = bench.options;
    let slowest = Infinity;
    await inTurn(
      bench,
      'run-closed',
      true,
      [{ name: 'run, closed loop', mode: 'closed', rate: null, maxOutstanding: outstanding, unit: 'completed' }],
      (leg) => {
        for (const phase of leg.phases) slowest = Math.min(slowest, phase.completed / phase.cpu.seconds);
        onLeg(leg);
      },
    );
    const openRate = rate ?? Math.max(10, Math.floor((slowest * OPEN_SHARE) / 10) * 10);
    await inTurn(bench, 'run-open', true, [open(`run, open loop at ${openRate}/s`, openRate, 'completed')], onLeg);
  },

  /** Without a worker: how fast runs are accepted, and the latency at an everyday rate on top of that backlog. */
  async accept(bench, onLeg) {
    await inTurn(
      bench,
      'accept',
      false,
      [
        { name: 'accept, closed loop, no worker', mode: 'closed', rate: null, maxOutstanding: null, unit: 'accepted' },
        open(`accept at ${QUIET_RATE}/s, no worker`, QUIET_RATE, 'accepted'),
      ],
      onLeg,
    );
  },

  /** At an everyday rate: the latency until a run is accepted and until it is done. */
  async latency(bench, onLeg) {
    await inTurn(bench, 'latency', true, [open(`latency at ${QUIET_RATE}/s`, QUIET_RATE, 'completed')], onLeg);
  },
};

/**
 * A B A B …: other influences of the machine (its clock rate, other tenants) affect both equally.
 * @param {import('./leg.mjs').Bench} bench @param {string} part @param {boolean} workerFirst
 * @param {readonly Phase[]} phases @param {(leg: LegResult) => void} onLeg
 */
async function inTurn(bench, part, workerFirst, phases, onLeg) {
  for (let pair = 1; pair <= bench.options.pairs; pair += 1) {
    for (const system of bench.options.systems) {
      onLeg(await runLeg(bench, { part, system, pair, workerFirst, phases }));
    }
  }
}

/** @param {string} name @param {number} rate @param {Phase['unit']} unit @returns {Phase} */
function open(name, rate, unit) {
  return { name, mode: 'open', rate, maxOutstanding: null, unit };
}
