import { CLOSE } from '@weft/contracts';
import type { LayerResult, PlayEvent } from '@weft/engine';
import { lastIdAt } from '@weft/kernel';
import { describe, expect, it } from 'vitest';
import { knockAt } from '../../../../test/fixtures/knock.js';
import { cursorText } from './cursor.js';
import { openFixture, type CompanyMessage } from '../../../../test/fixtures/realtime-fixture.js';

const fixture = await openFixture();
const knock = (query: string, headers: Readonly<Record<string, string>>) =>
  knockAt(fixture.origin, `/api/ws${query}`, headers);

type Written = readonly [readonly PlayEvent[], readonly LayerResult[], 'DONE'?];

function writes(at = new Date()): readonly Written[] {
  const result = (position: number, out: unknown): LayerResult => ({
    position,
    ref: `l${position}`,
    name: 'L',
    state: 'DONE',
    startedAt: at,
    completedAt: at,
    out,
    outBytes: 10,
    attempts: 1,
    by: 'w:1',
  });
  return [
    [
      [
        { type: 'state', from: 'NEW', state: 'RUN', at },
        { type: 'start', layer: 0, ref: 'l0', name: 'L', at },
      ],
      [],
    ],
    [
      [
        { type: 'error', layer: 0, ref: 'l0', message: 'no', retries: 0, at },
        { type: 'complete', layer: 0, state: 'DONE', at },
        { type: 'complete', layer: 1, state: 'SKIP', at },
      ],
      [result(0, { a: 1 }), { ...result(1, null), state: 'SKIP' }],
    ],
    [
      [
        { type: 'state', from: 'RUN', state: 'DONE', at },
        { type: 'end', state: 'DONE', at },
      ],
      [],
      'DONE',
    ],
  ];
}

async function write(playId: string, [events, layers, end]: Written, announced = true): Promise<void> {
  await fixture.write(playId, events, layers, announced, end ? { state: end, completedAt: new Date() } : {});
}

async function run(playId: string, announced = true): Promise<void> {
  for (const one of writes()) await write(playId, one, announced);
}

const TOLD = [
  [1, null, 'RUN', null],
  [2, 'l0', 'RUN', null],
  [4, 'l0', 'DONE', { a: 1 }],
  [5, 'l1', 'SKIP', null],
  [6, null, 'DONE', null],
];
const shown = (frames: readonly CompanyMessage[], playId: string) =>
  frames.filter((one) => one.playId === playId).map(({ seq, ref, state, out }) => [seq, ref, state, out]);
const ended = (playId: string) => (one: CompanyMessage) => one.playId === playId && one.seq === 6;

describe('before the handshake', () => {
  const bearer = async (...scopes: Parameters<typeof fixture.key>[0]) => ({
    authorization: `Bearer ${await fixture.key(scopes)}`,
  });

  it('refuses what has no credential, a token in the URL, another site, and a key without the scope', async () => {
    const token = await fixture.key(['api']);
    expect(await knock('', {})).toMatchObject({ status: 401, code: 'unauthenticated' });
    expect(await knock(`?token=${token}`, {})).toMatchObject({ status: 401, code: 'unauthenticated' });
    const foreign = { cookie: fixture.cookie, origin: 'https://evil.example' };
    expect(await knock('', foreign)).toMatchObject({ status: 403, code: 'cross_site' });
    for (const scope of ['api:flows', 'mcp', 'webhooks', 'admin'] as const) {
      expect(await knock('', await bearer(scope)), scope).toMatchObject({ status: 403, code: 'insufficient_scope' });
    }
    for (const scope of ['api', 'read', 'api:plays', 'flow:execute'] as const) {
      expect(await knock('', await bearer(scope)), scope).toMatchObject({ status: 101 });
    }
  });

  it('refuses names that the stream does not know, and cursors that are none or too old', async () => {
    const old = cursorText(Date.now() - 25 * 3_600_000, '');
    for (const query of [
      '?fromSeq=1',
      '?cursor=x',
      '?cursor=',
      `?cursor=${old}`,
      '?cursor=1&cursor=1',
      '?kinds=',
      '?kinds=flow',
    ]) {
      expect(await knock(query, { cookie: fixture.cookie }), query).toMatchObject({
        status: 400,
        code: 'invalid_query',
      });
    }
    const ahead = cursorText(Date.now() + 3_600_000, '');
    expect(await knock(`?cursor=${ahead}`, { cookie: fixture.cookie })).toMatchObject({
      status: 400,
      code: 'invalid_query',
    });
    const recent = cursorText(Date.now() - 3_600_000, '');
    expect(await knock(`?cursor=${recent}`, { cookie: fixture.cookie })).toMatchObject({ status: 101 });
  });
});

