import type { EgressRequest } from '@weft/egress';
import type { DoneItems } from '@weft/engine';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { webPaging } from '../modules/web-request/paging.js';
import type { GatePause } from '../call/call-gate.js';
import { keysOf, NOW, peerWith, resultOf, waitOf, type Peer } from './series.fixture.js';

const LIST = 'https://api.example.com/orders';

/** A list of pages with a cursor. */
const cursors = (pages: number) => (request: EgressRequest) => {
  const at = Number(new URL(request.url).searchParams.get('cursor') ?? 0);
  return { body: { items: [at], ...(at + 1 < pages && { next: at + 1 }) } };
};

const paging = (paginate: object, more: object = {}) => ({ args: { url: LIST, paginate, ...more } });
const BY_CURSOR = { cursor: { from: '{{ $page.json.next }}', param: 'cursor' } };
const RETRY = { attempts: 3, backoff: 'fixed', delayMs: 0, maxDelayMs: 60_000 } as const;

const ofCursors = (pages: number, more: Partial<Peer> = {}) =>
  peerWith({ layer: paging(BY_CURSOR), answer: cursors(pages), ...more });

describe('the pages of an answer', () => {
  it('are asked for one after another by a cursor, each under a key of its own, until there is none', async () => {
    const { run, requests, urls } = ofCursors(3);
    const { out, state } = resultOf(await run());
    expect(state).toBe('DONE');
    expect(urls()).toEqual([LIST, `${LIST}?cursor=1`, `${LIST}?cursor=2`]);
    expect(keysOf(requests)).toEqual(['p.0.0', 'p.0.1', 'p.0.2']);
    const page = { statusCode: 200, headers: { 'content-type': 'application/json' } };
    expect(out).toEqual({
      pages: [
        { ...page, json: { items: [0], next: 1 } },
        { ...page, json: { items: [1], next: 2 } },
        { ...page, json: { items: [2] } },
      ],
      count: 3,
    });
  });

  it('take a cursor in the place of the one that the request had, in a header, and in a field of the body', async () => {
    const again = { url: `${LIST}?limit=5&cursor=0`, paginate: BY_CURSOR };
    const inQuery = peerWith({ layer: { args: again }, answer: cursors(2) });
    await inQuery.run();
    expect(inQuery.urls()[1]).toBe(`${LIST}?limit=5&cursor=1`);

    const answer = (_: EgressRequest, nth: number) => ({ body: { next: nth === 0 ? 'c1' : null } });
    const header = paging(
      { cursor: { from: '{{ $page.json.next }}', header: 'X-Cursor' } },
      { headers: { 'x-cursor': 'c0' } },
    );
    const inHeader = peerWith({ layer: header, answer });
    await inHeader.run();
    expect(inHeader.requests.map(({ headers = {} }) => headers['X-Cursor'] ?? headers['x-cursor'])).toEqual([
      'c0',
      'c1',
    ]);

    const body = { query: 'q', variables: { first: 10 } };
    const field = paging(
      { cursor: { from: '{{ $page.json.next }}', field: 'variables.after' } },
      { method: 'POST', body },
    );
    const inBody = peerWith({ layer: field, answer });
    await inBody.run();
    expect(inBody.requests.map((request) => JSON.parse(request.body as string) as unknown)).toEqual([
      body,
      { query: 'q', variables: { first: 10, after: 'c1' } },
    ]);
  });

  it('follow an address of the answer, also a relative one, and one in Link', async () => {
    const answer = (_: EgressRequest, nth: number) => ({ body: { next: [`?page=2`, '/orders/more?p=3', null][nth] } });
    const next = peerWith({ layer: paging({ next: '{{ $page.json.next }}' }, { query: { limit: 5 } }), answer });
    await next.run();
    expect(next.urls()).toEqual([`${LIST}?limit=5`, `${LIST}?page=2`, 'https://api.example.com/orders/more?p=3']);

    const headers = { link: `<${LIST}?page=1>; rel="first", <${LIST}?page=2>; rel="next"` };
    const link = peerWith({ layer: paging({ link: true }), answer: (_, nth) => (nth === 0 ? { headers } : {}) });
    await link.run();
    expect(link.urls()).toEqual([LIST, `${LIST}?page=2`]);
  });

  it('end where until is true, which may read the number of the page', async () => {
    const { run, urls } = ofCursors(9, { layer: paging({ ...BY_CURSOR, until: '{{ $page.index = 1 }}' }) });
    expect(resultOf(await run()).out).toMatchObject({ count: 2 });
    expect(urls()).toHaveLength(2);
  });

  it('fail past maxPages, and leave what there is to a play that goes on', async () => {
    const layer = { ...paging({ ...BY_CURSOR, maxPages: 2 }), onError: 'continue' as const };
    const { run, urls } = ofCursors(9, { layer });
    const { error, out } = resultOf(await run());
    expect(error).toMatchObject({ code: 'too_many_pages', item: 2 });
    expect(error?.message).toContain('more than 2 pages');
    expect(out).toMatchObject({ count: 2, pages: [{ json: { items: [0] } }, { json: { items: [1] } }] });
    expect(urls()).toHaveLength(2);
  });
});

