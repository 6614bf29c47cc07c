// @ts-check
/**
 * Everything at once, as in a busy installation: runs at a steady rate, readers of the company's stream, schedules, lists, and
 * retention that deletes what is older than a minute. What must not grow with time: memory, and the 99th percentile.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { createLoad } from '../load/load.mjs';
import { percentiles } from '../load/tally.mjs';
import { ask } from '../machine/processes.mjs';
import { memoryMb } from '../machine/meter.mjs';
import { addCompany } from '../sockets/companies.mjs';
import { startProduct } from '../systems/product.mjs';
import { createTarget } from '../target/target.mjs';

const RATE = 100;
const READERS = 50;
const SCHEDULES = 20;
const INTERVALS = 5;
const LIST_EVERY_MS = 200;
const LISTS = ['?size=50', '?state=DONE&size=50', '?state=FAIL', '?trigger=schedule', '?size=20&page=3'];
const RETENTION_EVERY_MS = 30_000;
const ANSWER_WITHIN_MS = 60_000;

/** @param {import('./leg.mjs').Bench} bench @returns {Promise<string>} a report to print */
export async function measureMixed(bench) {
  const { options, processes, signal } = bench;
  const name = 'bench_mixed';
  const db = bench.client.db(name);
  const targetProcess = await processes.fork('mixed-target', new URL('../target/server.mjs', import.meta.url));
  const loadProcess = await processes.fork('mixed-load', new URL('../load/generator.mjs', import.meta.url));
  const readers = await processes.fork('mixed-readers', new URL('../sockets/readers.mjs', import.meta.url));
  const target = createTarget(targetProcess);
  const load = createLoad(loadProcess);
  const product = await startProduct({
    ...{ label: 'mixed', mongodbUri: bench.mongod.uri, redisUrl: bench.redis.uri, db: name, prefix: 'bench-mixed' },
    ...{ targetOrigin: target.origin, folder: bench.folder, processes, profiling: bench.profiling },
  });
  const { origin } = product.request;
  let orders = 0;
  const order = async (/** @type {object} */ what) => {
    const n = (orders += 1);
    const answer = await ask(readers, { n, ...what }, ({ done }) => done === n, ANSWER_WITHIN_MS);
    if (answer.error) throw new Error(answer.error);
    return answer;
  };
  const done = new AbortController();
  try {
    await product.startWorker();
    const [gateway] = await product.startGateways(1);
    const company = await addCompany(db, product.request.path.split('/').at(-2) ?? '', 'mixed', 1);
    const cookie = company.cookies[0] ?? '';
    const send = sender(origin, cookie);
    const flow_id = company.runPath.split('/').at(-2);
    for (let i = 0; i < SCHEDULES; i += 1) {
      await send('POST', '/api/v1/scheduler/jobs', { flow_id, schedule: '* * * * *', args: { n: i } });
    }
    await send('POST', '/api/v1/admin/retention-policies', { scope: 'plays', cadence: '1m', min_entries: 500 });
    const place = { url: `${gateway?.origin.replace('http', 'ws')}/api/ws`, cookie };
    await order({ open: { places: Array.from({ length: READERS }, () => place), stuck: false } });
    /** @type {number[]} */
    let listMs = [];
    const lists = every(LIST_EVERY_MS, done.signal, async (n) => {
      const startedMs = performance.now();
      await send('GET', `/api/v1/plays${LISTS[n % LISTS.length]}`);
      listMs.push(performance.now() - startedMs);
    });
    const cleanups = every(RETENTION_EVERY_MS, done.signal, async () => {
      await db.collection('jobs').updateOne({ _id: /** @type {never} */ ('retention') }, { $set: { asked: true } });
    });

    const rate = options.rate ?? RATE;
    const lines = [`mixed: ${rate} runs/s, ${READERS} readers, ${SCHEDULES} schedules, lists, retention`];
    for (let i = 0; i <= INTERVALS; i += 1) {
      const seconds = i === 0 ? options.warmup : options.seconds / INTERVALS;
      const { calls } = await target.ledger();
      const plan = {
        mode: /** @type {const} */ ('open'),
        rate,
        maxOutstanding: null,
        connections: 0,
        callsBefore: calls,
      };
      const to = { origin, path: company.runPath, headers: { cookie } };
      await load.start({ ...plan, request: to, targetOrigin: target.origin });
      await delay(500, undefined, { signal });
      load.begin();
      await order({ begin: true });
      listMs = [];
      await delay(seconds * 1_000, undefined, { signal });
      load.end();
      const { stored, closed } = await order({ end: true });
      const { acceptMs, refused, errors } = await load.stop();
      if (refused > 0) throw new Error(`${refused} runs were refused: ${errors.join(' · ')}`);
      if (closed > 0) throw new Error(`${closed} readers were cut off`);
      if (i > 0) lines.push(row(i, { acceptMs, stored, listMs, memory: memoryOf(product.processes) }));
    }
    done.abort();
    await Promise.all([lists, cleanups]);
    const scheduled = await db.collection('plays').countDocuments({ company_id: company.id, trigger: 'schedule' });
    const cleaned = await db.collection('audit_logs').countDocuments({ action_type: 'retention_cleanup_run' });
    return `${lines.join('\n')}\nmixed: ${scheduled} plays of schedules are stored, ${cleaned} cleanups deleted plays`;
  } finally {
    done.abort();
    await product.stop();
    for (const each of [readers, loadProcess, targetProcess]) await processes.stop(each);
    await db.dropDatabase();
  }
}

/** @param {string} origin @param {string} cookie */
function sender(origin, cookie) {
  return async (
    /** @type {'GET' | 'POST'} */ method,
    /** @type {string} */ path,
    /** @type {object} */ payload = {},
  ) => {
    const json = { 'content-type': 'application/json' };
    const { statusCode, body } = await request(origin + path, {
      ...{ method, headers: { cookie, ...(method === 'POST' && json) } },
      ...(method === 'POST' && { body: JSON.stringify(payload) }),
    });
    const text = await body.text();
    if (statusCode >= 300) throw new Error(`${method} ${path} answered ${statusCode}: ${text.slice(0, 300)}`);
  };
}

/** One after the other. @param {number} ms @param {AbortSignal} until @param {(n: number) => Promise<void>} work */
async function every(ms, until, work) {
  for (let n = 0; !until.aborted; n += 1) {
    await work(n);
    await delay(ms, undefined, { signal: until }).catch(() => undefined);
  }
}

/** @param {Record<string, { pid: number }>} running */
function memoryOf(running) {
  return Object.entries(running).map(([role, { pid }]) => `${role} ${Math.round(memoryMb(pid).now)}`);
}

/**
 * @param {number} i
 * @param {{ acceptMs: import('../load/tally.mjs').Percentiles | null, stored: import('../load/tally.mjs').Percentiles | null, listMs: number[], memory: string[] }} seen
 */
function row(i, { acceptMs, stored, listMs, memory }) {
  const of = (
    /** @type {import('../load/tally.mjs').Percentiles | null} */ figures,
    /** @type {'p50' | 'p95' | 'p99'} */ part,
  ) => `${part} ${(figures?.[part] ?? 0).toFixed(1)}`;
  const lists = percentiles(listMs);
  return `mixed · ${i}: accepted ${of(acceptMs, 'p50')} ${of(acceptMs, 'p99')} ms; shown ${of(stored, 'p50')} ${of(stored, 'p99')} ms after its write; lists ${of(lists, 'p95')} ms; MB: ${memory.join(', ')}`;
}
