// @ts-check
// `npm run image:prove`: builds the image of the Dockerfile and starts it, on a machine without a container engine and without an
// image registry: with buildah, on a base made by debootstrap. As root; minutes. docs/deploy/image.md has the result of a run.
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { cacheDir } from '../servers/cache-dir.mjs';
import { freePort, provideServers } from '../servers/index.mjs';
import { say, step } from '../setup/say.mjs';
import { giveUp, Trouble } from '../setup/trouble.mjs';
import { BARE, DEBIAN, ensureBases } from './base.mjs';
import { buildImage } from './build.mjs';
import { Buildah } from './buildah.mjs';
import { settingsOf } from './settings-of.mjs';

const APPS = /** @type {const} */ (['api', 'worker', 'realtime', 'scheduler']);
const READY_WITHIN_MS = 120_000;
const END_WITHIN_MS = 60_000;

/**
 * Starts the four processes of an image, and runs a flow.
 * @param {Buildah} buildah
 * @param {string} image
 * @param {import('../servers/index.mjs').Servers} servers
 */
async function runFlow(buildah, image, servers) {
  const container = await buildah.do(['from', '--pull-never', image]);
  /** @type {import('node:child_process').ChildProcess[]} */
  const started = [];
  try {
    const shared = settingsOf(servers, `image_${Date.now()}`);
    /** @type {Record<string, number>} */
    const ports = {};
    let output = '';
    for (const app of APPS) {
      const port = (ports[app] = await freePort());
      const env = { ...shared, SERVER_PORT: String(port) };
      const child = buildah.start(container, { command: ['node', `dist/apps/${app}/src/main.js`], env });
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
      started.push(child);
    }
    for (const app of APPS) await ready(`http://127.0.0.1:${ports[app]}`, () => output);
    const at = `http://127.0.0.1:${ports.api}`;
    const program = 'dist/apps/standalone/src/compose/welcome.main.js';
    const said = await textOf(
      buildah.start(container, { command: ['node', program, '--at', at], env: { ...shared, API_URL: at } }),
    );
    const curl = said.split('\n').find((line) => line.startsWith('curl ')) ?? '';
    const [, flow = ''] = /\/flows\/(\w+)\/run/.exec(curl) ?? [];
    return await outcomeOf(at, flow, shared);
  } finally {
    for (const child of started) child.kill('SIGTERM');
    await Promise.race([Promise.all(started.map(ended)), pause(END_WITHIN_MS)]);
    await buildah.do(['rm', container]);
  }
}

/** @param {import('node:child_process').ChildProcess} child */
async function ended(child) {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

/** @param {string} url @param {() => string} output */
async function ready(url, output) {
  const deadline = Date.now() + READY_WITHIN_MS;
  while ((await fetch(`${url}/health/ready`).catch(() => null))?.status !== 200) {
    if (Date.now() > deadline) throw new Trouble('A process of the image is not ready.', output().slice(-4_000));
    await pause(200);
  }
}

/** @param {string} at @param {string} flow @param {Readonly<Record<string, string>>} settings */
async function outcomeOf(at, flow, { WEFT_ADMIN_EMAIL: email, WEFT_ADMIN_PASSWORD: password }) {
  /** @param {string} path @param {object} body @param {string} [cookie] */
  const post = (path, body, cookie = '') =>
    fetch(`${at}/api/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie },
      body: JSON.stringify(body),
    });
  const [session = ''] = (await post('/auth/login', { email, password })).headers.getSetCookie();
  const answer = await post(`/flows/${flow}/run`, { args: { name: 'image' }, wait: 20_000 }, session.split(';')[0]);
  const { state, out } = /** @type {{ state: string, out?: { text: string } }} */ (await answer.json());
  return `${state}: ${out?.text}`;
}

/** @param {import('node:child_process').ChildProcess} child */
async function textOf(child) {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (text += String(chunk)));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Trouble('A program of the image failed.', text);
  return text;
}

/** What an image contains, as it says itself. @param {Buildah} buildah @param {string} image */
async function describe(buildah, image) {
  const container = await buildah.do(['from', '--pull-never', image]);
  try {
    const program = `
      const fs = require('fs'); const { components } = JSON.parse(fs.readFileSync('/sbom.json', 'utf8'));
      const refused = (path) => { try { fs.writeFileSync(path, ''); return false } catch { return true } };
      console.log(JSON.stringify({ user: process.getuid(), node: process.version, shell: fs.existsSync('/bin/sh'),
        readOnly: ['/app/x', '/app/dist/x', '/x'].every(refused), dataDir: !refused('/var/lib/weft/x'),
        components: components.length, unlicensed: components.filter(({ licenses }) => !licenses?.length).length }));`;
    const said = await textOf(buildah.start(container, { command: ['node', '--eval', program] }));
    const format = '{{.Config}}';
    const { config, rootfs } = JSON.parse(await buildah.do(['inspect', '--type', 'image', '--format', format, image]));
    const { Entrypoint, Cmd, User, Labels } = config;
    return {
      ...JSON.parse(said),
      entrypoint: [...Entrypoint, ...Cmd].join(' '),
      configured: User,
      labels: Object.keys(Labels).length,
      layers: rootfs.diff_ids.length,
    };
  } finally {
    await buildah.do(['rm', container]);
  }
}

async function main() {
  const cache = join(cacheDir(process.env), 'image');
  const buildah = await Buildah.open(join(cache, 'buildah'));
  await ensureBases(buildah, cache);
  const folder = await mkdtemp(join(tmpdir(), 'weft-image-'));
  const servers = await provideServers({ folder, env: process.env, log: say });
  try {
    for (const base of [DEBIAN, BARE]) {
      const image = base.replace('base', 'on');
      await step(`building on ${base}`, () => buildImage(buildah, { image, base, cache }));
      const found = await describe(buildah, image);
      const outcome = await step(`four processes of ${image}`, () => runFlow(buildah, image, servers));
      for (const [what, value] of Object.entries({ ...found, outcome })) say(`  ${what}: ${value}`);
      const isRight = found.user === 10001 && found.readOnly && found.dataDir && found.unlicensed === 0;
      if (!isRight || outcome !== 'DONE: Hello image!') throw new Trouble(`${image} is not as it should be.`, '');
    }
  } finally {
    await servers.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

try {
  await main();
} catch (error) {
  giveUp(error);
}
