// @ts-check
/**
 * How imports of APIs affect runs: documents of 12 MB with 1,000 operations are imported, each time another one than before, from an
 * address and as an upload in turn, while runs are accepted and executed at a steady rate. Accept times without an import, with one and
 * with one after another, in turn, and the memory of the processes.
 */
import { createServer } from 'node:http';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { createLoad } from '../load/load.mjs';
import { between, memoryMb, readMeter } from '../machine/meter.mjs';
import { assertAlive } from '../machine/processes.mjs';
import { SYSTEMS } from '../systems/system.mjs';
import { createTarget } from '../target/target.mjs';
import { drain, problemsOf } from './outcome.mjs';

const OPERATIONS = 1_000;
const CHARS_OF_DESCRIPTION = 11_800;
const RATE = 100;
/** Imports of one API: the states of its operations are kept, and there is a limit. */
const IMPORTS_OF_ONE = 15;
/** Appears once in a document. */
const MARK = 987_654_321;
const LOOK_EVERY_MS = 200;
const HEADERS = { 'content-type': 'application/json' };

/** Of the network between Weft and others, as of one with 100 Mbit/s. */
const PIECE = { bytes: 64 * 1024, everyMs: 5 };

/** How many imports begin while a leg is measured. */
const LEGS = { without: 0, 'one import': 1, 'one after another': Infinity };

/** @typedef {import('../load/generator.mjs').LoadReport} LoadReport */

