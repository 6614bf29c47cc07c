import { CLOSE, type PlayFrame } from '@weft/contracts';
import { journal, playRow, type PlayEvent } from '@weft/engine';
import { waitFor } from '@weft/testing';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { ioClient, type IoOptions } from '../../../../test/fixtures/io-client.js';
import { knockAt } from '../../../../test/fixtures/knock.js';
import { openFixture } from '../../../../test/fixtures/realtime-fixture.js';

const fixture = await openFixture();
const cookie = { headers: { cookie: fixture.cookie } };
const join = (options: IoOptions = cookie) => ioClient(fixture.origin, options);

const at = new Date();
const WRITES: readonly (readonly PlayEvent[])[] = [
  [
    { type: 'state', from: 'NEW', state: 'RUN', at },
    { type: 'start', layer: 0, ref: 'a', name: 'A', at },
  ],
  [
    { type: 'error', layer: 0, ref: 'a', message: 'no', retries: 0, at },
    { type: 'complete', layer: 0, state: 'DONE', at },
  ],
  [
    { type: 'state', from: 'RUN', state: 'DONE', at },
    { type: 'end', state: 'DONE', at },
  ],
];
const RESULT = {
  ...({ position: 0, ref: 'a', name: 'A', state: 'DONE', startedAt: at, completedAt: at } as const),
  out: { x: 1 },
  outBytes: 7,
  attempts: 2,
  by: 'w:1',
};

async function run(playId: string): Promise<void> {
  const [first = [], second = [], last = []] = WRITES;
  await fixture.write(playId, first);
  await fixture.write(playId, second, [RESULT]);
  await fixture.write(playId, last, [], true, { state: 'DONE', completedAt: new Date() });
}

const told = async (playId: string) => JSON.parse(JSON.stringify(journal(await fixture.stored(playId)))) as PlayFrame[];
const endOf = (playId: string) => (one: PlayFrame) => one.playId === playId && one.type === 'play_complete';

describe('who may enter /plays', () => {
  it('is who brings a cookie, a key in the header or a key in the handshake', async () => {
    const token = await fixture.key(['api:read']);
    for (const options of [cookie, { headers: { authorization: `Bearer ${token}` } }, { token }]) {
      const client = join(options);
      await expect(client.opened).resolves.toBeUndefined();
      client.close();
    }
  });

  it('is nobody else, and nobody through a token in the URL', async () => {
    const token = await fixture.key(['api']);
    const narrow = await fixture.key(['webhooks']);
    for (const [options, refusal] of [
      [{}, { status: 401, code: 'unauthenticated' }],
      [{ query: { token } }, { status: 401, code: 'unauthenticated' }],
      [
        { token: 'nonsense', ...cookie },
        { status: 401, code: 'token_invalid' },
      ],
      [{ headers: { cookie: 'sid=unknown' } }, { status: 401, code: 'session_expired' }],
      [{ token: narrow }, { status: 403, code: 'insufficient_scope' }],
    ] as const) {
      expect(await join(options).refused, JSON.stringify(options)).toMatchObject(refusal);
    }
    expect(await join({ ...cookie, namespace: '/' }).refused).toContain('/plays');
  });

  it('is no page of another site with the cookie, and no other transport', async () => {
    const knock = (query: string, headers: Readonly<Record<string, string>>) =>
      knockAt(fixture.origin, `/socket.io/?EIO=4&${query}`, headers);
    for (const origin of ['https://evil.example', 'null']) {
      const refusal = { status: 403, code: 'cross_site' };
      expect(await knock('transport=websocket', { ...cookie.headers, origin })).toMatchObject(refusal);
    }
    expect(await knock('transport=websocket', { ...cookie.headers, origin: fixture.origin })).toMatchObject({
      status: 101,
    });
    expect(await knock('transport=polling', cookie.headers)).toMatchObject({ status: 400, code: 'invalid_query' });
  });
});

