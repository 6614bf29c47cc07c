import { CLOSE } from '@weft/contracts';
import type { PlayEvent } from '@weft/engine';
import { socketClient, waitFor } from '@weft/testing';
import { describe, expect, it } from 'vitest';
import { ioClient } from '../../../../test/fixtures/io-client.js';
import { knockAt } from '../../../../test/fixtures/knock.js';
import { NO_PINGS, openFixture, type CompanyMessage } from '../../../../test/fixtures/realtime-fixture.js';

/** docs/live.md requires the same of all three kinds of socket: `/ws/plays`, `/api/ws` and socket.io. */
const fixture = await openFixture({ websocket: NO_PINGS });

type Headers = Readonly<Record<string, string>>;

/** Connects as a socket.io client does: the handshake may succeed and the namespace refuse. */
async function knockAtPlays(headers: Headers, query: Headers) {
  const path = `/socket.io/?${new URLSearchParams({ EIO: '4', transport: 'websocket', ...query }).toString()}`;
  const answer = await knockAt(fixture.origin, path, headers);
  if (answer.status !== 101) return answer;
  const client = ioClient(fixture.origin, { headers, query });
  const said = await Promise.race([client.refused, client.opened.then(() => ({ status: 101 }))]);
  client.close();
  return said;
}

const playId = await fixture.play();
const KNOCKS: readonly (readonly [string, (headers: Headers, query?: Headers) => Promise<unknown>])[] = [
  ['/ws/plays', (headers, query) => knockAt(fixture.origin, withQuery(`/ws/plays/${playId}`, query), headers)],
  ['/api/ws', (headers, query) => knockAt(fixture.origin, withQuery('/api/ws', query), headers)],
  ['socket.io', (headers, query = {}) => knockAtPlays(headers, query)],
];

function withQuery(path: string, query: Headers | undefined): string {
  return query ? `${path}?${new URLSearchParams(query).toString()}` : path;
}

describe('before the handshake', () => {
  it.each(KNOCKS)(
    '%s refuses who has no good credential, pages of other sites, and keys without the scope',
    async (_, knock) => {
      const cookie = { cookie: fixture.cookie };
      const bearer = async (...scopes: Parameters<typeof fixture.key>[0]) => ({
        authorization: `Bearer ${await fixture.key(scopes)}`,
      });
      const token = await fixture.key(['api']);
      const refused: readonly (readonly [string, Headers, Headers | undefined, number, string])[] = [
        ['nothing', {}, undefined, 401, 'unauthenticated'],
        ['a token in the URL', {}, { token }, 401, 'unauthenticated'],
        ['one by its usual name', {}, { access_token: token }, 401, 'unauthenticated'],
        ['a session that nobody knows', { cookie: 'sid=unknown' }, undefined, 401, 'session_expired'],
        ['a session whose time is over', { cookie: await fixture.expiredCookie() }, undefined, 401, 'session_expired'],
        ['a bad key beside a good cookie', { ...cookie, authorization: 'Bearer x' }, undefined, 401, 'token_invalid'],
        ['another site', { ...cookie, origin: 'https://evil.example' }, undefined, 403, 'cross_site'],
        ['a page without an origin', { ...cookie, origin: 'null' }, undefined, 403, 'cross_site'],
        ['a sibling site', { ...cookie, 'sec-fetch-site': 'same-site' }, undefined, 403, 'cross_site'],
        ['a key for flows', await bearer('api:flows'), undefined, 403, 'insufficient_scope'],
        ['a key for hooks', await bearer('webhooks', 'mcp'), undefined, 403, 'insufficient_scope'],
      ];
      for (const [what, headers, query, status, code] of refused) {
        expect(await knock(headers, query), what).toMatchObject({ status, code });
      }
      for (const headers of [cookie, { ...cookie, origin: fixture.origin }, await bearer('api:plays')]) {
        expect(await knock(headers)).toMatchObject({ status: 101 });
      }
    },
  );
});

const at = new Date();
const BEGIN: readonly PlayEvent[] = [{ type: 'state', from: 'NEW', state: 'RUN', at }];
const END: readonly PlayEvent[] = [
  { type: 'state', from: 'RUN', state: 'DONE', at },
  { type: 'end', state: 'DONE', at },
];
const end = (id: string) => fixture.write(id, END, [], true, { state: 'DONE', completedAt: new Date() });

interface Gateway {
  readonly ws: string;
  readonly origin: string;
}

/** One reader of a play on each kind of socket; those of socket.io and of the company follow all other plays, too. */
async function readers(headers: Headers, id: string, { ws, origin }: Gateway = fixture) {
  const play = socketClient(`${ws}/ws/plays/${id}`, { headers });
  const company = socketClient<CompanyMessage>(`${ws}/api/ws`, { headers });
  const io = ioClient(origin, { headers });
  await Promise.all([play.opened, company.opened, io.opened]);
  for (const wish of [{ playId: id }, { company: true }]) expect(await io.ask('subscribe', wish)).toEqual({ ok: true });
  return {
    play,
    company,
    io,
    codes: async () => [(await play.closed).code, (await company.closed).code, await io.closed],
    told: () => [...play.frames, ...company.frames, ...io.frames].filter((one) => one.playId === id).length,
    close: async () => {
      io.close();
      await company.close();
    },
  };
}

interface Losing {
  readonly headers: Headers;
  readonly playId: string;
  readonly lose: () => Promise<unknown>;
}

