// @ts-check
/**
 * A response of 50 MB, read field by field by the layers after it, in 20 plays at once: how much memory the worker takes
 * over time, compared with the same plays with a response of 50 KB.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { memoryMb } from '../machine/meter.mjs';
import { SYSTEMS } from '../systems/system.mjs';

const PLAYS = 20;
const LARGE_MB = 50;
const LOOK_EVERY_MS = 250;
const RECORD_BYTES = 100;

/** @param {import('./leg.mjs').Bench} bench @returns {Promise<string>} a report to print */
export async function measurePayloads(bench) {
  const peer = createServer((asked, response) => {
    const records = Number(asked.url?.slice(1));
    response.setHeader('content-type', 'application/json');
    Readable.from(json(records)).pipe(response);
  });
  peer.listen(0, '127.0.0.1');
  await once(peer, 'listening');
  const address = /** @type {import('node:net').AddressInfo} */ (peer.address());
  const running = await SYSTEMS.product({
    label: 'payloads',
    mongodbUri: bench.mongod.uri,
    redisUrl: bench.redis.uri,
    db: 'bench_payloads',
    prefix: 'bench-payloads',
    targetOrigin: 'http://127.0.0.1:9',
    folder: bench.folder,
    processes: bench.processes,
    profiling: bench.profiling,
    env: {},
  });
  try {
    await running.startWorker();
    const pid = running.processes.worker?.pid ?? 0;
    const rows = [];
    for (const mb of [0.05, LARGE_MB]) {
      const records = Math.floor((mb * 1e6) / RECORD_BYTES);
      rows.push(
        await measure(running.request, `http://127.0.0.1:${address.port}/${records}`, records, pid, bench.signal),
      );
    }
    return [
      `${PLAYS} plays at once, each with a web request and 3 layers that read fields of its response:`,
      ...rows,
    ].join('\n');
  } finally {
    await running.stop();
    peer.closeAllConnections();
    peer.close();
  }
}

/**
 * @param {import('../systems/system.mjs').RunningSystem['request']} api @param {string} url @param {number} records
 * @param {number} pid of the worker @param {AbortSignal} signal
 */
async function measure(api, url, records, pid, signal) {
  const call = caller(api);
  const { id } = await call('POST', '/api/v1/flows', { name: 'Large' });
  const layers = [
    { ref: 'fetch', appId: 'web-request', args: { url, timeoutMs: 600_000 }, timeoutMs: 600_000 },
    { ref: 'first', appId: 'text-template', args: { template: '{{ .fetch.json.items[0].id }}' } },
    { ref: 'last', appId: 'text-template', args: { template: `{{ .fetch.json.items[${records - 1}].id }}` } },
    {
      ref: 'all',
      appId: 'text-template',
      args: { template: '{{ .fetch.json.items.length }} {{ .fetch.json.total }}' },
    },
  ];
  for (const layer of layers) await call('POST', `/api/v1/flows/${id}/layers`, layer);
  const before = memoryMb(pid).now;
  const startedAt = performance.now();
  const ids = await Promise.all(
    Array.from({ length: PLAYS }, async () => String((await call('POST', `/api/v1/flows/${id}/run`, {})).playId)),
  );
  /** @type {number[]} */
  const resident = [];
  const open = new Set(ids);
  while (open.size > 0) {
    signal.throwIfAborted();
    resident.push(memoryMb(pid).now);
    for (const playId of open) {
      const { state } = await call('GET', `/api/v1/plays/${playId}`);
      if (['DONE', 'FAIL', 'SKIP', 'FILTERED'].includes(state)) open.delete(playId);
    }
    await delay(LOOK_EVERY_MS);
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  for (const playId of ids) {
    const texts = (await call('GET', `/api/v1/plays/${playId}/layers`))
      .slice(1)
      .map((/** @type {any} */ { out }) => out?.text);
    const wanted = ['0', String(records - 1), `${records} ${records}`];
    if (JSON.stringify(texts) !== JSON.stringify(wanted))
      throw new Error(`play ${playId} read ${JSON.stringify(texts)}`);
  }
  const mb = (records * RECORD_BYTES) / 1e6;
  const tenths = Array.from({ length: 10 }, (_, i) => resident[Math.floor((i * resident.length) / 10)]?.toFixed(0));
  return [
    `response of ${mb} MB: ${seconds.toFixed(1)} s, worker RSS before ${before.toFixed(0)} MB, most ${Math.max(...resident).toFixed(0)} MB, ` +
      `after ${memoryMb(pid).now.toFixed(0)} MB`,
    `  over time (tenths): ${tenths.join(' ')}`,
  ].join('\n');
}

/** @param {import('../systems/system.mjs').RunningSystem['request']} api */
function caller({ origin, headers }) {
  /** @param {'GET' | 'POST'} method @param {string} path @param {object} [body] @returns {Promise<any>} */
  return async (method, path, body) => {
    const answer = await request(origin + path, {
      method,
      headers: { ...headers, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300)
      throw new Error(`${method} ${path} answered ${answer.statusCode}: ${text.slice(0, 500)}`);
    return JSON.parse(text);
  };
}

/** Records of one size, as they are asked for. @param {number} records */
function* json(records) {
  yield '{"items":[';
  for (let i = 0; i < records; i += 1_000) {
    const some = Array.from({ length: Math.min(1_000, records - i) }, (_, k) => record(i + k));
    yield `${i > 0 ? ',' : ''}${some.join(',')}`;
  }
  yield `],"total":${records}}`;
}

/** @param {number} id */
function record(id) {
  const start = `{"id":${id},"text":"`;
  return `${start}${'x'.repeat(RECORD_BYTES - start.length - 3)}"}`;
}
