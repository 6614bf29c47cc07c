// @ts-check
/**
 * Two or more systems that run at the same time, of which one at a time has load, for a few seconds each: what disturbs the
 * machine for minutes disturbs all of them. Finer than the legs of part `run`, and what a change is judged by: the product
 * of this checkout against that of another one (`--against`), other Node flags (`--node-flags`), or a floor (`--only`).
 *
 * Processes of one build differ, each by about the same amount for as long as it lives: `--copies` starts each system several
 * times, and each pair is of other copies.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { median } from '../report/summary.mjs';
import { assertAlive } from '../machine/processes.mjs';
import { SYSTEMS } from '../systems/system.mjs';
import { startProduct } from '../systems/product.mjs';
import { drain, problemsOf } from './outcome.mjs';
import { openStage } from './product-stage.mjs';
import { readStoreWork } from './store-work.mjs';

const SETTLE_MS = 300;

/**
 * @typedef {object} Turn one system's few seconds
 * @property {Record<string, number>} usPerPlay by process, and `all`
 * @property {Record<string, number>} perPlay what MongoDB and Redis were asked
 * @property {number} perSecond
 */

/** @typedef {{ stage: import('./product-stage.mjs').Stage, accepted: number }} Copy one start of a system */

/**
 * @typedef {object} Side
 * @property {string} name
 * @property {Copy[]} copies
 * @property {Turn[]} turns of the copies in turn
 */

/** @param {import('./leg.mjs').Bench} bench @returns {Promise<string>} a report to print */
export async function measureCompare(bench) {
  const { options } = bench;
  /** @type {Side[]} */
  const sides = [];
  try {
    for (const { name, start, more } of sidesOf(options)) {
      /** @type {Side} */
      const side = { name, copies: [], turns: [] };
      sides.push(side);
      for (let i = 0; i < options.copies; i += 1) {
        const stage = await openStage(bench, i === 0 ? `compare-${name}` : `compare-${name}-${i}`, start, more);
        side.copies.push({ stage, accepted: 0 });
        await stage.running.startWorker();
      }
    }
    for (const copy of sides.flatMap(({ copies }) => copies)) await turn(bench, copy, options.warmup);
    for (let pair = 0; pair < options.pairs; pair += 1) {
      for (const side of pair % 2 === 0 ? sides : sides.toReversed()) {
        const copy = /** @type {Copy} */ (side.copies[pair % options.copies]);
        side.turns.push(await turn(bench, copy, options.seconds));
      }
    }
    for (const { name, copies } of sides) {
      for (const { stage, accepted } of copies) {
        const problems = await problemsOf(stage.db.collection('plays'), stage.target, accepted);
        if (problems.length > 0) throw new Error(`${name}: ${problems.join(' · ')}`);
      }
    }
    return render(sides);
  } finally {
    for (const { stage } of sides.flatMap(({ copies }) => copies)) await stage.close();
  }
}

/** @param {import('../options.mjs').Options} options */
function sidesOf({ systems, against, nodeFlags, envs }) {
  const product = { name: 'product', start: startProduct, more: { nodeFlags, env: envs } };
  const others =
    against !== null
      ? [{ name: 'before', start: startProduct, more: { root: against } }]
      : systems.filter((name) => name !== 'product').map((name) => ({ name, start: SYSTEMS[name], more: {} }));
  return [...others, product];
}

/**
 * @param {import('./leg.mjs').Bench} bench @param {Copy} copy @param {number} seconds
 * @returns {Promise<Turn>}
 */
async function turn(bench, copy, seconds) {
  const { stage } = copy;
  const before = await readStoreWork(bench);
  const { completed, perSecond, oursUs, processUs, load } = await stage.closedLoop(bench.options.outstanding, seconds);
  copy.accepted += load.accepted;
  await drain(stage.db.collection('plays'), stage.target, copy.accepted, () => assertAlive(stage.running.processes));
  const work = await readStoreWork(bench);
  await delay(SETTLE_MS, undefined, { signal: bench.signal });
  const usPerPlay = { all: oursUs / completed };
  for (const [name, us] of Object.entries(processUs)) Object.assign(usPerPlay, { [name]: us / completed });
  const perPlay = Object.fromEntries(
    Object.entries(work).map(([what, count]) => [what, (count - (before[what] ?? 0)) / load.accepted]),
  );
  return { usPerPlay, perPlay, perSecond };
}

/** @param {readonly Side[]} sides */
function render(sides) {
  const product = /** @type {Side} */ (sides.at(-1));
  const lines = [];
  for (const { name, copies, turns } of sides) {
    const of = (/** @type {(turn: Turn) => number | undefined} */ figure) =>
      median(turns.map((each) => figure(each) ?? 0)) ?? 0;
    const cpu = Object.keys(turns[0]?.usPerPlay ?? {}).map(
      (key) => `${key} ${Math.round(of((t) => t.usPerPlay[key]))}`,
    );
    const asked = Object.keys(turns[0]?.perPlay ?? {}).map((key) => `${key} ${of((t) => t.perPlay[key]).toFixed(2)}`);
    const memory = copies.map(({ stage }) =>
      Object.entries(stage.memory()).map(([role, { now }]) => `${role} ${Math.round(now)}`),
    );
    lines.push(
      `compare · ${name}: ${Math.round(of((t) => t.perSecond))} plays/s; µs/play: ${cpu.join(', ')}; MB: ${memory.map((of) => of.join(', ')).join(' | ')}`,
    );
    lines.push(`  each play: ${asked.join(', ')}`);
    if (copies.length > 1) lines.push(`  each copy, µs/play: ${eachCopy(turns, copies.length).join(', ')}`);
  }
  for (const { name, turns } of sides.slice(0, -1)) {
    const quotients = (/** @type {(turn: Turn) => number | undefined} */ figure) =>
      product.turns.map((each, i) => (figure(each) ?? 0) / (figure(/** @type {Turn} */ (turns[i])) ?? 1));
    const cpu = Object.keys(turns[0]?.usPerPlay ?? {}).map(
      (key) => `${key} ${spread(quotients((t) => t.usPerPlay[key]))}`,
    );
    lines.push(`compare · product / ${name}: plays/s ${spread(quotients((t) => t.perSecond))}; CPU: ${cpu.join(', ')}`);
  }
  return lines.join('\n');
}

/** The medians of each copy, by process. @param {readonly Turn[]} turns @param {number} copies @returns {string[]} */
function eachCopy(turns, copies) {
  return Object.keys(turns[0]?.usPerPlay ?? {}).map((key) => {
    const of = (/** @type {number} */ copy) =>
      turns.filter((_, i) => i % copies === copy).map((t) => t.usPerPlay[key] ?? 0);
    const figures = Array.from({ length: copies }, (_, copy) => Math.round(median(of(copy)) ?? 0));
    return `${key} ${figures.join(' ')}`;
  });
}

/** Median, least and most. @param {readonly number[]} values */
function spread(values) {
  return `${(median(values) ?? 0).toFixed(3)} (${Math.min(...values).toFixed(2)}–${Math.max(...values).toFixed(2)})`;
}