async function viewerOf(fields: { readonly restricted?: boolean } = {}) {
  const user = await fixture.user('viewer');
  const flowId = await fixture.flow({ createdBy: 'somebody-else', ...fields });
  return { user, flowId, headers: { cookie: user.cookie }, playId: await fixture.play({ flowId }) };
}

const ENDS: readonly (readonly [string, () => Promise<Losing>])[] = [
  [
    'the session ends',
    async () => {
      const { user, ...who } = await viewerOf();
      return { ...who, lose: () => user.endSession() };
    },
  ],
  [
    'the key is revoked',
    async () => {
      const headers = { authorization: `Bearer ${await fixture.key(['api:read'])}` };
      return { headers, playId: await fixture.play(), lose: () => fixture.revokeKeys() };
    },
  ],
  [
    'the user goes to another company',
    async () => {
      const { user, ...who } = await viewerOf();
      return { ...who, lose: () => user.switchTo(`c-of-${who.playId}`) };
    },
  ],
  [
    'the user is deactivated',
    async () => {
      const { user, ...who } = await viewerOf();
      return { ...who, lose: () => user.become({ deactivated: true }) };
    },
  ],
];

const LOSSES: readonly (readonly [string, () => Promise<Losing>])[] = [
  [
    'the role is lowered',
    async () => {
      const { user, ...who } = await viewerOf();
      return { ...who, lose: () => user.become({ role: 'none' }) };
    },
  ],
  [
    'the grant is taken back',
    async () => {
      const { user, flowId, ...who } = await viewerOf({ restricted: true });
      return { ...who, lose: await user.grant(flowId) };
    },
  ],
  [
    'the flow is restricted',
    async () => {
      const { user: _, ...who } = await viewerOf();
      return { ...who, lose: () => fixture.restrictFlowOf(who.playId) };
    },
  ],
];

describe('without a single ping, as soon as it is told', () => {
  it.each(ENDS)('all three close with 4401 when %s', async (_, prepare) => {
    const { headers, playId: id, lose } = await prepare();
    const { codes } = await readers(headers, id);
    await lose();
    expect(await codes()).toEqual([CLOSE.sessionEnded, CLOSE.sessionEnded, CLOSE.sessionEnded]);
  });

  it.each(LOSSES)(
    'all three tell nothing more of a play when %s, and its own stream closes with 4403',
    async (_, prepare) => {
      const { headers, playId: id, lose } = await prepare();
      const admin = fixture.follow();
      const { play, company, io, told, close } = await readers(headers, id);
      await fixture.write(id, BEGIN);
      await waitFor(() => told() === 3, { what: 'the begin on each way' });
      await lose();
      expect((await play.closed).code).toBe(CLOSE.rightLost);
      await waitFor(() => io.ended.length === 1, { what: 'the end of the subscription' });
      expect(io.ended).toEqual([{ playId: id, code: CLOSE.rightLost }]);
      await end(id);
      await admin.waitForFrame((one) => one.playId === id && one.state === 'DONE');
      await company.heard();
      expect(await io.ask('subscribe', { playId: id })).toEqual({ ok: false, code: 'denied' });
      expect(told()).toBe(3);
      await Promise.all([close(), admin.close()]);
    },
  );
});

it('what nobody tells is found out: each second while Redis is away, at the next ping where a message is lost', async () => {
  const [away, pinging] = await Promise.all([
    fixture.secondGateway({ redisUrl: 'redis://127.0.0.1:1' }),
    fixture.secondGateway({ websocket: { ...NO_PINGS, pingPeriodSeconds: 0.2 } }),
  ]);
  const ends = await Promise.all(ENDS.map(([, prepare]) => prepare()));
  const losses = await Promise.all(LOSSES.map(([, prepare]) => prepare()));
  const open = (gateway: Gateway) => (of: Losing) => readers(of.headers, of.playId, gateway);
  const ended = await Promise.all([away, pinging].flatMap((gateway) => ends.map(open(gateway))));
  const lost = await Promise.all([away, pinging].flatMap((gateway) => losses.map(open(gateway))));
  await fixture.untold(() => Promise.all([...ends, ...losses].map(({ lose }) => lose())));
  for (const { codes } of ended) {
    expect(await codes()).toEqual([CLOSE.sessionEnded, CLOSE.sessionEnded, CLOSE.sessionEnded]);
  }
  for (const { play, io, close } of lost) {
    expect((await play.closed).code).toBe(CLOSE.rightLost);
    await waitFor(() => io.ended.length === 1, { what: 'the end of the subscription' });
    expect(io.ended).toMatchObject([{ code: CLOSE.rightLost }]);
    await close();
  }
  await Promise.all([away.stop(), pinging.stop()]);
});

it('a play of another company is not found, not joined, and not told', async () => {
  const foreign = await fixture.play({ company_id: 'another-company' });
  const own = await fixture.play();
  expect(await knockAt(fixture.origin, `/ws/plays/${foreign}`, { cookie: fixture.cookie })).toMatchObject({
    status: 404,
  });
  const { company, io, close } = await readers({ cookie: fixture.cookie }, own);
  expect(await io.ask('subscribe', { playId: foreign })).toEqual({ ok: false, code: 'not_found' });
  company.send({ action: 'subscribe', playIds: [foreign, own] });
  await company.heard();
  for (const id of [foreign, own]) {
    await fixture.write(id, BEGIN);
    await end(id);
  }
  await company.waitForFrame((one) => one.playId === own && one.state === 'DONE');
  await io.waitForFrame((one) => one.playId === own && one.type === 'play_complete');
  for (const { frames } of [company, io]) expect(new Set(frames.map((one) => one.playId))).toEqual(new Set([own]));
  await close();
});
