// @ts-check
import { request } from 'undici';
import { percentiles } from '../load/tally.mjs';

/** Of what MongoDB does in a sweep; by default it keeps a megabyte. */
const PROFILE_BYTES = 64 * 2 ** 20;

/** @typedef {(method: 'GET' | 'POST' | 'PATCH', path: string, body?: object) => Promise<any>} Send */

/**
 * @typedef {object} Answered
 * @property {number} firstMs the first time, with what it reads perhaps on disk
 * @property {number} p50
 * @property {number} p95
 * @property {number} max
 * @property {number} status of HTTP
 * @property {number} items that were returned
 * @property {number} keys of indexes that MongoDB examined for one request
 * @property {number} docs likewise
 * @property {string} plans how MongoDB found them: indexes
 */

/** Signs in, as an operator. @param {string} origin @param {{ email: string, password: string }} admin */
export async function signIn(origin, admin) {
  const { headers, statusCode, body } = await request(`${origin}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(admin),
  });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`POST /auth/login answered ${statusCode}: ${text.slice(0, 300)}`);
  const sid = [headers['set-cookie'] ?? []].flat().find((cookie) => cookie.startsWith('sid=')) ?? '';
  return sid.split(';')[0] ?? '';
}

/** @param {string} origin @param {string} cookie @returns {Send} that throws where the answer is not 2xx */
export function sender(origin, cookie) {
  return async (method, path, payload) => {
    const { statusCode, text } = await ask(origin + path, cookie, method, payload);
    if (statusCode >= 300) throw new Error(`${method} ${path} answered ${statusCode}: ${text.slice(0, 300)}`);
    return text === '' ? undefined : JSON.parse(text);
  };
}

/**
 * Asks once with MongoDB's profiler on, and then `times` times without.
 * @param {{ origin: string, cookie: string, db: import('mongoose').mongo.Db, signal: AbortSignal }} at
 * @param {string} path @param {number} times
 * @returns {Promise<Answered>}
 */
export async function answer({ origin, cookie, db, signal }, path, times) {
  const from = performance.now();
  const { found, work } = await profiled(db, () => ask(origin + path, cookie, 'GET'));
  const firstMs = performance.now() - from;
  /** @type {number[]} */
  const ms = [];
  // what is slow is asked less often
  const deadline = performance.now() + 10_000;
  while (ms.length < times && (ms.length === 0 || performance.now() < deadline)) {
    signal.throwIfAborted();
    const start = performance.now();
    await ask(origin + path, cookie, 'GET');
    ms.push(performance.now() - start);
  }
  const { p50 = 0, p95 = 0, max = 0 } = percentiles(ms) ?? {};
  return { firstMs, p50, p95, max, status: found.statusCode, items: itemsOf(found.text), ...work };
}

/**
 * What MongoDB does on plays while something runs.
 * @template T
 * @param {import('mongoose').mongo.Db} db @param {() => Promise<T>} work
 */
export async function profiled(db, work) {
  await db.command({ profile: 0 });
  await db
    .collection('system.profile')
    .drop()
    .catch(() => false);
  await db.createCollection('system.profile', { capped: true, size: PROFILE_BYTES });
  await db.command({ profile: 2 });
  const found = await work();
  await db.command({ profile: 0 });
  const operations = await db
    .collection('system.profile')
    .find({ ns: `${db.databaseName}.plays` })
    .toArray();
  const sum = (/** @type {string} */ field) => operations.reduce((all, each) => all + (each[field] ?? 0), 0);
  const plans = [...new Set(operations.map(({ planSummary }) => String(planSummary ?? '')).filter(Boolean))];
  return {
    found,
    operations,
    work: { keys: sum('keysExamined'), docs: sum('docsExamined'), plans: plans.join(' | ') },
  };
}

/** @param {string} url @param {string} cookie @param {'GET' | 'POST' | 'PATCH'} method @param {object} [payload] */
async function ask(url, cookie, method, payload) {
  const { statusCode, body } = await request(url, {
    method,
    headers: { cookie, ...(payload && { 'content-type': 'application/json' }) },
    ...(payload && { body: JSON.stringify(payload) }),
    headersTimeout: 120_000,
    bodyTimeout: 120_000,
  });
  return { statusCode, text: await body.text() };
}

/** @param {string} text */
function itemsOf(text) {
  try {
    const found = JSON.parse(text);
    return found.items?.length ?? (Array.isArray(found) ? found.length : 1);
  } catch {
    return text.split('\n').length;
  }
}
