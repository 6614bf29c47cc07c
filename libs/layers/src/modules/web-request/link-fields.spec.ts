import type { EgressRequest } from '@weft/egress';
import { describe, expect, it } from 'vitest';
import type { Connection } from '../../layer-module.js';
import { digestOf } from '../../loops/done-items.js';
import type { IntegrationSource } from '../../call/integration-source.js';
import { LINK_MARKS } from '../../call/link-marks.js';
import { peerWith, resultOf, type Peer } from '../../loops/series.fixture.js';
import { validateLayer } from '../../validate-layer.js';
import { doubtsAboutLink } from './link-fields.js';

const SECRET = 's3cr3t-of-the-link';
const URL_OF = 'https://api.example.com/v1/orders';
const LINK: Connection = { type: 'crm', endpoint: 'https://api.example.com/v1', secret: SECRET };
const BASIC: Connection = { ...LINK, kind: 'basic', secret: `tenant-7:${SECRET}` };
const KEY = { 'X-Tenant-Key': '7:{{ $link.access_token }}' };
const auth = { integrationId: 'l' };
const of = (link: Connection): IntegrationSource => ({
  connection: async (companyId) => (companyId === 'c' ? link : { missing: true }),
});
const echo = ({ headers, url }: EgressRequest) => ({
  body: { headers, url },
  headers: { 'x-echo': JSON.stringify(headers) },
});
const callOf = (args: object, link = LINK, more: Partial<Peer> = {}) =>
  peerWith({ layer: { args: { url: URL_OF, auth, ...args } }, answer: echo, integrations: of(link), ...more });
const textOf = (value: unknown) => JSON.stringify(value);

