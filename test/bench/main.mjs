// @ts-check
/**
 * `npm run bench`: the product and the floor in turn on the same MongoDB and Redis. Prints what a play costs, writes it to
 * `bench/results/`. It sets no performance goal, but fails when a play was lost, repeated or wrong.
 */
import { execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import mongoose from 'mongoose';
import { startMongod, startRedis } from '../../tools/servers/index.mjs';
import { createProcesses } from './machine/processes.mjs';
import { createProfiling, hottest } from './machine/profiling.mjs';
import { readOptions, USAGE } from './options.mjs';
import { measureAuditExport } from './parts/audit-export.mjs';
import { measureLogins } from './parts/logins.mjs';
import { measureCompare } from './parts/compare.mjs';
import { measureImports } from './parts/imports.mjs';
import { measureMixed } from './parts/mixed.mjs';
import { measureSockets } from './sockets/sockets.mjs';
import { measurePayloads } from './parts/payloads.mjs';
import { measureGrowth } from './parts/growth.mjs';
import { measureRetention } from './parts/retention.mjs';
import { measureWorkers } from './parts/workers.mjs';
import { measureStored } from './stored/stored.mjs';
import { RUN_PART } from './parts/parts.mjs';
import { figuresOf, summarize } from './report/summary.mjs';
import { renderSummary } from './report/table.mjs';

const RESULTS = new URL('../../bench/results/', import.meta.url).pathname;
const HOTTEST_ROWS = 25;
const MEASURE = {
  logins: measureLogins,
  sockets: measureSockets,
  payloads: measurePayloads,
  'audit-export': measureAuditExport,
  retention: measureRetention,
  workers: measureWorkers,
  growth: measureGrowth,
  compare: measureCompare,
  mixed: measureMixed,
  imports: measureImports,
  stored: measureStored,
};
/** As much as an operator gives who keeps this many plays: their indexes fit (docs/deploy/sizing.md). */
const CACHE_GB_OF_STORED = 4;

process.exitCode = await main(process.argv.slice(2));

/** @param {readonly string[]} argv @returns {Promise<number>} exit code */
async function main(argv) {
  const options = optionsOrUsage(argv);
  if (typeof options === 'number') return options;
  const stamp = new Date().toISOString().replaceAll(':', '-').slice(0, 19);
  const abort = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => abort.abort(new Error('interrupted')));

  const folder = await mkdtemp(join(tmpdir(), 'weft-bench-'));
  const logs = join(folder, 'logs');
  await mkdir(logs);
  const processes = createProcesses(logs);
  const profiling = createProfiling({ folder: join(RESULTS, `${stamp}-profiles`), names: options.profile });
  /** @type {(() => Promise<void>)[]} */
  const cleanups = [() => rm(folder, { recursive: true, force: true })];
  /** @type {import('./parts/leg.mjs').LegResult[]} */
  const legs = [];
  let failed = false;

  try {
    const log = (/** @type {string} */ line) => console.log(line);
    const mongod = await startMongod({
      ...{ folder: join(folder, 'mongod'), log },
      cacheGb: options.side.includes('stored') ? CACHE_GB_OF_STORED : undefined,
    });
    cleanups.unshift(() => mongod.stop());
    const redis = await startRedis({ folder: join(folder, 'redis'), log });
    cleanups.unshift(() => redis.stop());
    const client = await new mongoose.mongo.MongoClient(mongod.uri, { maxPoolSize: 2 }).connect();
    cleanups.unshift(() => client.close());
    cleanups.unshift(() => processes.stopAll());
    const bench = { options, mongod, redis, client, processes, profiling, folder, signal: abort.signal };
    for (const part of options.parts) {
      await RUN_PART[part](bench, (leg) => {
        legs.push(leg);
        tell(leg);
      });
    }
    // after the others: what it leaves in MongoDB would change their numbers
    for (const name of options.side) console.log(await MEASURE[name](bench));
  } catch (error) {
    failed = true;
    console.error(abort.signal.aborted ? 'interrupted' : error);
  } finally {
    if (failed && !abort.signal.aborted) {
      await cp(logs, join(RESULTS, `${stamp}-logs`), { recursive: true });
      console.error(`What the processes said: ${join(RESULTS, `${stamp}-logs`)}`);
    }
    for (const cleanup of cleanups) await cleanup();
  }

  const summary = summarize(legs);
  if (legs.length > 0) {
    console.log(renderSummary(summary));
    await mkdir(RESULTS, { recursive: true });
    const file = join(RESULTS, `${stamp}.json`);
    await writeFile(file, `${JSON.stringify({ at: stamp, machine: machine(), options, summary, legs }, null, 2)}\n`);
    console.log(`\n${file}`);
  }
  for (const file of profiling.written()) tellProfile(file);
  return failed || legs.some((leg) => leg.problems.length > 0) ? 1 : 0;
}

/** @param {readonly string[]} argv */
function optionsOrUsage(argv) {
  try {
    const options = readOptions(argv);
    if (!('help' in options)) return options;
    console.log(USAGE);
    return 0;
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    return 2;
  }
}

/** One line per leg as it ends. @param {import('./parts/leg.mjs').LegResult} leg */
function tell(leg) {
  for (const phase of leg.phases) {
    const { playsPerSecond, hostUsPerPlay, oursUsPerPlay } = figuresOf(phase);
    const [rate, host, ours] = [playsPerSecond, hostUsPerPlay, oursUsPerPlay].map((value) => Math.round(value ?? 0));
    const drained = leg.drainedPerSecond === null ? '' : `, drained at ${Math.round(leg.drainedPerSecond)}/s`;
    console.log(`${phase.name} · ${leg.system} ${leg.pair}: ${rate} plays/s, ${host} µs/play (ours ${ours})${drained}`);
  }
  if (leg.raised > 0) console.log(`  ${leg.raised} of ${leg.accepted} plays had to be rung again by the reconciler`);
  if (leg.delivered > 0) console.log(`  ${leg.delivered} webhooks were delivered by the time the last play had ended`);
  for (const problem of leg.problems) console.error(`  WRONG: ${problem}`);
}

/** @param {string} file */
function tellProfile(file) {
  const { byFunction, byPackage } = hottest(file, HOTTEST_ROWS);
  const line = (/** @type {{ name: string, percent: number }} */ { name, percent }) =>
    `${percent.toFixed(1).padStart(6)} %  ${name}`;
  console.log(`\n${file}\n${byPackage.map(line).join('\n')}\n\n${byFunction.map(line).join('\n')}`);
}

function machine() {
  const versions = { node: process.version, mongoose: mongoose.version };
  const kernel = process.platform === 'win32' ? null : execFileSync('uname', ['-sr'], { encoding: 'utf8' }).trim();
  return {
    cpus: cpus().length,
    model: cpus()[0]?.model ?? null,
    memoryMb: Math.round(totalmem() / 2 ** 20),
    kernel,
    ...versions,
  };
}
