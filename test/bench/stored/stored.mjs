// @ts-check
/**
 * What an installation does that has millions of stored plays (`--plays`): every list, count and figure over HTTP, the looks of an idle
 * scheduler, a turn of retention, starts with all indexes and with some to build. Twice: with a tenth of the plays, and with all.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { readFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { between, readMeter } from '../machine/meter.mjs';
import { openProductStage } from '../parts/product-stage.mjs';
import { ADMIN } from '../systems/product.mjs';
import { answer, profiled, sender, signIn } from './asker.mjs';
import { fill } from './fill.mjs';
import { makeModels } from './models.mjs';
import { questionsAbout } from './questions.mjs';
import { renderAnswers, renderGrowth } from './report.mjs';

const TIMES = 20;
const HOUR_MS = 3_600_000;
const SWEEP_SECONDS = 20;
const RETENTION_SECONDS = 30;
const LONGEST_BUILD_MS = 3 * HOUR_MS;
/** Of a version that comes: these are built while another process serves. */
const ADDED_INDEXES = ['flow_states', 'company_errors'];

/** @param {import('../parts/leg.mjs').Bench} bench @returns {Promise<string>} a report to print */
export async function measureStored(bench) {
  const { options, signal } = bench;
  const stage = await openProductStage(bench, 'stored', { env: { RETENTION_CLEANUP_INTERVAL: '1d' } });
  try {
    const { running, db, target } = stage;
    await running.startWorker();
    const { origin } = running.request;
    const send = sender(origin, await signIn(origin, ADMIN));
    const made = await makeModels({ send, db, targetOrigin: target.origin });
    await running.halt('worker');
    await running.halt('scheduler');
    const sizes = [];
    for (const plays of [Math.round(options.plays / 10), options.plays]) {
      console.log(await grow({ bench, stage, made }, plays));
      const { rows, report } = await question({ stage, made, signal });
      console.log(report);
      console.log(await sweep(bench, stage));
      sizes.push({ plays, rows });
    }
    const failed = sizes.flatMap(({ rows }) => rows.flatMap(([name, { status }]) => (status >= 500 ? [name] : [])));
    if (failed.length > 0)
      throw new Error(`these are not bounded, and were answered by an error: ${failed.join(', ')}`);
    const [small, large] = sizes;
    return small && large ? renderGrowth(small, large) : '';
  } finally {
    await stage.close();
  }
}

/**
 * Fills the collection without its indexes, and starts an API, which makes them.
 * @param {{ bench: import('../parts/leg.mjs').Bench, stage: import('../parts/product-stage.mjs').Stage, made: any }} all @param {number} plays
 */
async function grow({ bench, stage, made }, plays) {
  const { db, running } = /** @type {{ db: import('mongoose').mongo.Db, running: any }} */ (stage);
  const lines = [];
  const collection = db.collection('plays');
  await running.halt('api');
  await collection.dropIndexes();
  const stored = await collection.estimatedDocumentCount();
  const filling = await seconds(() => fill(db, made, plays - stored, bench.signal));
  lines.push(`filled to ${plays.toLocaleString('en')} plays: ${rate(plays - stored, filling)}`);
  const building = await seconds(() => running.launch('api', 'api', LONGEST_BUILD_MS));
  lines.push(`API started, all indexes of plays missing: ${building.toFixed(1)} s`);
  const said = (await readFile(join(bench.folder, 'logs', 'stored-api.log'), 'utf8')).split('\n');
  lines.push(...said.filter((line) => line.includes('is building indexes')).slice(-3));
  await running.halt('api');
  const start = await seconds(() => relaunch(running));
  lines.push(`API started, all indexes there: ${start.toFixed(2)} s`);
  lines.push(await buildWhileServing(bench, stage));
  const { size, storageSize, totalIndexSize, avgObjSize } = await db.command({ collStats: 'plays' });
  const gb = (/** @type {number} */ bytes) => `${(bytes / 1e9).toFixed(2)} GB`;
  lines.push(
    `${gb(size)} of BSON (${avgObjSize} bytes a play), ${gb(storageSize)} on disk, indexes ${gb(totalIndexSize)} (${Math.round(totalIndexSize / plays)} bytes a play)`,
  );
  return lines.map((line) => `stored · ${line}`).join('\n');
}

/** @param {any} running */
async function relaunch(running) {
  running.request.origin = await running.launch('api', 'api', LONGEST_BUILD_MS);
}

/**
 * A version with two indexes more begins its rollout: one process of it builds them, a second one starts, and one that has run before serves.
 * @param {import('../parts/leg.mjs').Bench} bench @param {any} stage
 */
async function buildWhileServing({ signal }, { db, running }) {
  const { origin } = running.request;
  const at = { db, signal, origin, cookie: await signIn(origin, ADMIN) };
  for (const name of ADDED_INDEXES) await db.collection('plays').dropIndex(name);
  const begun = performance.now();
  /** @type {number[]} */
  const ready = [];
  const start = async (/** @type {string} */ name) => {
    await running.launch('api', name, LONGEST_BUILD_MS);
    ready.push((performance.now() - begun) / 1_000);
  };
  const starts = [start('api-new'), delay(2_000).then(() => start('api-second'))];
  let [done, slowest, asked] = [false, 0, 0];
  const all = Promise.all(starts).finally(() => (done = true));
  while (!done) {
    const { p50 } = await answer(at, '/api/v1/plays?size=50', 1);
    slowest = Math.max(slowest, p50);
    asked += 1;
    await Promise.race([delay(250), all]);
  }
  await all;
  await running.halt('api-new');
  await running.halt('api-second');
  return `two indexes missing: the first new process ready after ${ready[0]?.toFixed(1)} s, the second, 2 s later, after ${ready[1]?.toFixed(1)} s; meanwhile another process answered ${asked} lists, the slowest in ${slowest.toFixed(0)} ms`;
}