describe('fields of a link', () => {
  it('are sent in headers and the query, and are in nothing that is left of the call', async () => {
    const peer = callOf({
      headers: KEY,
      query: { key: '{{ $link.access_token }}', all: ['a', '{{ $link.access_token }}'] },
    });
    const end = await peer.run();
    const [request] = peer.requests;
    expect(request?.headers).toMatchObject({ 'X-Tenant-Key': `7:${SECRET}`, Authorization: `Bearer ${SECRET}` });
    expect(request?.url).toBe(`${URL_OF}?key=${SECRET}&all=a&all=${SECRET}`);
    expect(resultOf(end).out).toMatchObject({ body: expect.stringContaining('"X-Tenant-Key":"7:[secret]"') as string });
    expect(textOf(end)).not.toContain(SECRET);
    expect(textOf(end)).not.toContain(LINK_MARKS.access_token);
  });

  it('are those of the kind, and a user name that is sent is removed from the answer, too', async () => {
    const headers = { 'X-User': '{{ $link.username }}', 'X-Password': '{{ $link.password }}' };
    const peer = callOf({ headers }, BASIC);
    const end = await peer.run();
    expect(peer.requests[0]?.headers).toMatchObject({ 'X-User': 'tenant-7', 'X-Password': SECRET });
    expect(textOf(end)).not.toContain('tenant-7');
    expect(textOf(end)).not.toContain(SECRET);
  });

  it('are not taken from data that is written like them', async () => {
    const play = { args: { note: '{{ $link.access_token }}' } };
    const peer = callOf({ headers: { 'X-Note': '{{ $prev.args.note }}' } }, LINK, { play });
    await peer.run();
    expect(peer.requests[0]?.headers).toMatchObject({ 'X-Note': play.args.note });
  });

  it.each([
    [
      { headers: KEY, url: 'https://other.example.com/v1' },
      LINK,
      'destination_blocked',
      'alone, not to https://other.example.com',
    ],
    [
      { headers: KEY, url: 'http://api.example.com/v1' },
      LINK,
      'destination_blocked',
      'alone, not to http://api.example.com',
    ],
    [{ headers: KEY, url: 'https://api.example.com:8443/' }, LINK, 'destination_blocked', 'api.example.com:8443'],
    [
      { headers: KEY, url: 'https://api.example.com@evil.example/' },
      LINK,
      'destination_blocked',
      'https://evil.example',
    ],
    [{ headers: KEY }, { ...LINK, endpoint: null }, 'integration_unusable', 'no http endpoint'],
    [
      { headers: KEY },
      { ...LINK, endpoint: 'smtps://api.example.com:465' },
      'integration_unusable',
      'no http endpoint',
    ],
    [
      { headers: KEY },
      BASIC,
      'invalid_args',
      'a link of the kind basic has no access_token; there are username, password',
    ],
    [{ headers: KEY }, { ...LINK, kind: 'hmac' }, 'invalid_args', 'its key signs requests and is never sent'],
    [
      { query: { p: '{{ $link.password }}' } },
      LINK,
      'invalid_args',
      'the kind bearer has no password; there is access_token',
    ],
    [{ headers: KEY, auth: null }, LINK, 'invalid_args', 'auth'],
    [{ headers: { Accept: '{{ $link.access_token }}' } }, LINK, 'invalid_args', 'headers.Accept: redirects take'],
  ] as const)('are sent nowhere else: %j %j', async (args, link, code, message) => {
    const peer = callOf(args, link);
    const { error, state } = resultOf(await peer.run());
    expect({ state, code: error?.code }).toEqual({ state: 'FAIL', code });
    expect(error?.message).toContain(message);
    expect(error?.message).not.toContain(SECRET);
    expect(error?.message).not.toContain('weft-link');
    expect(peer.requests).toEqual([]);
  });

  it('are those of the link as it is at each call: renewed before a retry, gone when it is deleted', async () => {
    let link: Connection | null = LINK;
    const source: IntegrationSource = { connection: async () => link ?? { missing: true } };
    const peer = callOf({ headers: KEY }, LINK, {
      integrations: source,
      layer: {
        args: { url: URL_OF, auth, headers: KEY },
        retry: { attempts: 3, backoff: 'fixed', delayMs: 0, maxDelayMs: 1 },
      },
      answer: () => ({ statusCode: 503, body: 'no' }),
    });
    expect(resultOf(await peer.run()).error?.code).toBe('bad_status');
    link = { ...LINK, secret: 'renewed-secret' };
    await peer.run({ attempt: 2 });
    link = null;
    expect(resultOf(await peer.run({ attempt: 3 })).error?.code).toBe('integration_not_found');
    expect(peer.requests.map(({ headers = {} }) => headers['X-Tenant-Key'])).toEqual([
      `7:${SECRET}`,
      '7:renewed-secret',
    ]);
  });

  it('are sent with each item of a loop, beside what the item says', async () => {
    const forEach = { in: '{{ $prev.args.ids }}', concurrency: 2, onItemError: 'collect' as const };
    const args = { url: URL_OF, auth, headers: { 'X-Key': '{{ $item }}:{{ $link.access_token }}' } };
    const peer = callOf({}, LINK, {
      layer: { args, forEach },
      play: { args: { ids: [1, '{{ $link.access_token }}'] } },
    });
    const end = await peer.run();
    expect(peer.requests.map(({ headers = {} }) => headers['X-Key']).toSorted()).toEqual([
      `1:${SECRET}`,
      `{{ $link.access_token }}:${SECRET}`,
    ]);
    expect(textOf(end)).not.toContain(SECRET);
  });

  it('are not for other companies, whose link it is not', async () => {
    const peer = callOf({ headers: KEY });
    const end = await peer.run({ of: { company_id: 'other' } });
    expect(resultOf(end).error?.code).toBe('integration_not_found');
    expect(peer.requests).toEqual([]);
  });
});

describe('fields of a link on further pages', () => {
  const paginate = { next: '{{ $page.json.next }}' };
  const args = { url: URL_OF, auth, headers: KEY, query: { limit: 5, key: '{{ $link.access_token }}' }, paginate };

  it('are sent again, whatever the peer makes of the address', async () => {
    const answer = ({ url }: EgressRequest, nth: number) => ({
      body: { next: nth === 0 ? `${url}&page=2` : null, headers: url },
    });
    const peer = callOf({}, LINK, { layer: { args }, answer });
    const end = await peer.run();
    expect(resultOf(end).out).toMatchObject({ count: 2 });
    const second = new URL(peer.requests[1]?.url ?? '');
    expect(Object.fromEntries(second.searchParams)).toEqual({ limit: '5', page: '2', key: SECRET });
    expect(second.searchParams.getAll('key')).toEqual([SECRET]);
    expect(textOf(end)).not.toContain(SECRET);
  });

  it.each(['https://evil.example/orders', 'http://api.example.com/v1/orders'])('are not sent to %s', async (next) => {
    const peer = callOf({}, LINK, { layer: { args }, answer: () => ({ body: { next } }) });
    const { error } = resultOf(await peer.run());
    expect(error).toMatchObject({ code: 'destination_blocked', item: 1 });
    expect(peer.requests).toHaveLength(1);
  });

  it('are kept as they are written, so that another process takes the pages over', async () => {
    const cursor = { from: '{{ $page.json.next }}', param: 'cursor' };
    const retry = { attempts: 1, backoff: 'fixed', delayMs: 0, maxDelayMs: 1 } as const;
    const layer = { args: { ...args, paginate: { cursor } }, retry };
    const answer = (_: EgressRequest, nth: number) =>
      nth === 1 ? { statusCode: 500 } : { body: { next: nth === 0 ? 1 : null } };
    const peer = callOf({}, LINK, { layer, answer });
    const failed = resultOf(await peer.run());
    const { doneItems } = failed;
    expect(doneItems?.count).toBe(1);
    expect(textOf(doneItems)).not.toContain(SECRET);
    // the digest of what is written: a mark of another process would not give it
    const digest = (
      JSON.parse(
        doneItems?.text
          ?.split('\n')
          .find((line) => line.length > 2)
          ?.replace(/,$/, '') ?? '[]',
      ) as string[]
    )[1];
    expect(digest).toBe(digestOf(['GET', URL_OF, { limit: 5, key: '{{ $link.access_token }}' }, null, null]));
  });
});

