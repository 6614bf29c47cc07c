// @ts-check
/**
 * A thousand sockets on two gateways, in a hundred companies, each on its company's stream, while plays run in all of them:
 * how soon after its write the end of a play reaches its readers, and what a message and a socket cost. Then the same with
 * 500 more readers that stop reading, in a separate company whose plays have many large messages.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Pool, request } from 'undici';
import { ask } from '../machine/processes.mjs';
import { between, memoryMb, readMeter } from '../machine/meter.mjs';
import { startProduct } from '../systems/product.mjs';
import { createTarget } from '../target/target.mjs';
import { addCompany } from './companies.mjs';

const SOCKETS = 1_000;
const COMPANIES = 100;
const GATEWAYS = 2;
/** Default of `--rate`, in plays per second. */
const RATE = 200;
/** Until the code of every socket and every company is compiled. */
const WARM_SECONDS = 20;
const STUCK = 500;
const STUCK_USERS = 10;
/** Of the plays that stuck readers do not read: about 500 KB each, at this interval. */
const BIG = { layers: 40, characters: 12_000, everyMs: 1_000 };
/** Each takes a megabyte that it does not confirm; then 10 s, and 10 s for the closing handshake. */
const STUCK_SECONDS = 40;
const ANSWER_WITHIN_MS = 120_000;

/**
 * @typedef {object} Row
 * @property {string} name
 * @property {{ p50: number, p95: number, p99: number } | null} stored ms from the time stored in the frame to its arrival
 * @property {{ p50: number, p95: number } | null} notice ms from the notice that the write is acknowledged
 * @property {number} perSecond messages
 * @property {number} plays per second
 * @property {number} cpuUs of both gateways, per message
 * @property {number} busy share of the host's CPU time
 * @property {Record<string, number>} spent by whom, in % of one CPU
 * @property {number[]} memoryMb of the gateways
 * @property {Record<string, number>} lagMs of the gateways' event loops, by quantile; of the later one
 */

