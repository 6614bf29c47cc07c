// `npm run watch -- [<play id>]`: shows a play, or all plays that you may read, live, one JSON object per line.
// Signs in by itself to the Weft that `npm start` runs from this checkout; WEFT_URL and WEFT_TOKEN select another one.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { explain, Trouble } from './setup/trouble.mjs';

const USAGE = `usage: npm run watch -- [<play id>]
  without a play id: all plays that you may read
  WEFT_URL, WEFT_TOKEN: another Weft than the one that npm start runs, and an API key of it`;

/** @typedef {typeof import('../docs/examples/watch.js')} Watch */

/**
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<number>} the exit code
 */
async function main([playId, ...more], env) {
  if (more.length > 0 || playId?.startsWith('-')) {
    console.error(USAGE);
    return 2;
  }
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stopping.abort());
  const { signal } = stopping;
  const example = new URL('../docs/examples/watch.ts', import.meta.url);
  const { followAll, followPlay } = /** @type {Watch} */ (await import(example.href));
  const session = await signIn(env);
  const onBreak = oncePerSeries((why) => console.error(`weft: ${why}; trying again …`));
  const where = { ...session.where, signal, onBreak: onBreak.broke };
  try {
    for await (const frame of playId === undefined ? followAll(where) : followPlay({ ...where, playId })) {
      onBreak.mended();
      console.log(JSON.stringify(frame));
    }
  } catch (error) {
    if (!signal.aborted) throw error instanceof Error ? new Trouble(error.message, '') : error;
  } finally {
    await session.end();
  }
  return 0;
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<{ where: Pick<import('../docs/examples/watch.js').Where, 'base' | 'token' | 'headers'>, end: () => Promise<unknown> }>}
 */
async function signIn({ WEFT_URL, WEFT_TOKEN, WEFT_DATA_DIR, WEFT_ADMIN_EMAIL, WEFT_ADMIN_PASSWORD }) {
  const known = remembered(resolve(WEFT_DATA_DIR || '.weft'));
  const base = (WEFT_URL || known.url || '').replace(/\/+$/, '');
  if (base === '') {
    throw new Trouble(
      'No Weft was started from here yet, so there is nothing to sign in at.',
      'Run npm start (with another WEFT_DATA_DIR: give it here, too), or set WEFT_URL and WEFT_TOKEN.',
    );
  }
  if (!/^https?:\/\/[^/\s]+$/.test(base)) {
    throw new Trouble(`WEFT_URL: "${base}" is not an address like http://localhost:3000.`, '');
  }
  if (WEFT_TOKEN) return { where: { base, token: WEFT_TOKEN }, end: async () => {} };
  const given = WEFT_ADMIN_EMAIL && WEFT_ADMIN_PASSWORD && { email: WEFT_ADMIN_EMAIL, password: WEFT_ADMIN_PASSWORD };
  const login = given || (WEFT_URL ? null : known.login);
  if (!login) throw new Trouble(`Nothing here can sign in at ${base}.`, 'Set WEFT_TOKEN to an API key of it.');
  const headers = { cookie: await sessionOf(base, login) };
  return { where: { base, headers }, end: () => post(`${base}/auth/logout`, headers).catch(() => undefined) };
}

/**
 * @param {string} base
 * @param {{ email: string, password: string }} login
 */
async function sessionOf(base, login) {
  const answer = await post(`${base}/api/v1/auth/login`, {}, login).catch(() => {
    throw new Trouble(`Nothing answers at ${base}.`, 'Start Weft (npm start), or set WEFT_URL.');
  });
  const cookie = answer.headers.getSetCookie().find((each) => each.startsWith('sid='));
  if (answer.ok && cookie !== undefined) return cookie.split(';', 1)[0] ?? '';
  const { detail = `it answered ${answer.status}` } = /** @type {{ detail?: string }} */ (
    await answer.json().catch(() => ({}))
  );
  throw new Trouble(`${login.email} cannot sign in at ${base}: ${detail}`, 'Set WEFT_TOKEN to an API key of it.');
}

/**
 * @param {string} url
 * @param {Record<string, string>} headers
 * @param {unknown} [body]
 */
function post(url, headers, body) {
  const options = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } };
  return fetch(url, body === undefined ? options : { ...options, body: JSON.stringify(body) });
}

/**
 * What the standalone app recorded about itself in its data folder.
 * @param {string} folder
 * @returns {{ url?: string | null, login?: { email: string, password: string } | null }}
 */
function remembered(folder) {
  try {
    return JSON.parse(readFileSync(join(folder, 'standalone.json'), 'utf8'));
  } catch {
    return {};
  }
}

/** @param {(why: string) => void} tell */
function oncePerSeries(tell) {
  let isTold = false;
  return {
    /** @param {string} why */
    broke: (why) => {
      if (!isTold) tell(why);
      isTold = true;
    },
    mended: () => (isTold = false),
  };
}

try {
  process.exitCode = await main(process.argv.slice(2), process.env);
} catch (error) {
  explain(error);
  process.exitCode = 1;
}
