import { CLOSE } from '@weft/contracts';
import { journal, type LayerResult, type PlayEvent } from '@weft/engine';
import { socketClient, waitFor } from '@weft/testing';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { knockAt } from '../../../../test/fixtures/knock.js';
import { openFixture } from '../../../../test/fixtures/realtime-fixture.js';

const fixture = await openFixture();
const knock = (path: string, headers: Readonly<Record<string, string>>) => knockAt(fixture.origin, path, headers);

const at = new Date('2026-11-21T09:00:00.000Z');
const RUN: PlayEvent = { type: 'state', from: 'NEW', state: 'RUN', at };
const start = (layer: number): PlayEvent => ({ type: 'start', layer, ref: `l${layer}`, name: `L ${layer}`, at });
const complete = (layer: number): PlayEvent => ({ type: 'complete', layer, state: 'DONE', at });
const DONE: readonly PlayEvent[] = [
  { type: 'state', from: 'RUN', state: 'DONE', at },
  { type: 'end', state: 'DONE', at },
];
const result = (position: number, out: unknown = { position }): LayerResult => ({
  position,
  ref: `l${position}`,
  name: `L ${position}`,
  state: 'DONE',
  startedAt: at,
  completedAt: at,
  out,
  outBytes: 100,
  attempts: 1,
  by: 'w:1',
});

/** Runs a play to its end in four writes, each announced if `announced`. */
async function runToEnd(playId: string, announced = true): Promise<void> {
  await fixture.write(playId, [RUN, start(0)], [], announced);
  await fixture.write(playId, [complete(0), start(1)], [result(0)], announced);
  await fixture.write(playId, [complete(1), start(2)], [result(1, 'x'.repeat(9_000))], announced);
  await fixture.write(playId, [complete(2), ...DONE], [result(2)], announced, {
    state: 'DONE',
    completedAt: new Date(),
  });
}

