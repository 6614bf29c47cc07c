// A Weft of its own, on a free port and a temporary folder, with API keys of three scopes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NODE24, NODE_FLAGS, inRoot, runEnv } from '../setup/root.mjs';
import { freePort } from '../servers/ports.mjs';

const LOGIN = { email: 'check@example.org', password: 'compared with its words' };
/** What the keys are given; each sees another part of the API. */
const SCOPES = ['api,admin,webhooks', 'api:read', 'flow:execute'];

/**
 * @param {(weft: { url: string, folder: string, keys: readonly { scope: string, token: string }[] }) => Promise<void>} use
 */
export async function withTemporaryWeft(use) {
  const data = await mkdtemp(join(tmpdir(), 'weft-api-'));
  const url = `http://127.0.0.1:${await freePort()}`;
  const app = await start(data, url);
  try {
    await use({ url, folder: data, keys: await makeKeys(url) });
  } finally {
    app.kill('SIGTERM');
    if (app.exitCode === null) await once(app, 'exit');
    await rm(data, { recursive: true, force: true });
  }
}

/** @param {string} data @param {string} url */
async function start(data, url) {
  const env = {
    ...runEnv(),
    WEFT_DATA_DIR: data,
    SERVER_PORT: new URL(url).port,
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

/** @param {string} url */
async function makeKeys(url) {
  const json = { 'content-type': 'application/json' };
  const login = await fetch(`${url}/api/v1/auth/login`, { method: 'POST', headers: json, body: JSON.stringify(LOGIN) });
  const cookie = (login.headers.getSetCookie()[0] ?? '').split(';')[0] ?? '';
  const keys = [];
  for (const scope of SCOPES) {
    const body = JSON.stringify({ name: `check ${scope}`, scope });
    const made = await fetch(`${url}/api/v1/admin/api-keys`, { method: 'POST', headers: { ...json, cookie }, body });
    if (made.status !== 201) throw new Error(await made.text());
    keys.push({ scope, token: /** @type {{ token: string }} */ (await made.json()).token });
  }
  return keys;
}