describe('a peer that lies about its pages', () => {
  it.each([
    ['the same cursor', { paginate: BY_CURSOR }, { next: 1 }, 'the answer to page 1 leads back to page 1'],
    ['the first address', { paginate: { next: '{{ $page.json.next }}' } }, { next: LIST }, 'leads back to page 0'],
  ])('by %s again is not asked for ever', async (_what, more, body, message) => {
    const { run, urls } = peerWith({ layer: { args: { url: LIST, ...more } }, answer: () => ({ body }) });
    const { error } = resultOf(await run());
    expect(error).toMatchObject({ code: 'page_repeated' });
    expect(error?.message).toContain(message);
    expect(urls().length).toBeLessThan(3);
  });

  it('by no JSON, an address of another kind, or a cursor that is a list, fails with the page', async () => {
    const cases = [
      [paging(BY_CURSOR), '<html>', 'invalid_output', 'page 0: the answer is not JSON'],
      [
        paging({ next: '{{ $page.json.next }}' }),
        { next: 'file:///etc/passwd' },
        'invalid_args',
        'file: may not be called',
      ],
      [paging({ next: '{{ $page.json.next }}' }), { next: 7 }, 'invalid_args', 'it is not a text (number)'],
      [paging(BY_CURSOR), { next: [1] }, 'invalid_args', 'must give a text or a number'],
    ] as const;
    for (const [layer, body, code, message] of cases) {
      const { error } = resultOf(await peerWith({ layer, answer: () => ({ body }) }).run());
      expect(error?.code).toBe(code);
      expect(error?.message).toContain(message);
    }
  });

  it('by more bytes than the output may have is stopped', async () => {
    const answer = (_: EgressRequest, nth: number) => ({ body: { next: nth + 1, text: 'x'.repeat(400) } });
    const { run, requests } = peerWith({ layer: paging(BY_CURSOR), answer, maxOutputBytes: 1_000 });
    expect(resultOf(await run()).error).toMatchObject({ code: 'output_too_large', item: 2 });
    expect(requests[1]?.maxResponseBytes).toBeLessThan(600);
  });
});

