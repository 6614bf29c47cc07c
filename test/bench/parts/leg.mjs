// @ts-check
import { setTimeout as delay } from 'node:timers/promises';
import { createLoad } from '../load/load.mjs';
import { assertAlive } from '../machine/processes.mjs';
import { between, memoryMb, readMeter } from '../machine/meter.mjs';
import { SYSTEMS } from '../systems/system.mjs';
import { createTarget } from '../target/target.mjs';
import { drain, problemsOf, recorded } from './outcome.mjs';

/**
 * @typedef {object} Bench what all legs share
 * @property {import('../options.mjs').Options} options
 * @property {import('../../../tools/servers/local-server.mjs').LocalServer} mongod
 * @property {import('../../../tools/servers/local-server.mjs').LocalServer} redis
 * @property {import('mongoose').mongo.MongoClient} client
 * @property {import('../machine/processes.mjs').Processes} processes
 * @property {import('../machine/profiling.mjs').Profiling} profiling
 * @property {string} folder
 * @property {AbortSignal} signal aborted by Ctrl-C
 *
 * @typedef {object} Phase one load that is warmed up and measured
 * @property {string} name the row in the table
 * @property {'closed' | 'open'} mode
 * @property {number | null} rate open: runs per second
 * @property {number | null} maxOutstanding closed: bound on plays that are accepted and not executed
 * @property {'completed' | 'accepted'} unit what counts as a play of the measured time
 *
 * @typedef {object} LegPlan one system, fresh processes, a fresh database
 * @property {string} part
 * @property {import('../systems/system.mjs').SystemName} system
 * @property {number} pair
 * @property {boolean} workerFirst false: the worker starts when all load is over
 * @property {readonly Phase[]} phases
 *
 * @typedef {Awaited<ReturnType<typeof measurePhase>>} Measured
 * @typedef {{ part: string, system: string, pair: number, accepted: number, raised: number, delivered: number, drainedPerSecond: number | null, phases: Measured[], problems: string[] }} LegResult
 */

const SETTLE_MS = 1_000;

/**
 * Runs one leg from start to verdict.
 * @param {Bench} bench @param {LegPlan} plan
 * @returns {Promise<LegResult>}
 */
export async function runLeg(bench, plan) {
  const { part, system, pair } = plan;
  const label = `${part}-${pair}-${system}`;
  const db = `bench_${label.replaceAll('-', '_')}`;
  const stage = await setStage(bench, plan, label, db);
  const { plays, target, running } = stage;

  const warm = await warmUp(bench, stage, plan.workerFirst);
  const problems = [...warm.problems];
  let { accepted } = warm;
  /** @type {Measured[]} */
  const phases = [];
  for (const phase of plan.phases) {
    const measured = await measurePhase(bench, stage, phase);
    accepted += measured.load.accepted;
    problems.push(...refusals(measured.load));
    phases.push(measured);
  }
  if (!plan.workerFirst) await running.startWorker();
  const drainStart = performance.now();
  await drain(plays, target, accepted, goOn(bench, stage));
  const drainedPerSecond = plan.workerFirst ? null : accepted / ((performance.now() - drainStart) / 1_000);
  for (const phase of phases) {
    if (phase.unit === 'completed') Object.assign(phase, await recorded(plays, phase.from, phase.to));
  }
  problems.push(...(await problemsOf(plays, target, accepted)));
  const deliveries = bench.client.db(db).collection('webhook_deliveries');
  const delivered = await deliveries.countDocuments({ state: 'delivered' });
  // Not a fault, but not good either: plays that only the reconciler brought to a worker.
  const raised = await plays.countDocuments({ epoch: { $gt: 1 } });

  bench.profiling.forget();
  await running.stop();
  await bench.processes.stop(stage.loadProcess);
  await bench.processes.stop(stage.targetProcess);
  await bench.client.db(db).dropDatabase();
  return { part, system, pair, accepted, raised, delivered, drainedPerSecond, phases, problems };
}

