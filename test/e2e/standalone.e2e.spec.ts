import { execFileSync } from 'node:child_process';
import type { FlowView, Page, PlayView } from '@weft/contracts';
import { ApiClient, scratchFolder, spawnProcess, waitFor, type SpawnedProcess } from '@weft/testing';
import { afterEach, expect, it } from 'vitest';

// Its databases are its own, as on a laptop.
const env = { WEFT_DATA_DIR: scratchFolder('standalone'), MONGODB_URI: '', REDIS_URL: '', API_URL: '' };
let app: SpawnedProcess;
afterEach(() => app.stop());

async function start(): Promise<ApiClient> {
  app = await spawnProcess('standalone', env, { readyWithinMs: 60_000 });
  const login = await waitFor(() => /login {4}(\S+) {3}password (\S+)/.exec(app.output()), { what: 'its greeting' });
  const [, email = '', password = ''] = login;
  return new ApiClient(app.url).login({ email, password });
}

async function flows(api: ApiClient): Promise<readonly FlowView[]> {
  return (await api.send<Page<FlowView>>('GET', '/api/v1/flows')).body.items;
}

it('runs the demo flow on the first start, and the same one on the second', async () => {
  const first = await start();
  expect(app.output()).toMatch(/fetch +web-request +DONE .*"greeting/);
  expect(app.output()).toMatch(/greet +text-template +DONE .*Hello, Weft!/);
  const [demo] = await flows(first);
  await app.stop();
  expect(await app.ended).toBe(0);

  const second = await start();
  expect((await flows(second)).map(({ id }) => id)).toEqual([demo?.id]);
  const plays = await second.send<Page<PlayView>>('GET', `/api/v1/flows/${demo?.id}/plays`);
  expect(plays.body.items.map(({ state }) => state)).toEqual(['DONE', 'DONE']);
});

it('starts a worker again that was killed, and finishes what was accepted meanwhile', async () => {
  const api = await start();
  const [demo] = await flows(api);
  process.kill(workerOf(app.pid), 'SIGKILL');
  const { playId } = await api.run(demo?.id ?? '', { args: { name: 'again' } });
  expect((await api.waitForPlay(playId, { withinMs: 60_000 })).state).toBe('DONE');
});

it('answers for all its processes on one metrics page', async () => {
  const api = await start();
  const { body } = await api.send<string>('GET', '/metrics');
  expect(body).toMatch(/^weft_plays_total\{status="DONE"\} [1-9]/m);
  expect(body).toMatch(/^weft_runs_accepted_total [1-9]/m);
  expect(body.match(/^# TYPE weft_process_memory_bytes /gm)).toHaveLength(1);
});

it('refuses a second app over the same data folder with one sentence', async () => {
  await start();
  const second = await spawnProcess('standalone', env, { readyWithinMs: 0 });
  expect(await second.ended).toBe(1);
  expect(second.output()).toContain(`already running with the data folder ${env.WEFT_DATA_DIR} (process ${app.pid})`);
});

function workerOf(pid: number): number {
  const children = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(pid)], { encoding: 'utf8' });
  const line = children.split('\n').find((each) => each.includes('child-main.js worker'));
  if (line === undefined) throw new Error(`Process ${pid} has no worker:\n${children}`);
  return Number(line.trim().split(' ')[0]);
}
