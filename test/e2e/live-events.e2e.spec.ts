import { EVENTS, type PlayFrame } from '@weft/contracts';
import { socketClient, waitFor, type SocketClient } from '@weft/testing';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ioClient } from '../fixtures/io-client.js';
import type { CompanyMessage } from '../fixtures/realtime-fixture.js';
import { sharedFleet } from './harness/fleet.js';
import { drippingServer, tellingFlow } from './harness/telling-flow.js';

const { admin, ledger, one } = await sharedFleet();
const drip = await drippingServer();
const flow = await tellingFlow(admin, drip.url, ledger.url);
let answerSecondItem = (): void => undefined;
const secondItem = new Promise<void>((resolve) => (answerSecondItem = resolve));
ledger.answerWith(async ({ path, headers }) => {
  if (path === '/items/b') await secondItem;
  if (path.startsWith('/echo')) {
    const said = `${headers.authorization} ${headers.cookie} ${String(headers['x-tenant-key'])}`;
    return { status: path === '/echo' ? 200 : 500, body: { said }, headers: { 'x-echo': said } };
  }
  return { status: path === '/fails' ? 503 : 200 };
});

type Progress = Extract<PlayFrame, { type: 'layer_progress' }>;
const isProgress = (frame: PlayFrame): frame is Progress => frame.type === 'layer_progress';
const watch = (playId: string): SocketClient =>
  socketClient(`${one('realtime').url}/ws/plays/${playId}`, { headers: admin.credentials });

const followAll = (query = '') =>
  socketClient<CompanyMessage>(`${one('realtime').url}/api/ws${query}`, { headers: admin.credentials });

let playId = '';
let code = 0;
let frames: readonly PlayFrame[] = [];
let ofCompany: readonly CompanyMessage[] = [];
const io = ioClient(one('realtime').url, { headers: admin.credentials });
afterAll(() => io.close());

/** One play that makes every event; its layers continue when their progress has been seen. */
beforeAll(async () => {
  const company = followAll();
  await Promise.all([io.opened, company.opened]);
  ({ playId } = await admin.run(flow.id, { args: { items: ['a', 'b'], no: false } }));
  const socket = watch(playId);
  await io.ask('subscribe', { playId });
  const seen = (ref: string) => socket.waitForFrame((frame) => isProgress(frame) && frame.data.ref === ref);
  await Promise.all([seen('bytes').then(drip.sendTheRest), seen('items').then(answerSecondItem)]);
  ({ code } = await socket.closed);
  ({ frames } = socket);
  await Promise.all([
    waitFor(() => io.ended.length === 1, { what: 'the end over socket.io' }),
    company.waitForFrame((change) => change.ref === null && change.state === 'DONE'),
  ]);
  ofCompany = company.frames;
  await company.close();
});

const told = (ref: string): string[] =>
  frames.flatMap(({ type, data }) => ('ref' in data && data.ref === ref ? [type.replace('layer_', '')] : []));
const progressOf = (ref: string) => frames.filter(isProgress).filter(({ data }) => data.ref === ref);