/** @typedef {Awaited<ReturnType<typeof setStage>>} Stage */

/** Target, load generator and the system, all fresh. @param {Bench} bench @param {LegPlan} plan @param {string} label @param {string} db */
async function setStage(bench, plan, label, db) {
  const { processes, profiling, folder } = bench;
  const targetProcess = await processes.fork(`${label}-target`, new URL('../target/server.mjs', import.meta.url));
  const loadProcess = await processes.fork(`${label}-load`, new URL('../load/generator.mjs', import.meta.url));
  const target = createTarget(targetProcess);
  const running = await SYSTEMS[plan.system]({
    label,
    mongodbUri: bench.mongod.uri,
    redisUrl: bench.redis.uri,
    db,
    prefix: `bench-${label}`,
    targetOrigin: target.origin,
    folder,
    processes,
    profiling,
    webhooks: bench.options.webhooks,
  });
  if (plan.workerFirst) await running.startWorker();
  const plays = bench.client.db(db).collection('plays');
  return { plays, target, targetProcess, load: createLoad(loadProcess), loadProcess, running };
}

/**
 * Full load first, whatever is measured then, because only the cost of compiled code counts.
 * @param {Bench} bench @param {Stage} stage @param {boolean} withWorker
 */
async function warmUp(bench, stage, withWorker) {
  const { options, signal } = bench;
  const maxOutstanding = withWorker ? options.outstanding : null;
  await startLoad(stage, { mode: 'closed', rate: null, maxOutstanding }, options.connections);
  await delay(options.warmup * 1_000, undefined, { signal });
  const report = await stage.load.stop();
  if (withWorker) await drain(stage.plays, stage.target, report.accepted, goOn(bench, stage));
  return { accepted: report.accepted, problems: refusals(report) };
}

/** @param {Bench} bench @param {Stage} stage @param {Phase} phase */
async function measurePhase({ options, profiling, signal, mongod, redis }, stage, phase) {
  const { load, running } = stage;
  await startLoad(stage, phase, options.connections);
  profiling.begin();
  await delay(SETTLE_MS, undefined, { signal });

  /** @type {Record<string, number>} */
  const pids = { mongod: mongod.pid, redis: redis.pid, target: stage.targetProcess.pid, load: stage.loadProcess.pid };
  for (const [role, { pid }] of Object.entries(running.processes)) pids[role] = pid;
  load.begin();
  const from = new Date();
  const before = readMeter(pids);
  await delay(options.seconds * 1_000, undefined, { signal });
  assertAlive(running.processes);
  const cpu = between(before, readMeter(pids));
  const to = new Date();
  load.end();
  const memory = Object.fromEntries(Object.entries(running.processes).map(([role, { pid }]) => [role, memoryMb(pid)]));
  await profiling.end();
  return {
    ...phase,
    from,
    to,
    cpu,
    memory,
    load: await load.stop(),
    completed: 0,
    completeMs: /** @type {import('../load/tally.mjs').Percentiles | null} */ (null),
  };
}

/** @param {Stage} stage @param {Pick<Phase, 'mode' | 'rate' | 'maxOutstanding'>} phase @param {number} connections */
async function startLoad({ load, target, running }, { mode, rate, maxOutstanding }, connections) {
  const { calls } = await target.ledger();
  const plan = { mode, rate, maxOutstanding, connections, callsBefore: calls };
  await load.start({ ...plan, request: running.request, targetOrigin: target.origin });
}

/** @param {Bench} bench @param {Stage} stage */
function goOn({ signal }, stage) {
  return () => {
    signal.throwIfAborted();
    assertAlive(stage.running.processes);
  };
}

/** @param {import('../load/generator.mjs').LoadReport} report */
function refusals({ refused, errors }) {
  return refused === 0 ? [] : [`${refused} runs were refused: ${errors.join(' · ')}`];
}