/** @param {{ stage: any, made: any, signal: AbortSignal }} all */
async function question({ stage, made, signal }) {
  const { db, running } = stage;
  const { origin } = running.request;
  const at = { db, signal, origin, cookie: await signIn(origin, ADMIN) };
  const [company] = made.companies;
  const plays = db.collection('plays');
  const labelled = await plays.findOne({ company_id: company.id, labels: { $exists: true } });
  const order = String(labelled?.labels.find((/** @type {string} */ each) => each.startsWith('customer:'))).slice(9);
  const failed = await plays.findOne({ company_id: company.id, state: 'FAIL', 'error.code': { $ne: 'cancelled' } });
  const of = {
    error: String(failed?.error.code),
    ...{ flow: company.flows[0], rare: company.flows.at(-1), play: String(labelled?._id), order },
    endedFrom: new Date(Date.now() - HOUR_MS).toISOString(),
  };
  /** @type {[string, import('./asker.mjs').Answered][]} */
  const rows = [];
  for (const [name, path] of questionsAbout(of)) rows.push([name, await answer(at, path, TIMES)]);
  return { rows, report: renderAnswers(rows, await plays.estimatedDocumentCount()) };
}

/**
 * What a scheduler reads in an installation that runs nothing, and how fast its retention deletes.
 * @param {import('../parts/leg.mjs').Bench} bench @param {any} stage
 */
async function sweep(bench, { db, running }) {
  let origin = '';
  const start = await seconds(async () => (origin = await running.launch('scheduler', 'scheduler', LONGEST_BUILD_MS)));
  const lines = [`scheduler started: ${start.toFixed(2)} s`];
  const pids = { mongod: bench.mongod.pid, scheduler: running.processes.scheduler.pid };
  const meter = readMeter(pids);
  const { operations } = await profiled(db, () => delay(SWEEP_SECONDS * 1_000));
  const { processUs } = between(meter, readMeter(pids));
  const most = (/** @type {string} */ field) => Math.max(0, ...operations.map((each) => each[field] ?? 0));
  const share = (/** @type {string} */ name) => ((processUs[name] ?? 0) / SWEEP_SECONDS / 1e4).toFixed(1);
  lines.push(
    `its sweeps in ${SWEEP_SECONDS} s: ${operations.length} operations on plays, at most ${most('keysExamined')} keys and ${most('docsExamined')} documents for one, the slowest ${most('millis')} ms; CPU scheduler ${share('scheduler')} %, mongod ${share('mongod')} % of a core`,
  );
  const slowest = operations.toSorted((one, other) => other.millis - one.millis).slice(0, 3);
  for (const each of slowest)
    lines.push(`  ${each.millis} ms ${each.planSummary ?? each.op}, ${each.docsExamined ?? 0} documents`);
  lines.push(await retain(bench, { db, running, origin }));
  await running.halt('scheduler');
  return lines.map((line) => `stored · ${line}`).join('\n');
}

/** @param {import('../parts/leg.mjs').Bench} bench @param {any} stage */
async function retain({ signal, mongod }, { db, running, origin }) {
  const plays = db.collection('plays');
  const before = await plays.estimatedDocumentCount();
  const pids = { mongod: mongod.pid, scheduler: running.processes.scheduler.pid };
  const meter = readMeter(pids);
  await db.collection('jobs').updateOne({ _id: 'retention' }, { $set: { asked: true } });
  await delay(RETENTION_SECONDS * 1_000, undefined, { signal });
  const deleted = before - (await plays.estimatedDocumentCount());
  const { processUs } = between(meter, readMeter(pids));
  const us = (/** @type {string} */ name) => Math.round((processUs[name] ?? 0) / Math.max(1, deleted));
  const worked = await stepSeconds(origin);
  return `retention, ${RETENTION_SECONDS} s of a run, with its pauses: ${rate(deleted, RETENTION_SECONDS)}, without them: ${rate(deleted, worked)}, CPU of a play: mongod ${us('mongod')} µs, scheduler ${us('scheduler')} µs; ${cpus().length} cores`;
}

/** In which retention deleted plays. @param {string} origin of the scheduler */
async function stepSeconds(origin) {
  const page = await (await fetch(`${origin}/metrics`)).text();
  return Number(/^weft_retention_step_seconds_total\{collection="plays"\} (\S+)$/m.exec(page)?.[1]);
}

/** @param {number} count @param {number} took seconds */
function rate(count, took) {
  return `${count.toLocaleString('en')} in ${took.toFixed(0)} s, ${Math.round(count / took).toLocaleString('en')}/s`;
}

/** @param {() => Promise<unknown>} work */
async function seconds(work) {
  const from = performance.now();
  await work();
  return (performance.now() - from) / 1_000;
}