describe('a subscriber', () => {
  it('of a play gets the frames of its stream, from the number it asks for', async () => {
    const client = join();
    await client.opened;
    const [whole, rest] = [await fixture.play(), await fixture.play()];
    expect(await client.ask('subscribe', { playId: whole })).toEqual({ ok: true });
    await run(whole);
    await run(rest);
    expect(await client.ask('subscribe', { playId: rest, fromSeq: 3 })).toEqual({ ok: true });
    await waitFor(() => client.ended.length === 2, { what: 'the ends' });
    const frames = (playId: string) => client.frames.filter((one) => one.playId === playId);
    expect([frames(whole), frames(rest)]).toEqual([await told(whole), (await told(rest)).slice(2)]);
    expect(client.ended).toEqual([whole, rest].map((playId) => ({ playId, code: CLOSE.complete })));
    client.close();
  });

  it('of the company or a flow gets the frames of all their plays, until it unsubscribes', async () => {
    const [client, ofFlow] = [join(), join()];
    await Promise.all([client.opened, ofFlow.opened]);
    const flowId = await fixture.flow({});
    const [own, other] = [await fixture.play({ flowId }), await fixture.play()];
    expect(await client.ask('subscribe', { company: true })).toEqual({ ok: true });
    expect(await ofFlow.ask('subscribe', { flowId })).toEqual({ ok: true });
    await run(other);
    await run(own);
    await Promise.all([client.waitForFrame(endOf(own)), ofFlow.waitForFrame(endOf(own))]);
    await client.waitForFrame(endOf(other));
    expect(client.frames.filter((one) => one.playId === other)).toEqual(await told(other));
    expect(ofFlow.frames).toEqual(await told(own));
    expect(await client.ask('unsubscribe', { company: true })).toEqual({ ok: true });
    const [late, marker] = [await fixture.play(), await fixture.play({ flowId })];
    await run(late);
    await run(marker);
    await ofFlow.waitForFrame(endOf(marker));
    expect(client.frames.some((one) => one.playId === late)).toBe(false);
    client.close();
    ofFlow.close();
  });

  it('of kinds gets frames of these alone, and with a change of the play its row', async () => {
    const [ofPlays, ofLayers] = [join(), join()];
    await Promise.all([ofPlays.opened, ofLayers.opened]);
    expect(await ofPlays.ask('subscribe', { company: true, kinds: ['play'] })).toEqual({ ok: true });
    expect(await ofLayers.ask('subscribe', { company: true, kinds: ['layer'] })).toEqual({ ok: true });
    expect(await ofPlays.ask('subscribe', { company: true, kinds: ['flow'] })).toMatchObject({ ok: false });
    const playId = await fixture.play();
    await run(playId);
    const marker = await fixture.play();
    await run(marker);
    await ofPlays.waitForFrame(endOf(marker));
    await ofLayers.waitForFrame((one) => one.playId === marker && one.type === 'layer_complete');
    const own = ({ frames }: typeof ofPlays) => frames.filter((one) => one.playId === playId);
    const all = await told(playId);
    expect(own(ofLayers)).toEqual(all.filter(({ type }) => type.startsWith('layer')));
    const row = playRow(await fixture.stored(playId));
    expect(own(ofPlays)).toEqual([
      { ...all[0], oldState: 'NEW', play: { ...row, state: 'RUN', completedAt: null, duration: null } },
      { ...all.at(-2), oldState: 'RUN', play: row },
      all.at(-1),
    ]);
    ofPlays.close();
    ofLayers.close();
  });

  it('of a play and of its company gets each frame once', async () => {
    const client = join();
    await client.opened;
    const [both, left, first, marker] = [
      await fixture.play(),
      await fixture.play(),
      await fixture.play(),
      await fixture.play(),
    ];
    for (const wish of [{ company: true }, { playId: both }]) await client.ask('subscribe', wish);
    await run(first);
    await client.waitForFrame(endOf(first));
    // the play's own subscription delivered it before the company's feed has read it
    await fixture.write(left, WRITES[0] ?? [], [], false);
    await client.ask('subscribe', { playId: left });
    await client.waitForFrame((one) => one.playId === left && one.seq === 2);
    expect(await client.ask('unsubscribe', { playId: left })).toEqual({ ok: true });
    await fixture.write(left, WRITES[1] ?? [], [RESULT]);
    await fixture.write(left, WRITES[2] ?? [], [], true, { state: 'DONE', completedAt: new Date() });
    for (const playId of [both, marker]) await run(playId);
    for (const playId of [left, both, marker]) await client.waitForFrame(endOf(playId));
    for (const playId of [both, left]) {
      expect(client.frames.filter((one) => one.playId === playId)).toEqual(await told(playId));
    }
    client.close();
  });

  it('is told why not, and learns nothing of other companies', async () => {
    const viewer = join({ headers: { cookie: (await fixture.user('viewer')).cookie } });
    await viewer.opened;
    const hidden = await fixture.flow({ restricted: true, createdBy: 'somebody-else' });
    const foreign = await fixture.flow({ company_id: 'another-company' });
    for (const [wish, code] of [
      [{ playId: 'n0such1d' }, 'not_found'],
      [{ playId: await fixture.play({ company_id: 'another-company' }) }, 'not_found'],
      [{ playId: await fixture.play({ flowId: hidden }) }, 'denied'],
      [{ flowId: foreign }, 'not_found'],
      [{ flowId: hidden }, 'denied'],
      [{ company: false }, 'invalid_body'],
      [{ playId: 'p', flowId: 'f' }, 'invalid_body'],
      [{ flowId: hidden, fromSeq: 1 }, 'invalid_body'],
      [{ playId: Buffer.from('p') }, 'invalid_body'],
      ['company', 'invalid_body'],
    ] as const) {
      expect(await viewer.ask('subscribe', wish), JSON.stringify(wish)).toEqual({ ok: false, code });
    }
    expect(await viewer.ask('subscribe', { company: true })).toEqual({ ok: true });
    const [secret, open] = [await fixture.play({ flowId: hidden }), await fixture.play()];
    await run(secret);
    await run(open);
    await viewer.waitForFrame(endOf(open));
    expect(new Set(viewer.frames.map((one) => one.playId))).toEqual(new Set([open]));
    viewer.close();
  });

  it('loses what it may not read any more, and everything when the session ends', async () => {
    const user = await fixture.user('viewer');
    const client = join({ headers: { cookie: user.cookie } });
    await client.opened;
    const playId = await fixture.play({ flowId: await fixture.flow({ createdBy: 'somebody-else' }) });
    await client.ask('subscribe', { playId });
    await fixture.restrictFlowOf(playId);
    await waitFor(() => client.ended.length === 1, { what: 'the end of the subscription' });
    expect(client.ended).toEqual([{ playId, code: CLOSE.rightLost }]);
    await user.endSession();
    expect(await client.closed).toBe(CLOSE.sessionEnded);
  });
});