describe('a next page at another origin', () => {
  const elsewhere = 'https://evil.example/steal';
  const answer = (_: EgressRequest, nth: number) => ({ body: { next: nth === 0 ? elsewhere : null } });
  const next = { next: '{{ $page.json.next }}' };
  const integrations = { connection: async () => ({ type: 'x', endpoint: null, secret: 'sesame-open' }) };

  it.each([
    ['another host', elsewhere],
    ['another port', 'https://api.example.com:8443/orders'],
    ['plain http', 'http://api.example.com/orders'],
  ])('gets no credential of a link: %s', async (_what, address) => {
    const layer = paging(next, { auth: { integrationId: 'i' } });
    const { run, requests } = peerWith({ layer, answer: () => ({ body: { next: address } }), integrations });
    const { error } = resultOf(await run());
    expect(error).toMatchObject({ code: 'destination_blocked', item: 1 });
    expect(error?.message).toContain('credentials of the link are not sent');
    expect(requests).toHaveLength(1);
  });

  it('gets no header that may hold a credential, no body, and no login of the address', async () => {
    const headers = { Authorization: 'Bearer written-by-hand', 'X-Api-Key': 'k', Accept: 'application/json' };
    const { run, requests } = peerWith({ layer: paging(next, { headers }), answer });
    expect(resultOf(await run()).state).toBe('DONE');
    expect(requests[1]?.url).toBe(elsewhere);
    expect(requests[1]?.headers).toEqual({ 'Idempotency-Key': 'p.0.1', Accept: 'application/json' });

    const posted = peerWith({ layer: paging(next, { method: 'POST', body: { secret: 1 } }), answer });
    expect(resultOf(await posted.run()).error?.message).toContain('the body is not sent');

    const own = peerWith({
      layer: { args: { url: 'https://me:pw@api.example.com/1', paginate: next } },
      answer: (_, nth) => ({ body: { next: ['/2', elsewhere, null][nth] } }),
    });
    await own.run();
    expect(own.urls().slice(1)).toEqual(['https://me:pw@api.example.com/2', elsewhere]);

    const login = peerWith({
      layer: paging(next),
      answer: (_, nth) => ({ body: { next: nth === 0 ? 'https://me:pw@api.example.com/2' : null } }),
    });
    await login.run();
    expect(login.urls()[1]).toBe('https://api.example.com/2');
  });

  const back = (_: EgressRequest, nth: number) => ({
    body: { next: [elsewhere, 'https://api.example.com/admin?all', null][nth] },
  });

  it('is not trusted again when it leads back', async () => {
    const layer = {
      args: {
        url: 'https://me:pw@api.example.com/1',
        paginate: next,
        headers: { Authorization: 'Bearer x', Accept: 'a/b' },
      },
    };
    const { run, requests, urls } = peerWith({ layer, answer: back });
    expect(resultOf(await run()).state).toBe('DONE');
    expect(urls()[2]).toBe('https://api.example.com/admin?all');
    expect(requests[2]?.headers).toEqual({ 'Idempotency-Key': 'p.0.2', Accept: 'a/b' });

    const deletes = peerWith({ layer: paging(next, { method: 'DELETE' }), answer: back });
    expect(resultOf(await deletes.run()).error).toMatchObject({ code: 'destination_blocked', item: 1 });
    expect(deletes.requests).toHaveLength(1);
  });

  it('may also be chosen by an origin to which a redirect led, also for the worker that goes on', async () => {
    const strayed = (request: EgressRequest, nth: number) => ({
      ...(request.url === LIST && { url: elsewhere }),
      body: { next: nth === 0 ? 'https://api.example.com/admin' : null },
    });
    const linked = peerWith({ layer: paging(next, { auth: { integrationId: 'i' } }), answer: strayed, integrations });
    const { error, doneItems } = resultOf(await linked.run());
    expect(error).toMatchObject({ code: 'destination_blocked', item: 1 });
    const again = await linked.run({ of: { doneItems: { 0: doneItems as DoneItems } } });
    expect(resultOf(again).error).toMatchObject({ code: 'destination_blocked', item: 1 });
    expect(linked.requests).toHaveLength(1);
  });

  it('is that of the layer when only http became https on the same host, and an address is relative to where it led', async () => {
    const url = 'http://me:pw@api.example.com/orders';
    const answer = (_: EgressRequest, nth: number) => ({
      ...(nth === 0 && { url: 'https://api.example.com/v2/orders?secret=1' }),
      body: { next: ['?page=2', 'https://api.example.com/v2/orders?page=3', null][nth] },
    });
    const layer = { args: { url, paginate: next, auth: { integrationId: 'i' } } };
    const { run, requests, urls } = peerWith({ layer, answer, integrations });
    const { state, out } = resultOf(await run());
    expect(state).toBe('DONE');
    expect(urls().slice(1)).toEqual([
      'https://me:pw@api.example.com/v2/orders?page=2',
      'https://me:pw@api.example.com/v2/orders?page=3',
    ]);
    expect(requests[2]?.headers?.Authorization).toBe('Bearer sesame-open');
    const { pages } = out as { pages: { url?: string }[] };
    expect(pages.map((page) => page.url)).toEqual(['https://api.example.com/v2/orders', undefined, undefined]);
  });

  it('shows the credential on each page of its own origin', async () => {
    const layer = paging(BY_CURSOR, { auth: { integrationId: 'i' } });
    const { run, requests } = ofCursors(2, { layer, integrations });
    await run();
    expect(requests.map(({ headers = {} }) => headers.Authorization)).toEqual([
      'Bearer sesame-open',
      'Bearer sesame-open',
    ]);
  });
});

