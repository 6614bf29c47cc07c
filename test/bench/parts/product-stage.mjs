// @ts-check
import { setTimeout as delay } from 'node:timers/promises';
import { createLoad } from '../load/load.mjs';
import { between, memoryMb, readMeter } from '../machine/meter.mjs';
import { startProduct } from '../systems/product.mjs';
import { createTarget } from '../target/target.mjs';

/**
 * @typedef {object} ClosedLoop what one load under full steam gave
 * @property {number} completed calls of the target, which are plays
 * @property {number} perSecond
 * @property {number} oursUs CPU time of product, stores, target and load
 * @property {Record<string, number>} processUs the same for each of them
 * @property {import('../load/generator.mjs').LoadReport} load
 */

/** @typedef {Awaited<ReturnType<typeof openStage>>} Stage */

/**
 * The product with a target and a load generator of its own, for a part that measures it in several situations.
 *
 * @param {import('./leg.mjs').Bench} bench @param {string} name
 * @param {{ env?: Record<string, string>, targetDelayMs?: number }} [more]
 */
export const openProductStage = (bench, name, more = {}) => openStage(bench, name, startProduct, more);

/**
 * The same for any system.
 *
 * @template {import('../systems/system.mjs').RunningSystem} Running
 * @param {import('./leg.mjs').Bench} bench @param {string} name
 * @param {(context: import('../systems/system.mjs').SystemContext) => Promise<Running>} start
 * @param {{ env?: Record<string, string>, root?: string, nodeFlags?: readonly string[], targetDelayMs?: number }} [more]
 */
export async function openStage(bench, name, start, { targetDelayMs = 0, ...more } = {}) {
  const { processes, signal, options } = bench;
  const server = new URL('../target/server.mjs', import.meta.url);
  const targetProcess = await processes.fork(`${name}-target`, server, { TARGET_DELAY_MS: String(targetDelayMs) });
  const loadProcess = await processes.fork(`${name}-load`, new URL('../load/generator.mjs', import.meta.url));
  const target = createTarget(targetProcess);
  const load = createLoad(loadProcess);
  const db = `bench_${name}`;
  const running = await start({
    ...{ label: name, mongodbUri: bench.mongod.uri, redisUrl: bench.redis.uri, db, prefix: `bench-${name}` },
    ...{ targetOrigin: target.origin, folder: bench.folder, processes, profiling: bench.profiling, ...more },
  });

  return {
    running,
    target,
    db: bench.client.db(db),
    /**
     * Runs as fast as they complete, with a bound on those under way.
     * @param {number} maxOutstanding @param {number} [seconds] @param {number} [settleMs] from the first run until it is measured
     * @returns {Promise<ClosedLoop>}
     */
    async closedLoop(maxOutstanding, seconds = options.seconds, settleMs = 1_000) {
      const { calls: callsBefore } = await target.ledger();
      const plan = {
        mode: /** @type {const} */ ('closed'),
        rate: null,
        maxOutstanding,
        connections: options.connections,
      };
      await load.start({ ...plan, callsBefore, request: running.request, targetOrigin: target.origin });
      await delay(settleMs, undefined, { signal });
      const pids = Object.fromEntries([
        ...Object.entries(running.processes).map(([role, { pid }]) => [role, pid]),
        ...[
          ['mongod', bench.mongod.pid],
          ['redis', bench.redis.pid],
          ['target', targetProcess.pid],
          ['load', loadProcess.pid],
        ],
      ]);
      load.begin();
      const from = await target.ledger();
      const before = readMeter(pids);
      await delay(seconds * 1_000, undefined, { signal });
      const cpu = between(before, readMeter(pids));
      const to = await target.ledger();
      load.end();
      const completed = to.calls - from.calls;
      const report = await load.stop();
      if (report.refused > 0) throw new Error(`${report.refused} runs were refused: ${report.errors.join(' · ')}`);
      const { oursUs, processUs } = cpu;
      return { completed, perSecond: completed / cpu.seconds, oursUs, processUs, load: report };
    },
    memory: () => Object.fromEntries(Object.entries(running.processes).map(([role, { pid }]) => [role, memoryMb(pid)])),
    async close() {
      await running.stop();
      await processes.stop(loadProcess);
      await processes.stop(targetProcess);
      await bench.client.db(db).dropDatabase();
    },
  };
}