describe('before the handshake', () => {
  const key = async (...scopes: Parameters<typeof fixture.key>[0]) => ({
    authorization: `Bearer ${await fixture.key(scopes)}`,
  });
  const cookie = { cookie: fixture.cookie };

  it('refuses what brings no credential, also with a token in the URL', async () => {
    const play = await fixture.play();
    const token = await fixture.key(['api']);
    for (const [path, headers, code] of [
      [`/ws/plays/${play}`, {}, 'unauthenticated'],
      [`/ws/plays/${play}?token=${token}`, {}, 'unauthenticated'],
      [`/ws/plays/${play}`, { cookie: 'sid=unknown' }, 'session_expired'],
      [`/ws/plays/${play}`, { authorization: 'Bearer nonsense' }, 'token_invalid'],
      [`/ws/plays/${play}`, { authorization: 'Basic YTpi', ...cookie }, 'unauthenticated'],
      [`/ws/plays/${play}`, { 'sec-websocket-protocol': 'bearer' }, 'unauthenticated'],
    ] as const) {
      expect(await knock(path, headers), path).toMatchObject({ status: 401, code });
    }
  });

  it('refuses a page of another site that has the cookie, and lets keys and programs in', async () => {
    const path = `/ws/plays/${await fixture.play()}`;
    for (const origin of ['https://evil.example', 'null']) {
      expect(await knock(path, { ...cookie, origin })).toMatchObject({ status: 403, code: 'cross_site' });
      expect(await knock(path, { ...(await key('api')), origin })).toMatchObject({ status: 101 });
    }
    expect(await knock(path, { ...cookie, 'sec-fetch-site': 'same-site' })).toMatchObject({ code: 'cross_site' });
    expect(await knock(path, { ...cookie, origin: fixture.origin })).toMatchObject({ status: 101 });
    expect(await knock(path, cookie)).toMatchObject({ status: 101 });
  });

  it('asks for the scope, and shows a flow:execute key only the plays of its user', async () => {
    const [own, foreign] = [await fixture.play(), await fixture.play({ triggeredBy: 'somebody-else' })];
    for (const scope of ['api', 'api:read', 'read', 'api:plays'] as const) {
      expect(await knock(`/ws/plays/${foreign}`, await key(scope)), scope).toMatchObject({ status: 101 });
    }
    for (const scope of ['api:flows', 'mcp', 'webhooks', 'admin'] as const) {
      const refusal = { status: 403, code: 'insufficient_scope', reason: 'insufficient scope' };
      expect(await knock(`/ws/plays/${own}`, await key(scope)), scope).toMatchObject(refusal);
    }
    expect(await knock(`/ws/plays/${own}`, await key('flow:execute'))).toMatchObject({ status: 101 });
    expect(await knock(`/ws/plays/${foreign}`, await key('flow:execute'))).toMatchObject({ code: 'denied' });
  });

  it('answers for a play of another company as for one that never was', async () => {
    const foreign = await fixture.play({ company_id: 'another-company' });
    const answers = [];
    for (const id of [foreign, 'n0such1d', '$where', '%2e%2e']) answers.push(await knock(`/ws/plays/${id}`, cookie));
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 404, code: 'not_found', detail: answers[0]?.detail });
    }
  });

  it('lets a right on the flow decide, also when the flow was deleted', async () => {
    const restricted = await fixture.flow({ restricted: true, createdBy: 'somebody-else' });
    const deleted = await fixture.flow({ filteredAt: new Date() });
    const viewer = { cookie: (await fixture.user('viewer')).cookie };
    const [hidden, kept] = [await fixture.play({ flowId: restricted }), await fixture.play({ flowId: deleted })];
    expect(await knock(`/ws/plays/${hidden}`, viewer)).toMatchObject({ status: 403, code: 'denied', reason: 'denied' });
    expect(await knock(`/ws/plays/${hidden}`, cookie)).toMatchObject({ status: 101 });
    expect(await knock(`/ws/plays/${kept}`, viewer)).toMatchObject({ status: 101 });
  });

  it('refuses numbers and names that the stream does not know, and paths that are not exactly its own', async () => {
    const play = await fixture.play();
    for (const query of ['fromSeq=0', 'fromSeq=-1', 'fromSeq=1.5', 'fromSeq=', 'fromSeq=1&fromSeq=2', 'token=x']) {
      expect(await knock(`/ws/plays/${play}?${query}`, cookie), query).toMatchObject({
        status: 400,
        code: 'invalid_query',
      });
    }
    for (const path of [
      `/ws/plays/${play}/`,
      `/WS/plays/${play}`,
      `/ws/plays/../plays/${play}`,
      '/ws/plays/',
      '/api/ws/',
    ]) {
      expect(await knock(path, cookie), path).toMatchObject({ status: 404, code: 'not_found', instance: path });
    }
  });

  it('answers with a whole problem and the request id, and leaves other upgrades to the server', async () => {
    const answer = await knock('/ws/plays/x', { 'x-request-id': 'mine-1' });
    expect(answer).toMatchObject({
      type: 'urn:weft:problem:unauthenticated',
      requestId: 'mine-1',
      retryable: false,
      errors: [],
    });
    expect(answer.headers).toMatchObject({
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-request-id': 'mine-1',
    });
    expect(await knock('/health/live', { upgrade: 'h2c', connection: 'Upgrade, HTTP2-Settings' })).toMatchObject({
      status: 200,
    });
  });

  it('holds a user to 100 sockets', async () => {
    const user = await fixture.user('viewer');
    const play = await fixture.play();
    const open = Array.from({ length: 100 }, () => fixture.watch(play, { headers: { cookie: user.cookie } }));
    await Promise.all(open.map((one) => one.opened));
    const refused = await knock(`/ws/plays/${play}`, { cookie: user.cookie });
    expect(refused).toMatchObject({ status: 429, code: 'too_many_sockets', headers: { 'retry-after': '5' } });
    expect(await knock(`/ws/plays/${play}`, cookie)).toMatchObject({ status: 101 });
    await open[0]?.close();
    await waitFor(async () => (await knock(`/ws/plays/${play}`, { cookie: user.cookie })).status === 101, {
      what: 'a free place',
    });
    await Promise.all(open.map((one) => one.close()));
  });
});

