// @ts-check
/**
 * Exports 200,000 audit entries in each format and reports the memory of the API process meanwhile; once with a
 * reader that pauses in the middle, for which the export must wait.
 */
import { setTimeout as rest } from 'node:timers/promises';
import { request } from 'undici';
import { memoryMb } from '../machine/meter.mjs';
import { SYSTEMS } from '../systems/system.mjs';

const ENTRIES = 200_000;
const BATCH = 5_000;
const LOOK_EVERY_MS = 100;
const REST_MS = 5_000;

/** @param {import('./leg.mjs').Bench} bench @returns {Promise<string>} a report to print */
export async function measureAuditExport(bench) {
  const db = 'bench_audit';
  const running = await SYSTEMS.product({
    label: 'audit',
    mongodbUri: bench.mongod.uri,
    redisUrl: bench.redis.uri,
    db,
    prefix: 'bench-audit',
    targetOrigin: 'http://127.0.0.1:9',
    folder: bench.folder,
    processes: bench.processes,
    profiling: bench.profiling,
  });
  try {
    const log = bench.client.db(db).collection('audit_logs');
    await addEntries(log);
    const sealing = await untilSealed(log, bench.signal);
    const { origin, headers } = running.request;
    const pid = running.processes.api?.pid ?? 0;
    await readExport(`${origin}/api/v1/audit/export?format=csv&to=2020-01-01`, headers, 0); // loads everything that is loaded only once
    const before = memoryMb(pid).now;
    const rows = [];
    for (const [format, restMs] of /** @type {const} */ ([
      ['csv', 0],
      ['json', 0],
      ['ndjson', 0],
      ['csv', REST_MS],
    ])) {
      bench.signal.throwIfAborted();
      const watch = watchMemory(pid);
      const startedAt = performance.now();
      const url = `${origin}/api/v1/audit/export?format=${format}`;
      const { bytes, entries } = await readExport(url, headers, restMs, (read) => watch.note(read));
      const seconds = (performance.now() - startedAt) / 1_000;
      const { peak, parts } = watch.stop();
      if (entries < ENTRIES) throw new Error(`the export as ${format} has ${entries} entries, not ${ENTRIES}`);
      rows.push(
        `${format.padEnd(6)} ${entries} entries, ${(bytes / 2 ** 20).toFixed(0)} MB in ${seconds.toFixed(1)} s` +
          `   RSS after each tenth ${parts.map((mb) => mb.toFixed(0)).join(' ')} MB, at most ${peak.toFixed(0)} MB` +
          (restMs > 0 ? `   (its reader rested ${restMs / 1_000} s in the middle)` : ''),
      );
    }
    return [
      `audit log of ${ENTRIES} entries, sealed at ${Math.round(ENTRIES / sealing)} a second; RSS of the API before ${before.toFixed(0)} MB`,
      ...rows,
    ].join('\n');
  } finally {
    await running.stop();
  }
}

/**
 * Copies of an entry that the product wrote, with separate ids: an export treats them as entries.
 * @param {import('mongoose').mongo.Collection} log
 */
async function addEntries(log) {
  const model = await log.findOne({ company_id: { $ne: null } });
  if (!model) throw new Error('the product has recorded nothing');
  for (let at = 0; at < ENTRIES; at += BATCH) {
    const copies = Array.from({ length: BATCH }, (_, i) => ({
      ...model,
      _id: /** @type {never} */ (`00b${String(at + i).padStart(17, '0')}`),
      resource_id: `thing ${at + i}`,
      reason: i % 10 === 0 ? `=1+${i}` : null,
      changes: { name: { before: 'x'.repeat(i % 200), after: 'y'.repeat(i % 300) } },
      seal: 0,
    }));
    await log.insertMany(copies, { ordered: false });
  }
}

/** @param {import('mongoose').mongo.Collection} log @param {AbortSignal} signal @returns {Promise<number>} seconds */
async function untilSealed(log, signal) {
  const startedAt = performance.now();
  while (await log.findOne({ seal: 0 }, { projection: { _id: 1 } })) await rest(LOOK_EVERY_MS, undefined, { signal });
  return (performance.now() - startedAt) / 1_000;
}

/** @param {string} url @param {Record<string, string>} headers @param {number} restMs @param {(entries: number) => void} [tell] */
async function readExport(url, headers, restMs, tell) {
  const { statusCode, body } = await request(url, { headers, bodyTimeout: 60_000 });
  if (statusCode !== 200) throw new Error(`${url} was answered with ${statusCode}: ${await body.text()}`);
  let [bytes, entries, hasRested] = [0, 0, restMs === 0];
  for await (const chunk of body) {
    bytes += chunk.length;
    entries += String(chunk).split('\n').length - 1;
    tell?.(entries);
    if (!hasRested && bytes > 2 ** 24) {
      hasRested = true;
      await rest(restMs);
    }
  }
  return { bytes, entries };
}

/** @param {number} pid */
function watchMemory(pid) {
  let peak = 0;
  /** @type {number[]} */
  const parts = [];
  const look = () => (peak = Math.max(peak, memoryMb(pid).now));
  const timer = setInterval(look, LOOK_EVERY_MS);
  return {
    /** @param {number} read entries so far */
    note(read) {
      while (parts.length < 10 && read >= ((parts.length + 1) * ENTRIES) / 10) parts.push(memoryMb(pid).now);
    },
    stop() {
      clearInterval(timer);
      return { peak: look(), parts };
    },
  };
}
