// @ts-check
/**
 * Does the duration of a sign-in reveal whether an account exists? Known and unknown accounts alternate,
 * all with a wrong password, each from a different address, so that no throttle answers instead.
 */
import { request } from 'undici';
import { SYSTEMS } from '../systems/system.mjs';

const ATTEMPTS = 200;
/** Attempts on one account; the throttle blocks an account at 50. */
const PER_ACCOUNT = 10;
const WRONG = 'not the password of anybody';

/** @param {import('./leg.mjs').Bench} bench @returns {Promise<string>} a report to print */
export async function measureLogins(bench) {
  const db = 'bench_logins';
  const running = await SYSTEMS.product({
    label: 'logins',
    mongodbUri: bench.mongod.uri,
    redisUrl: bench.redis.uri,
    db,
    prefix: 'bench-logins',
    targetOrigin: 'http://127.0.0.1:9',
    folder: bench.folder,
    processes: bench.processes,
    profiling: bench.profiling,
    env: { TRUST_PROXY: '127.0.0.1/32' },
  });
  try {
    await addAccounts(bench.client.db(db).collection('users'), ATTEMPTS / PER_ACCOUNT);
    /** @type {{ known: number[], unknown: number[] }} */
    const taken = { known: [], unknown: [] };
    for (let i = 0; i < ATTEMPTS; i += 1) {
      bench.signal.throwIfAborted();
      const account = i % (ATTEMPTS / PER_ACCOUNT);
      const turns = /** @type {const} */ ([
        ['known', `user${account}@bench.example`],
        ['unknown', `nobody${account}@bench.example`],
      ]);
      for (const [kind, email] of i % 2 === 0 ? turns : turns.toReversed()) {
        taken[kind].push(await signIn(running.request.origin, email, `10.${kind.length}.${i >> 8}.${i & 255}`));
      }
    }
    return report(taken);
  } finally {
    await running.stop();
  }
}

/**
 * Copies of the first admin with other addresses: comparing their password costs the same.
 * @param {import('mongoose').mongo.Collection} users @param {number} count
 */
async function addAccounts(users, count) {
  const admin = await users.findOne({});
  const copies = Array.from({ length: count }, (_, i) => {
    const email = `user${i}@bench.example`;
    return { ...admin, _id: /** @type {never} */ (`benchuser${i}`), email, email_key: email, operator: false };
  });
  await users.insertMany(copies);
}

/** @param {string} origin @param {string} email @param {string} address @returns {Promise<number>} ms */
async function signIn(origin, email, address) {
  const startedAt = performance.now();
  const { statusCode, body } = await request(`${origin}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: JSON.stringify({ email, password: WRONG }),
  });
  await body.dump();
  const ms = performance.now() - startedAt;
  if (statusCode !== 401) throw new Error(`a sign-in as ${email} was answered with ${statusCode}, not 401`);
  return ms;
}

/** @param {{ known: number[], unknown: number[] }} taken */
function report({ known, unknown }) {
  const row = (/** @type {string} */ name, /** @type {number[]} */ times) => {
    const sorted = times.toSorted((a, b) => a - b);
    const at = (/** @type {number} */ share) => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(1);
    const mean = (times.reduce((sum, ms) => sum + ms, 0) / times.length).toFixed(1);
    return `${name.padEnd(9)} n ${times.length}   p10 ${at(0.1)}   p50 ${at(0.5)}   p90 ${at(0.9)}   mean ${mean} ms`;
  };
  const p = mannWhitney(known, unknown).toFixed(3);
  return [
    'sign-ins that fail, known and unknown accounts in turn:',
    row('known', known),
    row('unknown', unknown),
    `Mann-Whitney p = ${p} (above 0.05: they can't be told apart by these)`,
  ].join('\n');
}

/**
 * Two-sided p of the rank-sum test by its normal approximation, good from some 20 values each.
 * @param {readonly number[]} a @param {readonly number[]} b
 */
function mannWhitney(a, b) {
  const all = [...a.map((ms) => ({ ms, mine: true })), ...b.map((ms) => ({ ms, mine: false }))];
  all.sort((x, y) => x.ms - y.ms);
  const ranks = all.reduce((sum, { mine }, i) => sum + (mine ? i + 1 : 0), 0);
  const u = ranks - (a.length * (a.length + 1)) / 2;
  const mean = (a.length * b.length) / 2;
  const deviation = Math.sqrt((a.length * b.length * (a.length + b.length + 1)) / 12);
  return 2 * (1 - normal(Math.abs(u - mean) / deviation));
}

/** The standard normal distribution, to 1e-7 (Abramowitz and Stegun 26.2.17). @param {number} z at least 0 */
function normal(z) {
  const t = 1 / (1 + 0.2316419 * z);
  const tail = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return 1 - (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * tail;
}