describe('the stream of a company', () => {
  it('shows nothing of what somebody else publishes on Redis', async () => {
    const reader = fixture.follow();
    await reader.opened;
    const playId = await fixture.play();
    await run(playId);
    await reader.waitForFrame(ended(playId));
    const { flowId, triggeredBy, log, layers } = await fixture.stored(playId);
    const [madeUp, last] = [`z${playId.slice(1)}`, await fixture.play()];
    await fixture.publishAsAnyone([[madeUp, log.length, { flowId, triggeredBy, log, layers }]]);
    await run(last);
    await reader.waitForFrame(ended(last));
    expect(shown(reader.frames, madeUp)).toEqual([]);
    expect(shown(reader.frames, playId)).toEqual(TOLD);
    await reader.close();
  });

  it('tells each change of every play, and of its layers, in order', async () => {
    const reader = fixture.follow();
    await reader.opened;
    const [first, second] = [await fixture.play(), await fixture.play()];
    await Promise.all([run(first), run(second)]);
    await Promise.all([reader.waitForFrame(ended(first)), reader.waitForFrame(ended(second))]);
    expect(shown(reader.frames, first)).toEqual(TOLD);
    expect(shown(reader.frames, second)).toEqual(TOLD);
    const members = ['cursor', 'playId', 'flowId', 'ref', 'state', 'out', 'seq', 'timestamp'];
    const [ofPlay, ofLayer] = reader.frames.filter((one) => one.playId === first);
    expect(Object.keys(ofPlay ?? {})).toEqual([...members, 'oldState', 'play']);
    expect(Object.keys(ofLayer ?? {})).toEqual(members);
    await reader.close();
  });

  it('arrives although every notice is lost', async () => {
    const reader = fixture.follow();
    await reader.opened;
    const playId = await fixture.play();
    await run(playId, false);
    await reader.waitForFrame(ended(playId));
    expect(shown(reader.frames, playId)).toEqual(TOLD);
    await reader.close();
  });

  it('begins with what is stored after it was opened', async () => {
    const [over, underway] = [await fixture.play(), await fixture.play()];
    const [start, ...rest] = writes();
    await run(over);
    if (start) await write(underway, start);
    const reader = fixture.follow();
    await reader.opened;
    for (const one of rest) await write(underway, one);
    await reader.waitForFrame(ended(underway));
    expect(shown(reader.frames, underway)).toEqual(TOLD.slice(2));
    expect(shown(reader.frames, over)).toEqual([]);
    await reader.close();
  });
});