/** @param {import('../parts/leg.mjs').Bench} bench @returns {Promise<string>} a report to print */
export async function measureSockets(bench) {
  const { processes, signal, options } = bench;
  const rate = options.rate ?? RATE;
  const db = 'bench_sockets';
  const targetProcess = await processes.fork('sockets-target', new URL('../target/server.mjs', import.meta.url));
  const readers = await processes.fork('sockets-readers', new URL('./readers.mjs', import.meta.url));
  const prefix = 'bench-sockets';
  const product = await startProduct({
    ...{ label: 'sockets', mongodbUri: bench.mongod.uri, redisUrl: bench.redis.uri, db, prefix },
    ...{
      targetOrigin: createTarget(targetProcess).origin,
      folder: bench.folder,
      processes,
      profiling: bench.profiling,
    },
  });
  let orders = 0;
  const order = async (/** @type {object} */ what) => {
    const n = (orders += 1);
    const answer = await ask(readers, { n, ...what }, ({ done }) => done === n, ANSWER_WITHIN_MS);
    if (answer.error) throw new Error(answer.error);
    return answer;
  };
  const load = createRuns(product.request.origin);
  try {
    await product.startWorker();
    const gateways = await product.startGateways(GATEWAYS);
    const pids = pidsOf({ ...product.processes, target: targetProcess, readers }, bench);
    const flowId = product.request.path.split('/').at(-2) ?? '';
    const store = bench.client.db(db);
    /** @type {import('./companies.mjs').Company[]} */
    const companies = [];
    for (let i = 0; i < COMPANIES; i += 1) companies.push(await addCompany(store, flowId, `c${i}`, 1));
    const places = (/** @type {number} */ count, /** @type {(i: number) => string} */ cookieOf) =>
      Array.from({ length: count }, (_, i) => ({
        url: `${gateways[i % GATEWAYS]?.origin.replace('http', 'ws')}/api/ws`,
        cookie: cookieOf(i),
      }));

    const origins = gateways.map(({ origin }) => origin);
    const memory = () => gateways.map(({ pid }) => memoryMb(pid).now);
    const empty = memory();
    await order({ listen: { redisUrl: bench.redis.uri, prefix } });
    const everyone = places(SOCKETS, (i) => companies[Math.floor(i / GATEWAYS) % COMPANIES]?.cookies[0] ?? '');
    await order({ open: { places: everyone, stuck: false } });
    await delay(1_000, undefined, { signal });
    const perSocketKb = (sum(memory()) - sum(empty)) * (1_024 / SOCKETS);

    const stop = load.every(1_000 / rate, (n) => {
      const { cookies, runPath } = companies[n % COMPANIES] ?? { cookies: [], runPath: '' };
      return { path: runPath, cookie: cookies[0] ?? '' };
    });
    /** @param {string} name @param {number} seconds @returns {Promise<Row>} */
    const measure = async (name, seconds) => {
      await order({ begin: true });
      await lagSince(origins);
      const sent = load.accepted();
      const before = readMeter(pids);
      await delay(seconds * 1_000, undefined, { signal });
      const cpu = between(before, readMeter(pids));
      const { messages, stored, notice, closed } = await order({ end: true });
      const lagMs = await lagSince(origins);
      if (closed > 0) throw new Error(`${closed} readers were cut off`);
      return {
        ...{ name, stored, notice, perSecond: messages / cpu.seconds, plays: (load.accepted() - sent) / cpu.seconds },
        ...{
          cpuUs: sum(gateways.map((_, i) => cpu.processUs[`realtime-${i}`] ?? 0)) / messages,
          busy: (cpu.hostUs ?? 0) / cpu.availableUs,
          memoryMb: memory(),
          lagMs,
        },
        spent: Object.fromEntries(Object.entries(cpu.processUs).map(([who, us]) => [who, us / (cpu.seconds * 1e4)])),
      };
    };
    await delay(Math.max(options.warmup, WARM_SECONDS) * 1_000, undefined, { signal });
    bench.profiling.begin();
    const rows = [await measure('all read', options.seconds)];
    await bench.profiling.end();

    const slow = await addCompany(store, await bigFlow(product.request), 'slow', STUCK_USERS);
    const stuck = await processes.fork('sockets-stuck', new URL('./readers.mjs', import.meta.url));
    const stuckPlaces = places(STUCK, (i) => slow.cookies[Math.floor(i / GATEWAYS) % STUCK_USERS] ?? '');
    const isOpen = (/** @type {any} */ { done }) => done === 0;
    await ask(stuck, { n: 0, open: { places: stuckPlaces, stuck: true } }, isOpen, ANSWER_WITHIN_MS);
    const stopBig = load.every(BIG.everyMs, () => ({ path: slow.runPath, cookie: slow.cookies[0] ?? '' }));
    rows.push(await measure(`beside ${STUCK} that do not read`, Math.max(options.seconds, STUCK_SECONDS)));
    stopBig();
    rows.push(await measure('after them', options.seconds));
    stop();
    const closes = await closedWith(origins);
    await processes.stop(stuck);
    const wrong = load.refused().map((why) => `\nWRONG: a run was refused: ${why}`);
    return report(rows, rate, perSocketKb, closes) + wrong.join('');
  } finally {
    await load.close();
    await product.stop();
    await processes.stop(readers);
    await bench.client.db(db).dropDatabase();
  }
}

/** A flow whose plays have much to say. @param {{ origin: string, headers: Record<string, string> }} api @returns {Promise<string>} its id */
async function bigFlow({ origin, headers }) {
  const template = 'x'.repeat(BIG.characters);
  const layers = Array.from({ length: BIG.layers }, (_, i) => ({
    ref: `l${i}`,
    appId: 'text-template',
    args: { template },
  }));
  const { statusCode, body } = await request(`${origin}/api/v1/flows/import`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ document: { schema: 'weft.flow/1', name: 'Big', layers } }),
  });
  const flow = /** @type {{ id: string }} */ (await body.json());
  if (statusCode !== 201) throw new Error(`the big flow: ${statusCode} ${JSON.stringify(flow)}`);
  const enabled = await request(`${origin}/api/v1/flows/${flow.id}`, {
    method: 'PUT',
    headers: { ...headers, 'content-type': 'application/json' },
    body: '{"enabled":true}',
  });
  await enabled.body.dump();
  return flow.id;
}

/** Posts runs at a steady rate, whatever the answers do. @param {string} origin */
function createRuns(origin) {
  const pool = new Pool(origin, { connections: null, pipelining: 1 });
  /** @type {string[]} */
  const refused = [];
  let accepted = 0;

  /** @param {{ path: string, cookie: string }} to @param {number} n */
  async function post({ path, cookie }, n) {
    try {
      const headers = { cookie, 'content-type': 'application/json' };
      const { statusCode, body } = await pool.request({ path, method: 'POST', headers, body: `{"args":{"n":${n}}}` });
      const text = await body.text();
      if (statusCode === 202) accepted += 1;
      else if (refused.length < 5) refused.push(`${statusCode} ${text.slice(0, 300)}`);
    } catch (error) {
      if (refused.length < 5) refused.push(String(error));
    }
  }

  return {
    accepted: () => accepted,
    refused: () => refused,
    close: () => pool.destroy(),
    /** @param {number} ms @param {(n: number) => { path: string, cookie: string }} next @returns {() => void} */
    every(ms, next) {
      const startedAt = performance.now();
      let sent = 0;
      const timer = setInterval(() => {
        for (; sent < (performance.now() - startedAt) / ms; sent += 1) void post(next(sent), sent);
      }, 1);
      return () => clearInterval(timer);
    },
  };
}