/** @param {import('./leg.mjs').Bench} bench @returns {Promise<string>} a report to print */
export async function measureImports(bench) {
  const { options, processes, signal } = bench;
  const name = 'bench_imports';
  const db = bench.client.db(name);
  const targetProcess = await processes.fork('imports-target', new URL('../target/server.mjs', import.meta.url));
  const loadProcess = await processes.fork('imports-load', new URL('../load/generator.mjs', import.meta.url));
  const target = createTarget(targetProcess);
  const load = createLoad(loadProcess);
  const documents = await serveDocuments();
  const running = await SYSTEMS.product({
    ...{ label: 'imports', mongodbUri: bench.mongod.uri, redisUrl: bench.redis.uri, db: name, prefix: 'bench-imports' },
    ...{ targetOrigin: target.origin, folder: bench.folder, processes, profiling: bench.profiling },
  });
  const { origin, headers } = running.request;
  const rate = options.rate ?? RATE;
  /** @type {Record<string, number>} */
  const pids = {
    ...{ mongod: bench.mongod.pid, redis: bench.redis.pid },
    ...{ bench: process.pid, load: loadProcess.pid, target: targetProcess.pid },
  };
  let accepted = 0;
  let imports = 0;

  /** @param {string} path @param {object} [payload] sent by POST; left out: GET @returns {Promise<any>} */
  async function api(path, payload) {
    const sent = payload && { method: /** @type {const} */ ('POST'), body: JSON.stringify(payload) };
    const answer = await request(origin + path, { headers: { ...headers, ...(payload && HEADERS) }, ...sent });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${path} answered ${answer.statusCode}: ${text.slice(0, 300)}`);
    return JSON.parse(text);
  }

  /** @param {Buffer} body @returns {Promise<string>} */
  async function upload(body) {
    const length = { 'content-length': String(body.length) };
    const sent = { method: /** @type {const} */ ('POST'), headers: { ...headers, ...HEADERS, ...length } };
    const answer = await request(`${origin}/api/v1/payloads`, { ...sent, body: Readable.from(inPieces(body)) });
    const { $ref } = /** @type {{ $ref: string }} */ (await answer.body.json());
    return $ref;
  }

  /** Until the last one has ended. @param {number} count @param {AbortSignal} until */
  async function importSome(count, until) {
    for (let begun = 0; begun < count && !until.aborted; begun += 1) {
      const source =
        imports % 2 === 0
          ? { url: `${documents.origin}/${imports}` }
          : { payload: { $ref: await upload(documents.of(String(imports))) } };
      const path = '/api/v1/apis';
      const key = `large-${Math.floor(imports / IMPORTS_OF_ONE)}`;
      const { id } = await (imports % IMPORTS_OF_ONE === 0
        ? api(path, { name: 'Large', key, source })
        : api(`${path}/${key}/refresh`, { source }));
      for (let state = 'importing'; state !== 'ready';) {
        await delay(LOOK_EVERY_MS, undefined, { signal });
        const { fault, ...found } = await api(`${path}/${id}`);
        state = found.state;
        if (state === 'failed') throw new Error(`import ${imports} failed: ${fault}`);
      }
      imports += 1;
    }
  }

  /** @param {number} seconds @param {number} count of imports, at most @returns {Promise<LoadReport & { processUs: Record<string, number> }>} `others`: all other processes of the machine, with that which reads documents */
  async function measure(seconds, count) {
    const { calls } = await target.ledger();
    const plan = {
      mode: /** @type {const} */ ('open'),
      rate,
      maxOutstanding: null,
      connections: 0,
      callsBefore: calls,
    };
    await load.start({ ...plan, request: running.request, targetOrigin: target.origin });
    const done = new AbortController();
    await delay(1_000, undefined, { signal });
    load.begin();
    const importing = importSome(count, done.signal);
    importing.catch(() => undefined); // awaited below
    const before = readMeter(pids);
    await delay(seconds * 1_000, undefined, { signal });
    const { hostUs, oursUs, processUs } = between(before, readMeter(pids));
    load.end();
    const report = await load.stop();
    accepted += report.accepted;
    done.abort();
    await importing;
    assertAlive(running.processes);
    if (report.refused > 0) throw new Error(`${report.refused} runs were refused: ${report.errors.join(' · ')}`);
    return { ...report, processUs: { ...processUs, others: (hostUs ?? oursUs) - oursUs } };
  }

  try {
    await running.startWorker();
    for (const [role, { pid }] of Object.entries(running.processes)) pids[role] = pid;
    await measure(options.warmup, Infinity);
    /** @type {Map<string, number[]>} */
    const p99 = new Map(Object.keys(LEGS).map((which) => [which, []]));
    const begun = imports;
    for (let pair = 0; pair < options.pairs; pair += 1) {
      for (const [which, count] of Object.entries(LEGS)) {
        if (count > 0) bench.profiling.begin();
        const { acceptMs, processUs } = await measure(options.seconds, count);
        if (count > 0) await bench.profiling.end();
        p99.get(which)?.push(acceptMs?.p99 ?? 0);
        const ms = (/** @type {number | undefined} */ value) => `${(value ?? 0).toFixed(1)} ms`;
        const cpu = Object.entries(processUs).map(([role, us]) => `${role} ${(us / 1e6).toFixed(1)}`);
        console.log(
          `imports · ${which}: p50 ${ms(acceptMs?.p50)}, p95 ${ms(acceptMs?.p95)}, p99 ${ms(acceptMs?.p99)}; CPU, s: ${cpu.join(', ')}`,
        );
      }
    }
    await drain(db.collection('plays'), target, accepted, () => assertAlive(running.processes));
    const problems = await problemsOf(db.collection('plays'), target, accepted);
    if (problems.length > 0) throw new Error(problems.join(' · '));
    const spread = (/** @type {number[]} */ values) =>
      `${medianOf(values).toFixed(1)} ms (${Math.min(...values).toFixed(1)} to ${Math.max(...values).toFixed(1)})`;
    const memory = Object.entries(running.processes).map(
      ([role, { pid }]) => `${role} ${Math.round(memoryMb(pid).peak ?? memoryMb(pid).now)}`,
    );
    const legs = [...p99].map(([which, values]) => `${which} ${spread(values)}`);
    return `imports: ${imports - begun} of ${documents.megabytes.toFixed(1)} MB and ${OPERATIONS} operations at ${rate} runs/s; p99 of accepted runs: ${legs.join(', ')}; most memory, MB: ${memory.join(', ')}`;
  } finally {
    documents.close();
    await running.stop();
    await processes.stop(loadProcess);
    await processes.stop(targetProcess);
    await db.dropDatabase();
  }
}

/** One for each number in the address: each import changes every operation. */
async function serveDocuments() {
  const [before = '', after = ''] = documentOf(MARK).split(String(MARK));
  const [head, tail] = [Buffer.from(before), Buffer.from(after)];
  const of = (/** @type {string} */ which) => Buffer.concat([head, Buffer.from(which), tail]);
  const server = createServer(({ url }, response) => {
    response.setHeader('content-type', 'application/json');
    void pipeline(inPieces(of(url?.slice(1) ?? '')), response);
  })
    .listen(0, '127.0.0.1')
    .unref();
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const close = () => void server.close();
  return { origin: `http://127.0.0.1:${port}`, of, megabytes: (before.length + after.length) / 1e6, close };
}

/** @param {Buffer} body */
async function* inPieces(body) {
  for (let at = 0; at < body.length; at += PIECE.bytes) {
    yield body.subarray(at, at + PIECE.bytes);
    await delay(PIECE.everyMs);
  }
}

/** @param {number} which */
function documentOf(which) {
  const order = { type: 'object', required: ['id'], properties: { id: { type: 'integer', minimum: which } } };
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Order' } } };
  const operationOf = (/** @type {number} */ i) => ({
    operationId: `order${i}`,
    description: 'x'.repeat(CHARS_OF_DESCRIPTION),
    requestBody: { content },
    responses: { 200: { description: 'ok', content } },
  });
  const paths = Array.from({ length: OPERATIONS }, (_, i) => [`/orders/${i}`, { post: operationOf(i) }]);
  return JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Large', version: '1' },
    servers: [{ url: 'https://orders.example' }],
    components: { schemas: { Order: order } },
    paths: Object.fromEntries(paths),
  });
}

/** @param {readonly number[]} values */
function medianOf(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