describe('the frames of a play that has every event', () => {
  it('have each type and exactly the fields of the catalogue, with values of their types', () => {
    // no model answers here: agent.e2e.spec.ts has what one says
    const types = Object.keys(EVENTS).filter((type) => type !== 'layer_delta');
    expect(new Set(frames.map(({ type }) => type))).toEqual(new Set(types));
    for (const { type, data, ...frame } of frames) {
      const fields = Object.entries(EVENTS[type].fields);
      expect(Object.keys(data).sort()).toEqual(fields.map(([name]) => name).sort());
      for (const [name, field] of fields) expect(fits(field.type, data[name as keyof typeof data])).toBe(true);
      expect(frame.playId).toBe(playId);
      expect('seq' in frame).toBe(EVENTS[type].numbered);
    }
  });

  it('are numbered from 1 by one but for progress, end with the end of the play, and come again the same', async () => {
    const numbered = frames.filter((frame) => !isProgress(frame));
    expect(numbered.map(({ seq }) => seq)).toEqual(numbered.map((_, i) => i + 1));
    expect(frames.at(-1)).toMatchObject({ data: { kv_summary: { reads: 1, writes: 1, keys: ['told'] } } });
    expect([frames.at(-1)?.type, code]).toEqual(['play_complete', 1000]);
    const again = watch(playId);
    await again.closed;
    expect(again.frames).toEqual(numbered);
  });

  it('tell of each layer its start, how far it is, each failed attempt with the retries before it, and its end', () => {
    expect(told('bytes').filter((type) => type !== 'progress')).toEqual(['start', 'complete']);
    expect(told('fails')).toEqual(['start', 'error', 'error', 'complete']);
    expect(told('never')).toEqual(['complete']);
    const errors = frames.flatMap(({ type, data }) => (type === 'layer_error' ? [data] : []));
    expect(errors.map(({ retry_count }) => retry_count)).toEqual([0, 1]);
    for (const ref of ['bytes', 'items', 'time']) {
      expect([told(ref).at(0), told(ref).at(-1)]).toEqual(['start', 'complete']);
      const percents = progressOf(ref).map(({ data }) => data.progress_percent);
      expect(percents.length).toBeGreaterThan(0);
      expect(percents).toEqual(percents.toSorted((a, b) => a - b));
    }
  });

  it('tell progress in bytes of a web request, items of a loop and time of a delay', async () => {
    expect(progressOf('bytes')[0]?.data).toMatchObject({ progress_percent: 40, status: '400 of 1000 bytes' });
    expect(progressOf('items')[0]?.data).toMatchObject({ progress_percent: 50, status: '1 of 2' });
    expect(progressOf('time')[0]?.data.status).toMatch(/^waiting until 20\d\d-/);
  });

  it('come over socket.io just so, and over the stream of the company as changes of state, without progress', () => {
    expect(io.frames.filter((frame) => !isProgress(frame))).toEqual(frames.filter((frame) => !isProgress(frame)));
    for (const ref of ['bytes', 'items', 'time']) {
      const told = io.frames.filter(isProgress).filter(({ data }) => data.ref === ref);
      expect(told.length).toBeGreaterThan(0);
      expect(progressOf(ref).map(({ data }) => data)).toEqual(expect.arrayContaining(told.map(({ data }) => data)));
    }
    const changes = frames.filter(({ type }) => ['layer_start', 'layer_complete', 'play_state_change'].includes(type));
    expect(ofCompany.map(({ seq }) => seq)).toEqual(changes.map(({ seq }) => seq));
  });

  it('name layers as the API does', async () => {
    const layers = await admin.layers(playId);
    const idOf = Object.fromEntries(layers.map(({ ref, id }) => [ref, id]));
    for (const { data } of frames) if ('ref' in data) expect(data.layer_id).toBe(idOf[data.ref]);
    const starts = frames.flatMap(({ type, data }) => (type === 'layer_start' ? [data] : []));
    expect(starts.map(({ flowlet_name }) => flowlet_name)).toEqual(starts.map(({ ref }) => `The ${ref}`));
  });
});

/** Secrets that only their owner and their use may see. */
const canary = (place: string) => `canary-${place}-7f3a91`;