describe('a list that a reader keeps from the messages about plays alone', () => {
  const open = async (
    query = '',
    gateway: { follow: (query?: string) => ReturnType<typeof fixture.follow> } = fixture,
  ) => {
    const reader = gateway.follow(`?kinds=play${query}`);
    await reader.opened;
    return reader;
  };
  const bare = ({ cursor: _cursor, ...message }: CompanyMessage) => message;
  const key = ({ playId, seq }: CompanyMessage) => `${playId} ${seq}`;

  it('is the list of the API, whatever was lost, cut and read again elsewhere', async () => {
    const second = await fixture.secondGateway();
    const before = new Set((await fixture.rows()).map(({ id }) => id));
    const list = new Map<string, NonNullable<CompanyMessage['play']>>();
    const seen = new Set<string>();
    const take = (frames: readonly CompanyMessage[]) => {
      for (const frame of frames) {
        if (frame.play && !seen.has(key(frame))) list.set(frame.playId, frame.play);
        seen.add(key(frame));
      }
    };
    const [start, middle, end] = writes();
    const dueAt = new Date(Date.now() + 3_600_000);
    const first = await open();
    const accepted = await fixture.play();
    const delayed = await fixture.play({ state: 'DEFERRED', dueAt, idempotencyKey: 'k', priority: 3 });
    const running = await fixture.play();
    if (start) await write(running, start);
    await run(await fixture.play(), false);
    for (const id of [accepted, delayed, running]) await first.waitForFrame((one) => one.playId === id);
    take(first.frames);
    expect(first.frames.every(({ ref }) => ref === null)).toBe(true);
    const cursor = first.frames.at(-1)?.cursor ?? '';
    await first.close();

    const failed = await fixture.play();
    await fixture.write(failed, [{ type: 'state', from: 'NEW', state: 'RUN', at: new Date() }], [], false);
    const events = (['state', 'end'] as const).map((type) => ({ type, from: 'RUN', state: 'FAIL', at: new Date() }));
    const error = { code: 'internal', message: 'no', ref: null };
    const set = { state: 'FAIL', completedAt: new Date(), error } as const;
    await fixture.write(failed, events as PlayEvent[], [], false, set);
    const again = await open(`&cursor=${cursor}`, second);
    if (middle) await write(running, middle);
    if (end) await write(running, end);
    await again.waitForFrame((one) => one.playId === running && one.state === 'DONE');
    await again.waitForFrame((one) => one.playId === failed && one.state === 'FAIL');
    take(again.frames);
    const expected = (await fixture.rows()).filter(({ id }) => !before.has(id));
    expect(expected).toHaveLength(5);
    expect([...list.values()].sort((a, b) => (a.id < b.id ? 1 : -1))).toEqual(expected);
    await again.close();
    await second.stop();
  });

  it('is made of the same messages, live and after a cursor', async () => {
    const origin = cursorText(Date.now(), '');
    const live = await open();
    const playId = await fixture.play();
    await live.waitForFrame((one) => one.playId === playId && one.seq === 0);
    await run(playId);
    await live.waitForFrame(ended(playId));
    const replayed = await open(`&cursor=${origin}`);
    await replayed.waitForFrame(ended(playId));
    const own = (frames: readonly CompanyMessage[]) => frames.filter((one) => one.playId === playId).map(bare);
    expect(own(live.frames).map(({ seq, oldState, state }) => [seq, oldState, state])).toEqual([
      [0, null, 'NEW'],
      [1, 'NEW', 'RUN'],
      [6, 'RUN', 'DONE'],
    ]);
    expect(own(replayed.frames)).toEqual(own(live.frames));
    await Promise.all([live.close(), replayed.close()]);
  });

  it('has no row of a play that the reader may not read', async () => {
    const user = await fixture.user('viewer');
    const hidden = await fixture.flow({ restricted: true, createdBy: 'somebody-else' });
    const reader = fixture.follow('', { headers: { cookie: user.cookie } });
    await reader.opened;
    reader.send({ action: 'subscribe', kinds: ['play'] });
    await reader.heard();
    const [secret, marker] = [await fixture.play({ flowId: hidden }), await fixture.play()];
    await run(secret);
    await run(marker);
    await reader.waitForFrame(ended(marker));
    expect(reader.frames.map(({ playId, seq }) => [playId, seq])).toEqual([0, 1, 6].map((seq) => [marker, seq]));
    await reader.close();
  });
});

