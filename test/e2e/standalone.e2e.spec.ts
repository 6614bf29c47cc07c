// Processes of its own: they are started as a person would, with servers, secrets and a login of their own.
import {
  ApiClient,
  ledgerServer,
  scratchFolder,
  socketClient,
  spawnProcess,
  waitFor,
  type SpawnedProcess,
} from '@weft/testing';
import { execFile } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { ioClient } from '../fixtures/io-client.js';
import { runScript } from './harness/run-script.js';
import { twoLayerFlow } from './harness/two-layer-flow.js';

const dataDir = scratchFolder('standalone');
// As a person would start it: servers, secrets and the login are its own.
const env = { WEFT_DATA_DIR: dataDir, EGRESS_ALLOW: '127.0.0.1/32' };
const ledger = await ledgerServer();
ledger.answerWith(({ body }) => ({ body: { n: (JSON.parse(body) as { n: number }).n } }));
const started: SpawnedProcess[] = [];
afterAll(async () => {
  await Promise.all(started.map((app) => app.stop()));
  await ledger.close();
});

async function start(port?: number): Promise<SpawnedProcess> {
  const app = await spawnProcess('standalone', env, { port });
  started.push(app);
  await waitFor(() => app.output().includes('Weft is ready'), { what: 'its greeting', withinMs: 30_000 });
  return app;
}

/** An app that is expected not to start: how it ends, and what it prints. */
async function failToStart(more: Readonly<Record<string, string>>, port?: number) {
  const app = await spawnProcess('standalone', { ...env, ...more }, { port, readyWithinMs: 0 });
  started.push(app);
  return { code: await app.ended, said: app.output().trim() };
}

function signIn(app: SpawnedProcess): Promise<ApiClient> {
  const [, email = '', password = ''] = /login +(\S+) +password (\S+)/.exec(app.output()) ?? [];
  return new ApiClient(app.url).login({ email, password });
}

/** `npm run watch`, as the script runs it. */
async function watchWith(more: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const tool = fileURLToPath(new URL('../../tools/watch.mjs', import.meta.url));
  const run = promisify(execFile)(process.execPath, [tool, ...args], { env: { ...process.env, ...more } });
  const { code, stdout, stderr } = await run.then(
    (output) => ({ code: 0, ...output }),
    (failed: { code: number; stdout: string; stderr: string }) => failed,
  );
  expect(stderr).not.toMatch(/^ +at /m);
  const frames = stdout.split('\n').filter((line) => line.startsWith('{'));
  return { code, types: frames.map((line) => (JSON.parse(line) as { type: string }).type), said: stderr };
}

const watch = (...args: readonly string[]) => watchWith({ WEFT_DATA_DIR: dataDir }, ...args);

