import type { PlayFrame, PlayLayerView } from '@weft/contracts';
import { socketClient, type ApiClient } from '@weft/testing';
import { describe, expect, it } from 'vitest';
import { sharedFleet } from './harness/fleet.js';
import { twoLayerFlow } from './harness/two-layer-flow.js';

const { admin, ledger, one } = await sharedFleet();
const realtime = one('realtime');
const flow = await twoLayerFlow(admin, ledger.url);
const { token } = await admin.createApiKey({ scope: 'api' });

/** Slow enough that watchers come before the end. */
const ANSWER_AFTER_MS = 400;
ledger.answerWith(({ body }) => ({ body: { n: (JSON.parse(body) as { n: number }).n }, delayMs: ANSWER_AFTER_MS }));

const TYPES_IN_ORDER = [
  'play_state_change',
  'layer_start',
  'layer_complete',
  'layer_start',
  'layer_complete',
  'play_state_change',
  'play_complete',
];

/** All frames of a play, from now to the close. */
async function watch(client: ApiClient, playId: string, query = '') {
  const socket = socketClient(`${realtime.url}/ws/plays/${playId}${query}`, { headers: client.credentials });
  const { code } = await socket.closed;
  return { frames: socket.frames, code };
}

function byRef(layers: readonly PlayLayerView[]) {
  return Object.fromEntries(layers.map((layer) => [layer.ref, layer]));
}

describe.each([
  ['a session', '/api/v1', () => admin],
  ['an API key', '/api', () => admin.withKey(token)],
])('the story with %s under %s', (_who, prefix, caller) => {
  it('runs a flow, watches it to its end, and reads what it did', async () => {
    const client = caller();
    const answer = await client.send<{ playId: string; state: string }>('POST', `${prefix}/flows/${flow.id}/run`, {
      args: { n: 7 },
    });
    expect(answer).toMatchObject({ status: 202, body: { state: 'RUN' } });
    const { playId } = answer.body;
    expect(answer.headers.location).toBe(`/api/v1/plays/${playId}`);

    const { frames, code } = await watch(client, playId);
    expect(code).toBe(1000);
    expect(frames.map(({ type }) => type)).toEqual(TYPES_IN_ORDER);
    expect(frames.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7]);

    const play = await client.send('GET', `${prefix}/plays/${playId}`);
    expect(play.body).toMatchObject({ id: playId, state: 'DONE', args: { n: 7 }, version: 3, error: null });
    const layers = await client.send<PlayLayerView[]>('GET', `${prefix}/plays/${playId}/layers`);
    expect(layers.body.map(({ ref, state }) => [ref, state])).toEqual([
      ['fetch', 'DONE'],
      ['tell', 'DONE'],
    ]);
    const { fetch, tell } = byRef(layers.body);
    expect(fetch?.out).toMatchObject({ statusCode: 200, json: { n: 7 } });
    expect(tell?.out).toEqual({ text: 'Play 7 was answered 7.' });
  });
});

describe('a play that is watched', () => {
  it('is asked of the outside world once, with its own idempotency key', async () => {
    const { playId } = await admin.run(flow.id, { args: { n: 8 } });
    await admin.waitForPlay(playId, { state: 'DONE' });
    const calls = ledger.calls.filter(({ idempotencyKey }) => idempotencyKey === `${playId}.0`);
    expect(calls.map(({ method, path, body }) => [method, path, body])).toEqual([['POST', '/ask', '{"n":8}']]);
  });

  it('shows each frame with the fields that the contract names', async () => {
    const { playId } = await admin.run(flow.id, { args: { n: 9 } });
    const { frames } = await watch(admin, playId);
    const play = await admin.play(playId);
    const [fetch, tell] = await admin.layers(playId);
    expect(play.duration).toBe(Date.parse(play.completedAt ?? '') - Date.parse(play.startedAt ?? ''));
    expect(frames.every((frame) => frame.playId === playId)).toBe(true);
    const moved = { play_id: playId, timestamp: expect.any(String) as string };
    const ended = { status: 'DONE', duration_ms: expect.any(Number) as number };
    expect(frames.map(({ data }) => data)).toEqual([
      { ...moved, old_status: 'NEW', new_status: 'RUN' },
      { layer_id: fetch?.id, flowlet_name: 'fetch', ref: 'fetch', timestamp: fetch?.startedAt },
      { ...ended, layer_id: fetch?.id, ref: 'fetch', output: fetch?.out },
      { layer_id: tell?.id, flowlet_name: 'tell', ref: 'tell', timestamp: tell?.startedAt },
      { ...ended, layer_id: tell?.id, ref: 'tell', output: { text: 'Play 9 was answered 9.' } },
      { ...moved, old_status: 'RUN', new_status: 'DONE' },
      {
        play_id: playId,
        final_status: 'DONE',
        duration_ms: play.duration,
        kv_summary: { reads: 0, writes: 0, keys: [] },
      },
    ]);
  });

  it('is told the same to who comes early, in the middle, at the end, and from a number on', async () => {
    const { playId } = await admin.run(flow.id, { args: { n: 10 } });
    const early = socketClient(`${realtime.url}/ws/plays/${playId}`, { headers: admin.credentials });
    await early.waitForFrame(({ type }) => type === 'layer_start');
    const middle = await watch(admin, playId);
    await early.closed;
    const late = await watch(admin.withKey(token), playId);
    const fromFive = await watch(admin, playId, '?fromSeq=5');

    expect(late).toEqual({ frames: early.frames, code: 1000 });
    expect(middle).toEqual(late);
    expect(fromFive).toEqual({ frames: late.frames.slice(4), code: 1000 });
  });

  it('shows a layer at work before it ends', async () => {
    const { playId } = await admin.run(flow.id, { args: { n: 11 } });
    const socket = socketClient(`${realtime.url}/ws/plays/${playId}`, { headers: admin.credentials });
    await socket.waitForFrame(({ type }) => type === 'layer_start');
    expect(socket.frames.some(({ type }) => type === 'layer_complete')).toBe(false);
    expect(byRef(await admin.layers(playId)).fetch).toMatchObject({ state: 'RUN', completedAt: null, out: null });
    await socket.closed;
  });

  it('never shows an event before its state can be read', async () => {
    const { playId } = await admin.run(flow.id, { args: { n: 12 } });
    const socket = socketClient(`${realtime.url}/ws/plays/${playId}`, { headers: admin.credentials });
    const isEnd = (frame: PlayFrame): boolean => frame.type === 'play_complete';
    await socket.waitForFrame(isEnd);
    expect((await admin.play(playId)).state).toBe('DONE');
  });
});

describe('a socket', () => {
  it('is refused before the handshake without a credential, and for a play that is not there', async () => {
    const { playId } = await admin.run(flow.id, { args: { n: 13 } });
    const anonymous = socketClient(`${realtime.url}/ws/plays/${playId}?token=${token}`);
    await expect(anonymous.opened).rejects.toThrow();
    expect(anonymous.refusedWith()).toBe(401);
    const unknown = socketClient(`${realtime.url}/ws/plays/nobody`, { headers: admin.credentials });
    await expect(unknown.opened).rejects.toThrow();
    expect(unknown.refusedWith()).toBe(404);
  });

  it('takes its token as a subprotocol, too, and answers with its name', async () => {
    const { playId } = await admin.run(flow.id, { args: { n: 14 } });
    const socket = socketClient(`${realtime.url}/ws/plays/${playId}`, { protocols: ['bearer', token] });
    await socket.closed;
    expect(socket.frames.map(({ type }) => type)).toEqual(TYPES_IN_ORDER);
  });
});