describe('a socket of socket.io', () => {
  it('counts among the hundred of its user, and not after it has closed', async () => {
    const user = await fixture.user('viewer');
    const headers = { cookie: user.cookie };
    const others = Array.from({ length: 99 }, () => fixture.follow('', { headers }));
    await Promise.all(others.map((one) => one.opened));
    const last = join({ headers });
    await last.opened;
    expect(await join({ headers }).refused).toMatchObject({ status: 429, code: 'too_many_sockets' });
    last.close();
    await waitFor(async () => (await knockAt(fixture.origin, '/api/ws', headers)).status === 101, {
      what: 'a free place',
    });
    await Promise.all(others.map((one) => one.close()));
  });

  it('closes with 4408 without a pong, with 4410 when it takes nothing, with 4429 for too many subscriptions', async () => {
    const address = `${fixture.ws}/socket.io/?EIO=4&transport=websocket`;
    /** Speaks the protocol directly, and answers nothing. */
    const bare = async () => {
      const socket = new WebSocket(address, cookie);
      await once(socket, 'message');
      socket.send('40/plays,');
      await once(socket, 'message');
      return socket;
    };
    const mute = await bare();
    const muted = once(mute, 'close');

    const stuck = await bare();
    const playId = await fixture.play();
    const layers = Array.from({ length: 120 }, (_, position) => ({
      ...RESULT,
      position,
      ref: `l${position}`,
      out: '\u0000'.repeat(16_000),
      outBytes: 16_002,
    }));
    const completes = layers.map(({ position }) => ({ type: 'complete', layer: position, state: 'DONE', at }) as const);
    await fixture.write(playId, [...(WRITES[0] ?? []).slice(0, 1), ...completes], layers);
    stuck.send(`42/plays,["subscribe",{"playId":"${playId}"}]`);
    stuck.pause();
    const closed = (code: number) => fixture.metric(`weft_live_sockets_closed_total{code="${code}"}`);
    await waitFor(async () => (await closed(CLOSE.tooSlow)) === 1, { what: 'the stuck reader closed' });
    stuck.terminate();

    const greedy = join();
    await greedy.opened;
    for (let i = 0; i < 1_200; i += 1) greedy.send('subscribe', { playId: `n0such${i}` });
    expect(await greedy.closed).toBe(CLOSE.tooMany);
    expect((await muted)[0]).toBe(CLOSE.noPong);
  });

  it('closes with 1009 for a message over 64 KB, and with 1001 when the server stops', async () => {
    const shouter = join();
    await shouter.opened;
    shouter.send('subscribe', { playId: 'x'.repeat(65_536) });
    expect(await shouter.closed).toBe(CLOSE.tooBig);
    const second = await fixture.secondGateway();
    const client = ioClient(second.ws.replace('ws:', 'http:'), cookie);
    await client.opened;
    const stopped = second.stop();
    expect(await client.closed).toBe(CLOSE.goingAway);
    await stopped;
  });
});