/** How late the event loops were since they were asked before. @param {readonly string[]} origins */
async function lagSince(origins) {
  /** @type {Record<string, number>} */
  const lagMs = {};
  for (const origin of origins) {
    const page = await (await request(`${origin}/metrics`)).body.text();
    for (const [, percentile = '', seconds] of page.matchAll(/event_loop_lag_seconds\{percentile="([^"]+)"\} (\S+)/g)) {
      lagMs[percentile] = Math.max(lagMs[percentile] ?? 0, Number(seconds) * 1_000);
    }
  }
  return lagMs;
}

/** Close codes and how often, over all gateways. @param {readonly string[]} origins */
async function closedWith(origins) {
  /** @type {Record<string, number>} */
  const closes = {};
  for (const origin of origins) {
    const page = await (await request(`${origin}/metrics`)).body.text();
    for (const [, code = '', count] of page.matchAll(/live_sockets_closed_total\{[^}]*="([^"]+)"[^}]*\} (\d+)/g)) {
      closes[code] = (closes[code] ?? 0) + Number(count);
    }
  }
  return closes;
}

/** @param {readonly Row[]} rows @param {number} rate @param {number} perSocketKb @param {Record<string, number>} closes */
function report(rows, rate, perSocketKb, closes) {
  const ms = (/** @type {number | undefined} */ value) => (value === undefined ? '–' : value.toFixed(1)).padStart(8);
  const lines = rows.map(({ name, stored, notice, perSecond, plays, cpuUs, busy, memoryMb: memory }) =>
    [
      name.padEnd(28),
      `${ms(stored?.p50)}${ms(stored?.p95)}${ms(stored?.p99)}`,
      `${ms(notice?.p50)}${ms(notice?.p95)}`,
      `${Math.round(perSecond)}/s (${Math.round(plays)} plays/s)`.padStart(22),
      `${cpuUs.toFixed(1)} µs`.padStart(10),
      `${Math.round(busy * 100)} %`.padStart(6),
      memory.map((mb) => `${Math.round(mb)} MB`).join(' + '),
    ].join('  '),
  );
  return [
    `${SOCKETS} sockets in ${COMPANIES} companies on ${GATEWAYS} gateways, ${rate} plays/s:`,
    `${''.padEnd(28)}  stored → message, ms      notice → message     messages                CPU each   host  gateways`,
    `${''.padEnd(28)}       p50     p95     p99     p50     p95`,
    ...lines,
    ...rows.map(({ name, spent }) => `% of a CPU, ${name}: ${spentOn(spent)}`),
    ...rows.map(({ name, lagMs }) => `event loop of the later gateway, ms late, ${name}: ${lateness(lagMs)}`),
    `memory per socket: ${perSocketKb.toFixed(1)} KB; closed by the server: ${JSON.stringify(closes)}`,
  ].join('\n');
}

/** @param {Record<string, number>} spent */
function spentOn(spent) {
  const most = Object.entries(spent).sort(([, a], [, b]) => b - a);
  return most.map(([who, percent]) => `${who} ${Math.round(percent)}`).join(', ');
}

/** @param {Record<string, number>} lagMs */
function lateness(lagMs) {
  const of = (/** @type {string} */ quantile) => (lagMs[quantile] ?? Number.NaN).toFixed(1);
  return `p50 ${of('0.5')}, p95 ${of('0.95')}, p99 ${of('0.99')}, longest ${of('1')}`;
}

/** @param {Record<string, import('../machine/processes.mjs').Started>} started @param {import('../parts/leg.mjs').Bench} bench */
function pidsOf(started, { mongod, redis }) {
  const pids = Object.entries(started).map(([name, { pid }]) => [name, pid]);
  return Object.fromEntries([...pids, ['mongod', mongod.pid], ['redis', redis.pid], ['load', process.pid]]);
}

/** @param {readonly number[]} values */
function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}