describe('a watched play', () => {
  it('is told live as it is replayed later, and ends with 1000', async () => {
    const play = await fixture.play();
    const live = fixture.watch(play);
    await live.opened;
    await runToEnd(play);
    expect(await live.closed).toMatchObject({ code: 1000 });
    const late = fixture.watch(play);
    expect(await late.closed).toMatchObject({ code: 1000 });
    expect(late.frames).toEqual(live.frames);
    expect(live.frames).toEqual(JSON.parse(JSON.stringify(journal(await fixture.stored(play)))));
    expect(Object.keys(live.frames[0] ?? {})).toEqual(['seq', 'type', 'playId', 'data']);
    const resumed = fixture.watch(`${play}?fromSeq=4`);
    await resumed.closed;
    expect(resumed.frames).toEqual(live.frames.slice(3));
    const past = fixture.watch(`${play}?fromSeq=99`);
    expect([await past.closed, past.frames.length]).toMatchObject([{ code: 1000 }, 0]);
  });

  it('takes the key as subprotocol, and answers with "bearer"', async () => {
    const play = await fixture.play();
    const socket = new WebSocket(`${fixture.ws}/ws/plays/${play}`, ['bearer', await fixture.key(['api:read'])]);
    await once(socket, 'open');
    expect(socket.protocol).toBe('bearer');
    socket.terminate();
  });

  it('arrives although every notice is lost', async () => {
    const play = await fixture.play();
    const live = fixture.watch(play);
    await live.opened;
    await runToEnd(play, false);
    expect(await live.closed).toMatchObject({ code: 1000 });
    expect(live.frames.map((one) => one.seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('survives that the gateway loses Redis', async () => {
    const play = await fixture.play();
    const live = fixture.watch(play);
    await fixture.write(play, [RUN, start(0)]);
    await live.waitForFrame((one) => one.seq === 2);
    await fixture.cutSubscriptions();
    await fixture.write(play, [complete(0), ...DONE], [result(0)], true, { state: 'DONE', completedAt: new Date() });
    await live.closed;
    expect(live.frames.map((one) => one.seq)).toEqual([1, 2, 3, 4, 5]);
  });

  it('reaches its reader in parts when it has more results than one read gives', async () => {
    const play = await fixture.play();
    const layers = Array.from({ length: 150 }, (_, i) => result(i, { text: 'é'.repeat(i * 20) }));
    await fixture.write(play, [RUN, ...layers.flatMap((_, i) => [start(i), complete(i)])], layers);
    const live = fixture.watch(play);
    await live.waitForFrame((one) => one.seq === 301);
    await fixture.write(play, DONE, [], true, { state: 'DONE', completedAt: new Date() });
    await live.closed;
    expect(live.frames).toEqual(JSON.parse(JSON.stringify(journal(await fixture.stored(play)))));
  });

  it('shows nothing of other plays of the company', async () => {
    const [mine, other] = [await fixture.play(), await fixture.play()];
    const live = fixture.watch(mine);
    await live.opened;
    await runToEnd(other);
    await runToEnd(mine);
    await live.closed;
    expect(new Set(live.frames.map((one) => one.playId))).toEqual(new Set([mine]));
  });
});

describe('a reader who may not go on', () => {
  it('is closed with 4401 when the session or the key has ended, and with 4403 when the right has', async () => {
    const play = await fixture.play({ flowId: await fixture.flow({ createdBy: 'somebody-else' }) });
    const user = await fixture.user('viewer');
    const byKey = fixture.watch(play, { headers: { authorization: `Bearer ${await fixture.key(['api'])}` } });
    const bySession = fixture.watch(play, { headers: { cookie: user.cookie } });
    const byRight = fixture.watch(play, { headers: { cookie: (await fixture.user('viewer')).cookie } });
    await Promise.all([byKey.opened, bySession.opened, byRight.opened]);
    await fixture.revokeKeys();
    await user.endSession();
    expect([await byKey.closed, await bySession.closed]).toMatchObject([{ code: 4401 }, { code: 4401 }]);
    await fixture.restrictFlowOf(play);
    expect(await byRight.closed).toMatchObject({ code: 4403 });
  });

  it('is told 4404 when the play is deleted', async () => {
    const play = await fixture.play();
    const watcher = fixture.watch(play);
    await watcher.opened;
    await fixture.deletePlay(play);
    expect(await watcher.closed).toMatchObject({ code: 4404 });
  });
});

describe('a reader who does not behave', () => {
  it('is closed with 4400 for a message, 1009 for one over 64 KB, 4408 without a pong', async () => {
    const headers = { cookie: fixture.cookie };
    const path = `${fixture.ws}/ws/plays/${await fixture.play()}`;
    const [talker, shouter] = [new WebSocket(path, { headers }), new WebSocket(path, { headers })];
    const mute = new WebSocket(path, { headers, autoPong: false });
    const codes = [talker, shouter, mute].map(async (socket) => (await once(socket, 'close'))[0] as number);
    await Promise.all([talker, shouter, mute].map((socket) => once(socket, 'open')));
    talker.send('{"action":"subscribe"}');
    shouter.send('x'.repeat(65_537));
    expect(await Promise.all(codes)).toEqual([CLOSE.badMessage, CLOSE.tooBig, CLOSE.noPong]);
  });

  it('is closed with 4410 when it takes nothing, while others get everything', async () => {
    const play = await fixture.play();
    // 11 MB as JSON: more than the kernel's buffers hold for a reader that never reads
    const layers = Array.from({ length: 120 }, (_, i) => result(i, '\u0000'.repeat(16_000)));
    await fixture.write(play, [RUN, ...layers.map((_, i) => complete(i))], layers);
    const slow = Array.from({ length: 3 }, () => fixture.watch(play));
    await Promise.all(slow.map((one) => one.opened.then(() => one.pause())));
    const quick = fixture.watch(play);
    await quick.waitForFrame((one) => one.seq === 121);
    await waitFor(async () => (await fixture.metric('weft_live_sockets_closed_total{code="4410"}')) === 3, {
      what: 'three slow readers closed',
    });
    await fixture.write(play, DONE, [], true, { state: 'DONE', completedAt: new Date() });
    expect(await quick.closed).toMatchObject({ code: 1000 });
    expect(quick.frames.map((one) => one.seq)).toEqual(Array.from({ length: 123 }, (_, i) => i + 1));
    for (const one of slow) one.terminate();
  });
});

it('sends readers elsewhere with 1001 when the server stops, and lets nobody in any more', async () => {
  const second = await fixture.secondGateway();
  const watcher = socketClient(`${second.ws}/ws/plays/${await fixture.play()}`, {
    headers: { cookie: fixture.cookie },
  });
  await watcher.opened;
  const stopped = second.stop();
  expect(await watcher.closed).toMatchObject({ code: 1001 });
  await stopped;
});