describe('a reader who comes back', () => {
  it('gets what it missed on any gateway, once, then goes on live', async () => {
    const second = await fixture.secondGateway();
    const before = fixture.follow();
    await before.opened;
    const [start, middle, end] = writes();
    const [over, underway, missed] = [await fixture.play(), await fixture.play(), await fixture.play()];
    await run(over);
    if (start) await write(underway, start);
    const last = await before.waitForFrame((one) => one.playId === underway && one.seq === 2);
    await before.waitForFrame(ended(over));
    const cursor = before.frames.at(-1)?.cursor ?? last.cursor;
    await before.close();
    if (middle) await write(underway, middle);
    await run(missed);

    const after = second.follow(`?cursor=${cursor}`);
    await after.waitForFrame(ended(missed));
    if (end) await write(underway, end);
    await after.waitForFrame(ended(underway));
    expect(shown(after.frames, over)).toEqual([]);
    expect(shown(after.frames, missed)).toEqual(TOLD);
    expect(shown(after.frames, underway)).toEqual(TOLD.slice(2));
    await after.close();
    await second.stop();
  });

  it('goes on within a play from every cursor', async () => {
    const reader = fixture.follow();
    await reader.opened;
    const playId = await fixture.play();
    await run(playId);
    await reader.waitForFrame(ended(playId));
    await reader.close();
    const own = reader.frames.filter((one) => one.playId === playId);
    for (const [i, frame] of own.entries()) {
      const next = fixture.follow(`?cursor=${frame.cursor}`);
      await next.opened;
      const marker = await fixture.play();
      await run(marker);
      await next.waitForFrame(ended(marker));
      expect(shown(next.frames, playId)).toEqual(TOLD.slice(i + 1));
      await next.close();
    }
  });

  it('is told once of a play that began after the cursor and went on for long', async () => {
    const cursor = cursorText(Date.now() - 60_000, '');
    const begun = new Date(Date.now() - 40_000);
    const playId = await fixture.play({ _id: lastIdAt(begun.getTime()) });
    for (const one of writes(begun)) await write(playId, one, false);
    const reader = fixture.follow(`?cursor=${cursor}`);
    await reader.waitForFrame(ended(playId));
    const marker = await fixture.play();
    await run(marker);
    await reader.waitForFrame(ended(marker));
    expect(shown(reader.frames, playId)).toEqual(TOLD);
    await reader.close();
  });

  it('gets the late moves of plays that were accepted long ago', async () => {
    const longAgo = lastIdAt(Date.now() - 3_600_000);
    const playId = await fixture.play({ _id: longAgo });
    const [start, ...rest] = writes();
    if (start) await write(playId, start);
    const before = fixture.follow();
    await before.opened;
    const marker = await fixture.play();
    await run(marker);
    const { cursor } = await before.waitForFrame(ended(marker));
    await before.close();
    for (const one of rest) await write(playId, one, false);
    const after = fixture.follow(`?cursor=${cursor}`);
    await after.waitForFrame(ended(playId));
    expect(shown(after.frames, playId)).toEqual(TOLD.slice(2));
    expect(shown(after.frames, marker)).toEqual([]);
    await after.close();
  });
});

describe('what a reader sees', () => {
  it('is narrowed on the server, and widened again', async () => {
    const reader = fixture.follow();
    await reader.opened;
    const [wanted, other, both] = [await fixture.play(), await fixture.play(), await fixture.play()];
    reader.send({ action: 'subscribe', playIds: [wanted], states: ['DONE'] });
    await reader.heard();
    await run(other);
    await run(wanted);
    await reader.waitForFrame(ended(wanted));
    expect(reader.frames.map(({ playId, seq }) => [playId, seq])).toEqual([
      [wanted, 4],
      [wanted, 6],
    ]);
    reader.send({ action: 'unsubscribe' });
    await reader.heard();
    await run(both);
    await reader.waitForFrame(ended(both));
    expect(shown(reader.frames, both)).toEqual(TOLD);
    await reader.close();
  });

  it('is what the role, the flow and the scope open, and nothing of another company', async () => {
    const hidden = await fixture.flow({ restricted: true, createdBy: 'somebody-else' });
    const own = await fixture.flow({ restricted: true });
    const viewer = fixture.follow('', { headers: { cookie: (await fixture.user('viewer')).cookie } });
    const key = await fixture.key(['flow:execute']);
    const byKey = fixture.follow('', { headers: { authorization: `Bearer ${key}` } });
    await Promise.all([viewer.opened, byKey.opened]);
    const foreign = await fixture.play({ company_id: 'another-company' });
    const restricted = await fixture.play({ flowId: hidden });
    const ofAdmin = await fixture.play({ flowId: own });
    const ofOther = await fixture.play({ triggeredBy: 'somebody-else' });
    const open = await fixture.play();
    for (const playId of [foreign, restricted, ofAdmin, ofOther, open]) await run(playId);
    await Promise.all([viewer.waitForFrame(ended(open)), byKey.waitForFrame(ended(open))]);
    expect(new Set(viewer.frames.map((one) => one.playId))).toEqual(new Set([ofOther, open]));
    expect(new Set(byKey.frames.map((one) => one.playId))).toEqual(new Set([restricted, ofAdmin, open]));
    await Promise.all([viewer.close(), byKey.close()]);
  });

  it('ends for a flow whose right is lost, while the socket stays', async () => {
    const reader = fixture.follow('', { headers: { cookie: (await fixture.user('viewer')).cookie } });
    await reader.opened;
    const flowId = await fixture.flow({ createdBy: 'somebody-else' });
    const [before, after, marker] = [
      await fixture.play({ flowId }),
      await fixture.play({ flowId }),
      await fixture.play(),
    ];
    await run(before);
    await reader.waitForFrame(ended(before));
    await fixture.restrictFlowOf(after);
    await run(after);
    await run(marker);
    await reader.waitForFrame(ended(marker));
    expect(shown(reader.frames, after)).toEqual([]);
    await reader.close();
  });
});

