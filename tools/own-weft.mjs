// A Weft of its own and a browser that is signed in to it, for tools that look at the dashboard.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NODE24, NODE_FLAGS, inRoot, runEnv } from './setup/root.mjs';
import { setUp } from './setup/set-up.mjs';

const PORT = process.env.SERVER_PORT || '3977';
const BASE = `http://127.0.0.1:${PORT}`;
const LOGIN = { email: 'ada@example.org', password: 'a picture of every page' };

/**
 * @typedef {object} OwnWeft
 * @property {import('playwright-core').Browser} browser
 * @property {import('playwright-core').BrowserContext} context with the session of an admin
 * @property {(method: string, path: string, body?: unknown) => Promise<{ status: number, body: any }>} send as the admin
 * @property {string} base its address
 */

/** @param {(weft: OwnWeft) => Promise<void>} look */
export async function withOwnWeft(look) {
  await setUp();
  const data = await mkdtemp(join(tmpdir(), 'weft-own-'));
  const app = await start(data);
  try {
    const { openChromium } = await fixture('chromium');
    const browser = await openChromium();
    const context = await browser.newContext({ baseURL: BASE, reducedMotion: 'reduce' });
    const { request } = context;
    await request.post('/api/v1/auth/login', { data: LOGIN });
    await look({
      browser,
      context,
      base: BASE,
      send: async (method, path, body) => {
        const answer = await request.fetch(path, { method, ...(body !== undefined && { data: body }) });
        return { status: answer.status(), body: await answer.json().catch(() => null) };
      },
    });
    await browser.close();
  } finally {
    app.kill('SIGTERM');
    await new Promise((resolve) => app.once('exit', resolve));
    await rm(data, { recursive: true, force: true });
  }
}

/** @param {string} data */
async function start(data) {
  const env = {
    ...runEnv(),
    WEFT_DATA_DIR: data,
    SERVER_PORT: PORT,
    WEFT_ADMIN_EMAIL: LOGIN.email,
    WEFT_ADMIN_PASSWORD: LOGIN.password,
  };
  const main = inRoot('dist', 'apps', 'standalone', 'src', 'main.js');
  const app = spawn(NODE24, [...NODE_FLAGS, main], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((resolve, reject) => {
    app.once('exit', () => reject(new Error('Weft did not start')));
    app.stdout.on('data', (chunk) => {
      if (String(chunk).includes('Weft is ready')) resolve(undefined);
    });
  });
  return app;
}

/** @param {string} name of a fixture without imports of the product: Node takes its types away */
export function fixture(name) {
  return import(new URL(`../test/fixtures/${name}.ts`, import.meta.url).href);
}