function pidOf(server: 'mongod' | 'redis'): number {
  return (JSON.parse(readFileSync(join(dataDir, server, 'server.json'), 'utf8')) as { pid: number }).pid;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('the standalone app', () => {
  let app: SpawnedProcess;
  let admin: ApiClient;
  let flowId: string;
  let playId: string;

  it('shows a DONE play of a real web request and a template, its address and its login', async () => {
    app = await start();
    expect(app.output()).toMatch(/fetch +web-request +DONE .*"statusCode":200/);
    expect(app.output()).toMatch(/greet +text-template +DONE .*"text":"Hello, Weft! The request took \d+ ms\./);
    expect(app.output()).toMatch(/\bDONE in \d+ ms/);
    expect(app.output()).toContain(`http://localhost:${app.port}`);
    expect(app.output()).toMatch(/deletes +by default.*\n.*ended plays after 7d, beyond the newest 1,000/);
    expect(app.output()).not.toMatch(/"level":"(ERROR|FATAL)"/);
  });

  it('serves API, sockets, health and the metrics of all its processes on one port', async () => {
    admin = await signIn(app);
    flowId = (await twoLayerFlow(admin, ledger.url)).id;
    ({ playId } = await admin.run(flowId, { args: { n: 3 } }));
    const socket = socketClient(`${app.url}/ws/plays/${playId}`, { headers: admin.credentials });
    expect(await socket.closed).toMatchObject({ code: 1000 });
    expect(socket.frames.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    const io = ioClient(app.url, { headers: admin.credentials });
    await io.opened;
    expect(await io.ask('subscribe', { playId })).toEqual({ ok: true });
    await waitFor(() => io.ended.length === 1, { what: 'the end over socket.io' });
    expect(io.frames).toEqual(socket.frames);
    io.close();
    expect((await admin.layers(playId))[1]?.out).toEqual({ text: 'Play 3 was answered 3.' });
    expect((await admin.send('GET', '/health')).status).toBe(200);
    const { body: page } = await admin.send<string>('GET', '/metrics');
    expect(page).toMatch(/^weft_plays_total\{status="DONE"\} [2-9]/m); // counted by the worker
    expect(page).toMatch(/^weft_http_requests_total\{.*"\/api\/v1\/flows\/:id\/run"/m);
    expect(page).not.toMatch(/process="|pid="/);
  });

  it('is watched with one command, which signs in by itself and out again', async () => {
    const sessions = async () => (await admin.send<{ items: unknown[] }>('GET', '/api/v1/auth/sessions')).body.items;
    const before = await sessions();
    const { code, types, said } = await watch(playId);
    expect([code, types.length, types.at(-1), said]).toEqual([0, 7, 'play_complete', '']);
    expect(await sessions()).toHaveLength(before.length);
    const refused = (text: RegExp) =>
      expect.objectContaining({ said: expect.stringMatching(text) as string }) as object;
    expect(await watch('nothing')).toEqual(refused(/^\nweft: There is no play with this id\. \(404\)\n$/));
    expect(await watch('one', 'two')).toEqual(refused(/^usage: npm run watch/));
    expect(await watchWith({ WEFT_DATA_DIR: scratchFolder('empty') }, playId)).toEqual(
      refused(/WEFT_URL and WEFT_TOKEN/),
    );
    expect(await watchWith({ WEFT_DATA_DIR: dataDir, WEFT_URL: 'http://127.0.0.1:1', WEFT_TOKEN: '' }, playId)).toEqual(
      refused(/^\nweft: Nothing here can sign in at http:\/\/127\.0\.0\.1:1\.\n {2}Set WEFT_TOKEN/),
    );
  });

  it('says in one sentence that its port or its data folder is taken, and ends with 1', async () => {
    const [port, folder] = await Promise.all([
      failToStart({ WEFT_DATA_DIR: scratchFolder('standalone') }, app.port),
      failToStart({}),
    ]);
    expect(port.code).toBe(1);
    expect(port.said).toMatch(new RegExp(`^weft: Port ${app.port} is taken by another program.*\\n  Stop it, or .*$`));
    expect(folder.code).toBe(1);
    expect(folder.said).toMatch(/^weft: Weft is already running with the data folder .*\n {2}Stop it, or .*$/);
    expect((await new ApiClient(app.url).send('GET', '/health')).status).toBe(200);
  });

  it('names all bad settings at once, before it starts anything', async () => {
    const folder = scratchFolder('standalone');
    const bad = {
      WEFT_DATA_DIR: folder,
      LOG_LEVEL: 'loud',
      RUN_WINDOW: '-1',
      EGRESS_ALLOW: 'everything',
      TRUST_PROXY: 'x',
    };
    const { code, said } = await failToStart(bad);
    expect(code).toBe(1);
    expect(['LOG_LEVEL', 'RUN_WINDOW', 'EGRESS_ALLOW', 'TRUST_PROXY'].filter((key) => !said.includes(key))).toEqual([]);
    expect(said).not.toContain('    at ');
  });

  it.runIf(process.platform === 'linux')('says that its data folder cannot be made, and ends', async () => {
    const { code, said } = await failToStart({ WEFT_DATA_DIR: '/proc/weft' });
    expect(code).toBe(1);
    expect(said).toMatch(
      /WEFT_DATA_DIR: .*cannot be kept there \(ENOENT.*\); write a folder that this user may write to/,
    );
    expect(said).not.toContain('    at ');
  });

  it('stops cleanly on Ctrl-C, its servers with it', async () => {
    const servers = [pidOf('mongod'), pidOf('redis')];
    expect(servers.every(isAlive)).toBe(true);
    const askedAt = performance.now();
    await app.kill('SIGINT');
    expect(await app.ended).toBe(0);
    expect(performance.now() - askedAt).toBeLessThan(30_000);
    expect(servers.filter(isAlive)).toEqual([]);
  });

  it('has a new password for its admin from a script, while it is stopped, and prints that one from then on', async () => {
    const before = /password (\S+)/.exec(app.output())?.[1];
    const { code, said } = await runScript('standalone/src/reset-admin-password.main.js', [], env);
    expect([code, said]).toEqual([0, expect.stringMatching(/signs in with the password \S{24} from now on/)]);
    expect(said).not.toContain(before);
  });

  it('whose secrets are lost says so, and starts again once the script was told that, while it was stopped', async () => {
    rmSync(join(dataDir, 'secrets.json'));
    const refused = await failToStart({}, app.port);
    expect(refused).toMatchObject({
      code: 1,
      said: expect.stringContaining('secrets.json of the data folder') as string,
    });
    const { said } = await runScript('standalone/src/rotate-secrets.main.js', ['--lost'], env);
    expect(said).toContain('Processes start with the present secrets');
  });

  it('has everything of the first start at the second, under the login that it prints', async () => {
    const { port } = app;
    app = await start(port);
    expect(app.output()).toMatch(/\bDONE in \d+ ms/);
    admin = await signIn(app);
    expect(await admin.play(playId)).toMatchObject({ state: 'DONE', args: { n: 3 } });
    const again = await admin.run(flowId, { args: { n: 4 } });
    await admin.waitForPlay(again.playId, { state: 'DONE' });
  });

  it('takes over what a kill -9 left behind, and ends the plays that it interrupted', async () => {
    const { playId: cut } = await admin.run(flowId, { args: { n: 5 } });
    await app.kill('SIGKILL');
    app = await start(app.port);
    expect(await admin.waitForPlay(cut, { withinMs: 60_000 })).toMatchObject({ state: 'DONE' });
    await app.kill('SIGINT');
    expect(await app.ended).toBe(0);
  });
});