describe('the socket', () => {
  it('closes with 4401 when the session ends', async () => {
    const user = await fixture.user('viewer');
    const reader = fixture.follow('', { headers: { cookie: user.cookie } });
    await reader.opened;
    await user.endSession();
    expect(await reader.closed).toMatchObject({ code: CLOSE.sessionEnded });
  });

  it('ends with its session when its user goes to another company', async () => {
    const user = await fixture.user('viewer');
    const reader = fixture.follow('', { headers: { cookie: user.cookie } });
    await reader.opened;
    const cookie = await user.switchTo('c-of-switch');
    expect(await reader.closed).toMatchObject({ code: CLOSE.sessionEnded });
    const there = fixture.follow('', { headers: { cookie } });
    await there.opened;
    const flowId = await fixture.flow({ company_id: 'c-of-switch', createdBy: 'somebody-else' });
    const [left, found] = [await fixture.play(), await fixture.play({ company_id: 'c-of-switch', flowId })];
    await run(left);
    await run(found);
    await there.waitForFrame(ended(found));
    expect(new Set(there.frames.map((one) => one.playId))).toEqual(new Set([found]));
    await there.close();
  });

  it('closes for messages that are none, too large ones, and too many subscriptions', async () => {
    const sent: readonly (readonly [unknown, number])[] = [
      [{ action: 'subscribe', playIds: 'one' }, CLOSE.badMessage],
      [{ action: 'jump' }, CLOSE.badMessage],
      [{ action: 'subscribe', refs: Array.from({ length: 1_001 }, (_, i) => `${i}`) }, CLOSE.tooMany],
      [{ action: 'subscribe', refs: ['x'.repeat(65_536)] }, CLOSE.tooBig],
    ];
    for (const [message, code] of sent) {
      const reader = fixture.follow();
      await reader.opened;
      reader.send(message);
      expect(await reader.closed, JSON.stringify(message).slice(0, 60)).toMatchObject({ code });
    }
  });

  it('closes with 1001 when the server stops, and its reader goes on elsewhere', async () => {
    const second = await fixture.secondGateway();
    const reader = second.follow();
    await reader.opened;
    const [told, missed] = [await fixture.play(), await fixture.play()];
    await run(told);
    const { cursor } = await reader.waitForFrame(ended(told));
    const stopped = second.stop();
    expect(await reader.closed).toMatchObject({ code: 1001 });
    await stopped;
    await run(missed);
    const elsewhere = fixture.follow(`?cursor=${cursor}`);
    await elsewhere.waitForFrame(ended(missed));
    expect([shown(elsewhere.frames, told), shown(elsewhere.frames, missed)]).toEqual([[], TOLD]);
    await elsewhere.close();
  });
});