describe('a layer that reads $link, when it is saved', () => {
  const faultsOf = (args: object, more: object = {}) =>
    validateLayer({
      appId: 'web-request',
      args: { url: URL_OF, ...args },
      when: null,
      forEach: null,
      retry: null,
      timeoutMs: null,
      onInterrupted: 'repeat',
      ...more,
    });

  it('is taken with its link', () => {
    expect(faultsOf({ auth, headers: KEY, query: { a: ['{{ $link.password }}'] } })).toEqual([]);
    expect(faultsOf({ auth: '{{ $prev.args.auth }}', headers: KEY })).toEqual([]);
  });

  it.each([
    [{ headers: KEY }, 'args.headers.X-Tenant-Key', 'invalid_args', 'there is no auth'],
    [
      { auth, headers: { 'User-Agent': 'a {{ $link.access_token }}' } },
      'args.headers.User-Agent',
      'invalid_args',
      'redirects take',
    ],
    [
      { auth, body: { key: '{{ $link.access_token }}' } },
      'args.body.key',
      'invalid_expression',
      '$link may be read in header values',
    ],
    [
      { auth, url: `${URL_OF}?k={{ $link.access_token }}` },
      'args.url',
      'invalid_expression',
      '$link may be read in header values',
    ],
    [
      { auth, paginate: { next: '{{ $link.access_token }}' } },
      'args.paginate.next',
      'invalid_expression',
      '$link may be',
    ],
    [
      { auth, headers: { a: '{{ $link.tokn }}' } },
      'args.headers.a',
      'invalid_expression',
      'of $link there are $link.access_token',
    ],
    [{ auth, headers: { a: '{{ $link.pasword }}' } }, 'args.headers.a', 'invalid_expression', 'did you mean password?'],
  ])('is refused with %j', (args, path, code, message) => {
    const faults = faultsOf(args);
    expect(faults).toMatchObject([{ path, code }]);
    expect(faults[0]?.message).toContain(message);
  });

  it('is refused in conditions, loops and other modules', () => {
    const expression = '{{ $link.access_token }}';
    expect(faultsOf({ auth }, { when: expression })).toMatchObject([{ path: 'when', code: 'invalid_expression' }]);
    const forEach = { in: expression, concurrency: 1, onItemError: 'fail' };
    expect(faultsOf({ auth }, { forEach })).toMatchObject([{ path: 'forEach.in', code: 'invalid_expression' }]);
    const repeat = { until: expression, max: 2, delayMs: 0 };
    expect(faultsOf({ auth }, { repeat })).toMatchObject([{ path: 'repeat.until', code: 'invalid_expression' }]);
    const inTemplate = faultsOf({}, { appId: 'text-template', args: { template: expression } });
    expect(inTemplate).toMatchObject([{ path: 'args.template', code: 'invalid_expression' }]);
  });

  it('has doubts about a link that does not fit now', () => {
    const args = { url: URL_OF, auth, headers: KEY };
    expect(doubtsAboutLink(args, LINK)).toEqual([]);
    expect(doubtsAboutLink({ ...args, url: '{{ $blueprint.base }}/x' }, LINK)).toEqual([]);
    expect(doubtsAboutLink({ url: 'https://a.example/', auth }, { endpoint: null })).toEqual([]);
    expect(doubtsAboutLink(args, BASIC)).toMatchObject([{ path: 'headers.X-Tenant-Key' }]);
    expect(doubtsAboutLink(args, { endpoint: null })).toMatchObject([{ path: 'url' }]);
    expect(doubtsAboutLink({ ...args, url: 'https://other.example/{{ .a.id }}' }, LINK)).toMatchObject([
      { path: 'url' },
    ]);
  });
});