describe('a secret that the layers of a play use', () => {
  it('is in no frame, on no way, live or replayed: they say what the API says', async () => {
    const link = { type: 'web', name: 'A link', endpoint: ledger.url, access_token: canary('link') };
    const integrationId = (await admin.send<{ id: string }>('POST', '/api/v1/integrations', link)).body.id;
    const { id } = await admin.createFlow({ name: 'Uses secrets' });
    const auth = { auth: { integrationId } };
    const headers = { Authorization: 'Bearer {{ $prev.args.token }}', Cookie: `lang=en; sid=${canary('cookie')}` };
    const retry = { attempts: 2, backoff: 'fixed', delayMs: 10, maxDelayMs: 10 };
    for (const [ref, path, args, more] of [
      ['linked', 'echo', auth, {}],
      ['headed', 'echo', { headers }, {}],
      ['placed', 'echo', { ...auth, headers: { 'X-Tenant-Key': '7:{{ $link.access_token }}' } }, {}],
      ['failing', 'echo-and-fail', auth, { retry }],
    ] as const) {
      await admin.addLayer(id, { ref, appId: 'web-request', args: { url: `${ledger.url}/${path}`, ...args }, ...more });
    }
    const { url } = one('realtime');
    const [all, io] = [followAll(), ioClient(url, { headers: admin.credentials })];
    await Promise.all([all.opened, io.opened]);
    await io.ask('subscribe', { company: true });
    const run = (await admin.run(id, { args: { token: canary('args') } })).playId;
    const [live, isEnd] = [watch(run), (one: CompanyMessage) => one.playId === run && one.state === 'FAIL'];
    await Promise.all([live.closed, all.waitForFrame((one) => isEnd(one) && one.ref === null)]);
    await io.waitForFrame((one) => one.playId === run && one.type === 'play_complete');

    const [again, later] = [watch(run), followAll(`?cursor=${all.frames[0]?.cursor}`)];
    const ioAgain = ioClient(url, { headers: admin.credentials });
    await Promise.all([again.closed, later.waitForFrame((one) => isEnd(one) && one.ref === null), ioAgain.opened]);
    await ioAgain.ask('subscribe', { playId: run });
    await ioAgain.waitForFrame((one) => one.type === 'play_complete');

    const layers = await admin.layers(run);
    const told = [live, io, again, ioAgain].map(({ frames: got }) => got.filter((one) => one.playId === run));
    for (const got of told) {
      const ends = got.flatMap(({ type, data }) => (type === 'layer_complete' ? [[data.ref, data.output]] : []));
      expect(ends).toEqual(layers.map(({ ref, out }) => [ref, out]));
      const errors = got.flatMap(({ type, data }) => (type === 'layer_error' ? [data.error_message] : []));
      expect(errors).toEqual([layers[3]?.error?.message, layers[3]?.error?.message]);
    }
    for (const { frames: got } of [all, later]) {
      const ends = got.filter((one) => one.playId === run && one.ref !== null && one.state !== 'RUN');
      expect(ends.map(({ ref, out }) => [ref, out])).toEqual(layers.map(({ ref, out }) => [ref, out]));
    }
    const said = JSON.stringify([told, all.frames, later.frames, layers]);
    expect([...new Set(said.match(/canary-\w+-7f3a91/g))]).toEqual([]);
    for (const { out } of layers) expect(JSON.stringify(out)).toContain('Bearer [secret]');
    io.close();
    ioAgain.close();
    await Promise.all([all.close(), later.close()]);
  });
});

describe('the example client of the docs', () => {
  it('prints the frames of a play, and ends with it', async () => {
    const client = fileURLToPath(new URL('../../docs/examples/watch.ts', import.meta.url));
    const { token } = await admin.createApiKey({ scope: 'api:read' });
    const env = { ...process.env, WEFT_TOKEN: token };
    const { stdout } = await promisify(execFile)(process.execPath, [client, one('realtime').url, playId], { env });
    const printed = stdout.trim().split('\n');
    expect(printed.map((line) => JSON.parse(line) as PlayFrame)).toEqual(frames.filter((frame) => !isProgress(frame)));
  });

  it('says how it is called, or what the server says, and shows no stack', async () => {
    const client = fileURLToPath(new URL('../../docs/examples/watch.ts', import.meta.url));
    const { token } = await admin.createApiKey({ scope: 'api:read' });
    const saying = async (args: readonly string[], more: Readonly<Record<string, string>> = {}) => {
      const run = promisify(execFile)(process.execPath, [client, ...args], { env: { ...process.env, ...more } });
      const failed = await run.then(
        () => ({ stderr: 'it ended well', code: 0 }),
        (error: { stderr: string; code: number }) => error,
      );
      expect(failed.stderr).not.toMatch(/^ +at /m);
      return [failed.code, failed.stderr] as const;
    };
    const usage = [2, expect.stringMatching(/^usage: WEFT_TOKEN=/)];
    const { url } = one('realtime');
    expect(await saying([])).toEqual(usage);
    expect(await saying([playId], { WEFT_TOKEN: token })).toEqual(usage);
    expect(await saying([url, playId])).toEqual(usage);
    const strange = await saying([url, 'nothing'], { WEFT_TOKEN: token });
    expect(strange).toEqual([1, expect.stringMatching(/^There is no play with this id.*\(404\)\n$/)]);
    const wrong = await saying([url, playId], { WEFT_TOKEN: 'nonsense' });
    expect(wrong).toEqual([1, expect.stringMatching(/\(401\)\n$/)]);
  });
});

function fits(type: string, value: unknown): boolean {
  if (type === 'any') return value !== undefined;
  if (type === 'time') return typeof value === 'string' && new Date(value).toISOString() === value;
  return typeof value === type && value !== null;
}
