// @ts-check
/**
 * How retention affects runs: a company with 200,000 plays, of which retention deletes 190,000 while runs are accepted
 * and executed at a steady rate. Accept times before, during and after.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { createLoad } from '../load/load.mjs';
import { assertAlive } from '../machine/processes.mjs';
import { SYSTEMS } from '../systems/system.mjs';
import { createTarget } from '../target/target.mjs';
import { drain } from './outcome.mjs';
import { addPlays } from './stored-plays.mjs';

const OLD_PLAYS = 190_000;
const YOUNG_PLAYS = 10_000;
const DAY_MS = 86_400_000;
const RATE = 100;
const LONGEST_CLEANUP_MS = 10 * 60_000;

/** @typedef {import('mongoose').mongo.Db} Db */
/** @typedef {import('../load/generator.mjs').LoadReport} LoadReport */

/** @param {import('./leg.mjs').Bench} bench @returns {Promise<string>} a report to print */
export async function measureRetention(bench) {
  const { options, processes, signal } = bench;
  const name = 'bench_retention';
  const db = bench.client.db(name);
  const targetProcess = await processes.fork('retention-target', new URL('../target/server.mjs', import.meta.url));
  const loadProcess = await processes.fork('retention-load', new URL('../load/generator.mjs', import.meta.url));
  const target = createTarget(targetProcess);
  const load = createLoad(loadProcess);
  const running = await SYSTEMS.product({
    label: 'retention',
    mongodbUri: bench.mongod.uri,
    redisUrl: bench.redis.uri,
    db: name,
    prefix: 'bench-retention',
    targetOrigin: target.origin,
    folder: bench.folder,
    processes,
    profiling: bench.profiling,
    env: { RETENTION_CLEANUP_INTERVAL: '1d' },
  });
  const rate = options.rate ?? RATE;
  let accepted = 0;

  /** @param {string} phase @param {() => Promise<unknown>} during */
  async function measure(phase, during) {
    const { calls } = await target.ledger();
    const plan = {
      mode: /** @type {const} */ ('open'),
      rate,
      maxOutstanding: null,
      connections: 0,
      callsBefore: calls,
    };
    await load.start({ ...plan, request: running.request, targetOrigin: target.origin });
    await delay(1_000, undefined, { signal });
    load.begin();
    const outcome = await during();
    load.end();
    const report = await load.stop();
    accepted += report.accepted;
    if (report.refused > 0)
      throw new Error(`${report.refused} runs were refused ${phase}: ${report.errors.join(' · ')}`);
    console.log(row(phase, report));
    return outcome;
  }
  const forAWhile = () => delay(options.seconds * 1_000, undefined, { signal });

  try {
    await running.startWorker();
    await measure('warm-up', () => delay(options.warmup * 1_000, undefined, { signal }));
    await drain(db.collection('plays'), target, accepted, () => assertAlive(running.processes));
    await addPlays(db, OLD_PLAYS, 60 * DAY_MS);
    await addPlays(db, YOUNG_PLAYS, DAY_MS);
    await measure('before', forAWhile);
    const cleanup = await measure('during', () => clean(db, signal));
    await measure('after', forAWhile);
    return await verdict(db, cleanup, accepted);
  } finally {
    await running.stop();
    await processes.stop(loadProcess);
    await processes.stop(targetProcess);
    await db.dropDatabase();
  }
}

/** Asks for a cleanup and waits for its end. @param {Db} db @param {AbortSignal} signal */
async function clean(db, signal) {
  const jobs = db.collection('jobs');
  const before = await jobs.findOneAndUpdate({ _id: /** @type {never} */ ('retention') }, { $set: { asked: true } });
  if (!before) throw new Error('no scheduler knows the job');
  const deadline = Date.now() + LONGEST_CLEANUP_MS;
  while (Date.now() < deadline) {
    await delay(500, undefined, { signal });
    const job = await jobs.findOne({ _id: /** @type {never} */ ('retention') });
    if (job && job.term > before.term && job.status !== 'running') return job;
  }
  throw new Error(`the cleanup did not end within ${LONGEST_CLEANUP_MS / 60_000} minutes`);
}

/** @param {Db} db @param {any} job @param {number} accepted */
async function verdict(db, job, accepted) {
  const old = new Date(Date.now() - 30 * DAY_MS);
  const plays = db.collection('plays');
  const left = await plays.countDocuments({ createdAt: { $lt: old } });
  const stored = await plays.countDocuments();
  const told = await db
    .collection('audit_logs')
    .find({ action_type: 'retention_cleanup_run', collection: 'plays' })
    .toArray();
  const counted = told.reduce((sum, entry) => sum + entry.entries_deleted, 0);
  if (job.status !== 'ok') throw new Error(`the cleanup ended ${job.status}`);
  if (left > 0) throw new Error(`${left} old plays are still there`);
  if (stored !== YOUNG_PLAYS + accepted)
    throw new Error(`${YOUNG_PLAYS + accepted} plays should be there and ${stored} are`);
  if (counted !== OLD_PLAYS) throw new Error(`${OLD_PLAYS} plays went and the audit log tells of ${counted}`);
  const seconds = job.durationMs / 1_000;
  return `retention: ${OLD_PLAYS} of ${OLD_PLAYS + YOUNG_PLAYS} plays deleted in ${seconds.toFixed(0)} s (${Math.round(OLD_PLAYS / seconds)}/s), none of the others`;
}

/** @param {string} phase @param {LoadReport} report */
function row(phase, { acceptMs, acceptedInWindow }) {
  const ms = (/** @type {number | undefined} */ value) => `${(value ?? 0).toFixed(1)} ms`;
  return `retention · ${phase}: ${acceptedInWindow} runs accepted, p50 ${ms(acceptMs?.p50)}, p95 ${ms(acceptMs?.p95)}, p99 ${ms(acceptMs?.p99)}, max ${ms(acceptMs?.max)}`;
}