describe('a page that fails', () => {
  const failing = (bad: number, times: number, headers = {}) => {
    let left = times;
    return (request: EgressRequest) => {
      if (request.url.endsWith(`cursor=${bad}`) && left > 0) {
        left -= 1;
        return { statusCode: 429, headers };
      }
      return cursors(9)(request);
    };
  };

  it('is called again by itself, and has as many attempts as each other page', async () => {
    const layer = { ...paging(BY_CURSOR), retry: RETRY };
    let failed = 0;
    const answer = (request: EgressRequest) => {
      failed += 1;
      return failed % 3 === 0 ? cursors(6)(request) : { statusCode: 503 };
    };
    const { run, requests } = peerWith({ layer, answer });
    expect(resultOf(await run())).toMatchObject({ state: 'DONE', out: { count: 6 } });
    expect(requests).toHaveLength(18);
  });

  it('says what the peer said of the next call, and the next attempt begins with it', async () => {
    const layer = { ...paging(BY_CURSOR), retry: RETRY };
    const { run, urls } = peerWith({ layer, answer: failing(7, 1, { 'retry-after': '30' }) });
    const first = await run();
    expect(first.outcome).toMatchObject({
      ...{ peer: { retryAfterMs: 30_000 }, doneItems: { count: 7 }, result: { error: { item: 7 } } },
    });
    expect(resultOf(await run({ attempt: 2 }))).toMatchObject({ state: 'DONE', out: { count: 9 } });
    expect(urls()).toHaveLength(10);
  });

  it('counts its own attempts where the pages before it are stored, and those of the layer where they are not', async () => {
    const layer = { ...paging(BY_CURSOR), retry: RETRY };
    const keep = async () => false;
    const down = (text: string) => (request: EgressRequest) =>
      request.url.endsWith('cursor=1')
        ? { statusCode: 503, headers: { 'retry-after': '30' } }
        : { body: { next: 1, text } };
    const stored = peerWith({ layer, answer: down('') });
    const { outcome } = await stored.run({ keep, attempt: 2 });
    expect(outcome).toMatchObject({ result: { attempts: 1 }, doneItems: { count: 1 } });

    for (const attempt of [1, 2, 3]) {
      const fresh = peerWith({ layer, answer: down('x'.repeat(20_000)) });
      fresh.payloads.put = () => Promise.reject(new Error('the store is full'));
      const ended = await fresh.run({ keep, attempt });
      expect(ended.outcome).toMatchObject({ result: { attempts: attempt, error: { item: 1 } } });
      expect(ended.outcome).not.toHaveProperty('doneItems');
      expect(fresh.requests).toHaveLength(2);
    }
  });

  it('leaves its pages to a retry of the play, which goes on after them under the same keys', async () => {
    const { run, requests, payloads } = peerWith({ layer: paging(BY_CURSOR), answer: failing(7, 1) });
    const { error, doneItems } = resultOf(await run());
    expect(error).toMatchObject({ code: 'bad_status', statusCode: 429, item: 7 });
    expect(doneItems).toMatchObject({ count: 7, of: 100 });
    const chain = { first: 'p', nth: 1, at: new Date(NOW) };
    const again = await run({ of: { _id: 'q', chain, doneItems: { 0: doneItems as DoneItems } } });
    expect(resultOf(again).out).toMatchObject({ count: 9 });
    expect(keysOf(requests).slice(8)).toEqual(['p.0.7', 'p.0.8']);
    expect(payloads.bytes.size).toBe(0);
  });

  it('is asked for anew when the request is another one by now', async () => {
    const failed = peerWith({ layer: paging(BY_CURSOR), answer: failing(2, 1) });
    const { doneItems } = resultOf(await failed.run());
    expect(doneItems).toMatchObject({ count: 2 });
    const other = ofCursors(3, { layer: { args: { url: `${LIST}/other`, paginate: BY_CURSOR } } });
    await other.run({ of: { doneItems: { 0: doneItems as DoneItems } } });
    expect(other.urls()).toHaveLength(3);
  });
});

it('a layer that has to wait before a page stores the pages before it with its wait', async () => {
  const PAUSE: GatePause = { kind: 'rate_limit', waitMs: 5_000, destination: 'api.example.com:443' };
  let calls = 0;
  const gate = { enter: () => ((calls += 1) === 4 ? PAUSE : null) };
  const { run, requests } = ofCursors(6, { gate });
  const { wait, doneItems } = waitOf(await run());
  expect(wait).toMatchObject({ kind: 'rate_limit', until: new Date(NOW + 5_000), destination: PAUSE.destination });
  expect(doneItems).toMatchObject({ count: 3 });
  const of = { doneItems: { 0: doneItems as DoneItems }, waits: { 0: wait } };
  expect(resultOf(await run({ of })).out).toMatchObject({ count: 6 });
  expect(keysOf(requests)).toEqual([0, 1, 2, 3, 4, 5].map((page) => `p.0.${page}`));
});

it('a page that has to wait has all its attempts when a page before it has ended since the last failure', async () => {
  const layer = { ...paging(BY_CURSOR), retry: RETRY };
  const pausedAt = (nth: number) => {
    let calls = 0;
    const gate = {
      enter: () => ((calls += 1) === nth ? ({ kind: 'rate_limit', waitMs: 5_000, destination: 'a:1' } as const) : null),
    };
    return ofCursors(6, { gate, layer }).run({ attempt: 2 });
  };
  expect((await pausedAt(2)).outcome).toMatchObject({ kind: 'wait', doneItems: { count: 1 }, hasMovedOn: true });
  expect((await pausedAt(1)).outcome).not.toHaveProperty('hasMovedOn');
});

it('the request of a page is not held for longer than its call: a digest of it is compared and stored', async () => {
  let reads = 0;
  const read = (value: unknown) => ((reads += 1), value);
  const asked = vi.spyOn(webPaging, 'identityOf');
  onTestFinished(() => asked.mockRestore());
  asked.mockImplementation(({ url, query }) => ({ toJSON: () => read([url, query]) }));
  const answer = (request: EgressRequest) =>
    request.url.endsWith('cursor=4') ? { statusCode: 404 } : cursors(9)(request);
  const { doneItems } = resultOf(await ofCursors(9, { answer }).run());
  expect(doneItems).toMatchObject({ count: 4 });
  expect(reads).toBe(5);
});

it('pages are stored while the layer runs, and the next worker goes on after them', async () => {
  const kept: DoneItems[] = [];
  const storedTwo = Promise.withResolvers<void>();
  const keep = async (items: DoneItems) => {
    kept.push(items);
    if (items.count === 2) storedTwo.resolve();
    return true;
  };
  const answer = async (request: EgressRequest) => {
    if (request.url.endsWith('cursor=2')) await storedTwo.promise;
    return cursors(4)(request);
  };
  await peerWith({ layer: paging(BY_CURSOR), answer }).run({ keep });
  const next = ofCursors(4);
  expect(resultOf(await next.run({ of: { doneItems: { 0: kept[0] as DoneItems } } })).out).toMatchObject({ count: 4 });
  expect(keysOf(next.requests)).toEqual(['p.0.2', 'p.0.3']);
});
