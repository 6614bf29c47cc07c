import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RunsInterrupted } from '../resources/runs.js';
import { Weft } from '../weft.js';
import type { WeftOptions } from './connection.js';
import { isWeftError } from './weft-error.js';

const KEY = 'part-of-a-key';

/** A client whose server gives this answer to everything; `asked` is what it was sent. */
function talkingTo(answer: () => Response | Promise<Response>, options: WeftOptions = {}) {
  const asked: Request[] = [];
  const fetch = async (request: Request) => {
    asked.push(request);
    return answer();
  };
  return { asked, weft: new Weft({ url: 'https://weft.test', token: KEY, retries: 0, fetch, ...options }) };
}

const json =
  (value: unknown, init: ResponseInit = {}) =>
  () =>
    new Response(JSON.stringify(value), { headers: { 'content-type': 'application/json' }, ...init });

async function errorOf(promise: Promise<unknown>): Promise<Error> {
  return promise.then(
    () => new Error('it was resolved'),
    (error: unknown) => error as Error,
  );
}

describe('what is given to the client', () => {
  it.each(['a\nb', 'a b', 'a\u0000', 'schlüssel', ''])(
    'is refused as a token without being shown: %j',
    async (text) => {
      const token = `${KEY}${text}`.slice(text === '' ? KEY.length : 0);
      expect(() => new Weft({ url: 'https://weft.test', token })).toThrow(TypeError);
      const { asked, weft } = talkingTo(json({}), { token: async () => token });
      for (const error of [
        await errorOf(weft.flows.get('f')),
        await errorOf(weft.api.GET('/api/v1/auth/me')),
        await errorOf(weft.plays.watch('p').next()),
      ])
        expect(`${error.message} ${String(error.cause)}`).toMatch(/^(?!.*part-of).*token/s);
      expect(asked).toEqual([]);
    },
  );

  it('is refused as a header or an address without being shown', async () => {
    const headers = { 'x-proxy-key': `${KEY}\ny` };
    expect(() => new Weft({ url: 'https://weft.test', headers })).toThrow(/^The header "x-proxy-key" .*sent\.$/);
    const { weft } = talkingTo(json({}));
    expect((await errorOf(weft.flows.get('f', { headers }))).message).not.toContain(KEY);
    for (const url of [`https://u:${KEY}@weft.test`, `ftp://${KEY}`, KEY, `https://weft.test/?k=${KEY}`])
      expect(() => new Weft({ url })).toThrow(/^The address of Weft is http/);
  });
});

describe('an answer', () => {
  it.each([
    ['https://evil.test/steal?x=1', 'https://evil.test/steal'],
    ['/elsewhere', 'https://weft.test/elsewhere'],
    ['https://evil.test/\u001b[2J', 'https://evil.test/%1B[2J'],
  ])('that sends the client on to %j is not followed', async (location, shown) => {
    const { asked, weft } = talkingTo(
      () => new Response(null, { status: 302, headers: { location: encodeURI(location) } }),
    );
    const error = await errorOf(weft.flows.get('f'));
    expect(isWeftError(error, 'redirected') && error.status).toBe(302);
    expect(error.message).toContain(shown.replace('[', '%5B'));
    expect(await errorOf(weft.api.GET('/api/v1/auth/me'))).toMatchObject({ code: 'redirected' });
    expect(asked.map(({ redirect }) => redirect)).toEqual(['manual', 'manual']);
  });

  it('that a browser does not show, because it sends the client on, is not followed', async () => {
    const hidden = Object.defineProperties(new Response(), { type: { value: 'opaqueredirect' }, status: { value: 0 } });
    expect(await errorOf(talkingTo(() => hidden).weft.flows.get('f'))).toMatchObject({
      code: 'redirected',
      status: null,
    });
  });

  it.each([
    ['a page of a proxy', () => new Response('<html>', { headers: { 'content-type': 'text/html' } })],
    ['empty', () => new Response('')],
    ['not a list', json({ items: 'none', nextCursor: null })],
    ['without a cursor', json({ items: [] })],
    ['one with a cursor of a megabyte', json({ items: [], nextCursor: 'x'.repeat(1_000_000) })],
    ['null', json(null)],
  ])('to a list that is %s is unreadable', async (_what, answer) => {
    expect(await errorOf(talkingTo(answer).weft.plays.list().take(1))).toMatchObject({ code: 'unreadable' });
  });

  it('that leads to the same page again and again ends the list', async () => {
    const { asked, weft } = talkingTo(json({ items: [], nextCursor: 'same', total: 0, totalCapped: false }));
    expect(await errorOf(weft.plays.list().take(1))).toMatchObject({ code: 'unreadable' });
    expect(asked).toHaveLength(2);
  });

  it('that never ends is not read to its end', async () => {
    let sent = 0;
    let isLeft = false;
    const endless = () =>
      new Response(
        new ReadableStream({
          pull: (stream) => stream.enqueue(new Uint8Array(64 * 1_024).fill((sent += 1) && 32)),
          cancel: () => void (isLeft = true),
        }),
      );
    const { weft } = talkingTo(endless, { mostBytes: 1_000_000 });
    const error = await errorOf(weft.flows.get('f'));
    expect(error).toMatchObject({ code: 'unreadable', message: 'The answer has more than 1000000 bytes.' });
    expect([sent < 30, isLeft]).toEqual([true, true]);
  });

  it('that breaks off is asked for again', async () => {
    const broken = new ReadableStream({ start: (stream) => stream.error(new TypeError('terminated')) });
    const answers = [new Response(broken), new Response('{"id":"f"}')];
    const { asked, weft } = talkingTo(() => answers.shift() as Response, { retries: 1 });
    expect(await weft.flows.get('f')).toEqual({ id: 'f' });
    expect(asked).toHaveLength(2);
  });

  it('that is a refusal with members of any type is still an error', async () => {
    const evil = { code: 'denied', detail: 'no', errors: null, requestId: { toString: 1 }, retryable: 'yes' };
    const error = await errorOf(talkingTo(json(evil, { status: 403 })).weft.flows.get('f'));
    expect(error).toMatchObject({ code: 'denied', requestId: null, faults: [], isRetryable: false });
    const odd = await errorOf(talkingTo(json({ code: 1, detail: {} }, { status: 500 })).weft.flows.get('f'));
    expect(odd).toMatchObject({ code: 'unreadable', status: 500 });
  });
});

describe('a document', () => {
  it('comes with the tag by which a change means it', async () => {
    const headers = { 'content-type': 'application/json', etag: '"3-0123456789abcdef"' };
    const { asked, weft } = talkingTo(json({ name: 'a' }, { headers }));
    const { document, tag } = await weft.flows.exportTagged('f');
    await weft.flows.put('f', document, { ifMatch: tag ?? undefined });
    await weft.flows.put('f', document, { ifVersion: 3 });
    expect(asked.map((request) => request.headers.get('if-match'))).toEqual([null, headers.etag, '"3"']);
    const untagged = await talkingTo(json({ name: 'a' })).weft.flows.exportTagged('f');
    expect(untagged).toEqual({ document, tag: null });
  });
});

describe('a run', () => {
  it('says its key when it fails, also one that the client has made', async () => {
    const { asked, weft } = talkingTo(() => Promise.reject(new TypeError('fetch failed')));
    const error = await errorOf(weft.run('f', { args: {} }));
    const { idempotencyKey } = (await asked[0]?.json()) as { idempotencyKey: string };
    expect(error).toMatchObject({ code: 'unreachable', idempotencyKeys: [idempotencyKey] });
    expect(await errorOf(weft.run('f', { idempotencyKey: 'mine' }))).toMatchObject({ idempotencyKeys: ['mine'] });
    expect(await errorOf(weft.runAndWait('f', { idempotencyKey: 'mine' }))).toMatchObject({
      idempotencyKeys: ['mine'],
    });
    const runs = [{ idempotencyKey: 'a' }, {}];
    const { idempotencyKeys } = (await errorOf(weft.runBatch('f', runs))) as { idempotencyKeys?: string[] };
    expect(idempotencyKeys).toEqual(['a', expect.stringMatching(/^[0-9a-f]{32}$/)]);
  });

  it('of a batch has its key in its item', async () => {
    const answers = [json({ items: Array(1_000).fill({ playId: 'p' }) })(), new Response('no', { status: 500 })];
    const { weft } = talkingTo(() => answers.shift() as Response);
    const items = await weft.runBatch(
      'f',
      Array.from({ length: 1_001 }, (_one, n) => ({ idempotencyKey: `k${n}` })),
    );
    expect(items[0]).toEqual({ playId: 'p', idempotencyKey: 'k0' });
    expect(items[1_000]).toMatchObject({ error: { code: 'unreadable' }, idempotencyKey: 'k1000' });
    const short = talkingTo(json({ items: [] })).weft.runBatch('f', [{}]);
    expect(await errorOf(short)).toMatchObject({ code: 'unreadable' });
  });
});

describe('integers that a number does not hold', () => {
  // the services of which other specs of this worker are write them anyway; who uses the client does not
  const services = Object.getOwnPropertyDescriptor(BigInt.prototype, 'toJSON');
  beforeAll(() => void Reflect.deleteProperty(BigInt.prototype, 'toJSON'));
  afterAll(() => services && void Object.defineProperty(BigInt.prototype, 'toJSON', services));

  const ID = '7615917337495251231';
  const text = `{"playId":"p","out":{"id":${ID}}}`;

  it.each([
    ['of known length', { 'content-length': String(text.length) }],
    ['of unknown length', {}],
  ])('are bigints in an answer %s where the client is asked for them', async (_what, headers) => {
    const answer = () => new Response(text, { headers });
    const { weft } = talkingTo(answer, { bigIntegers: true });
    const { data } = await weft.api.GET('/api/v1/plays/{id}', { params: { path: { id: 'p' } } });
    for (const read of [await weft.plays.get('p'), data])
      expect(read).toEqual({ playId: 'p', out: { id: BigInt(ID) } });
    expect(await talkingTo(answer).weft.plays.get('p')).toEqual({ playId: 'p', out: { id: Number(ID) } });
  });

  it('leave empty answers and pages of proxies unreadable', async () => {
    for (const body of ['', '<html>1234567890123456'])
      expect(
        await errorOf(talkingTo(() => new Response(body), { bigIntegers: true }).weft.plays.get('p')),
      ).toMatchObject({ code: 'unreadable' });
  });

  it('are sent with every digit', async () => {
    const { asked, weft } = talkingTo(json({ playId: 'p' }));
    await weft.run('f', { args: { ids: [BigInt(ID)] } });
    expect(await asked[0]?.text()).toContain(`"args":{"ids":[${ID}]}`);
    const batch = talkingTo(json({ items: [{ playId: 'p' }] }));
    await batch.weft.runBatch('f', [{ args: { id: BigInt(ID) } }]);
    expect(await batch.asked[0]?.text()).toContain(`"args":{"id":${ID}}`);
  });
});

describe('runs that cannot be sent', () => {
  const many = (last: object) => [...Array.from({ length: 1_000 }, () => ({})), last];

  it('are refused before the first one is sent when one of them is not JSON', async () => {
    const { asked, weft } = talkingTo(json({ items: Array(1_000).fill({ playId: 'p' }) }));
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    for (const args of [{ s: circle }, circle])
      expect(await errorOf(weft.runBatch('f', [...many({}), { args }]))).toMatchObject({ name: 'TypeError' });
    expect(asked).toEqual([]);
  });

  it('are refused with what is wrong, not as unreachable', async () => {
    const { asked, weft } = talkingTo(json({ playId: 'p' }));
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    const refused: [() => Promise<unknown>, RegExp][] = [
      [() => weft.run('f', { args: circle }), /JSON: .*circular/],
      [() => weft.runAndWait('f', { args: { n: 1n, circle } }), /JSON: .*circular/],
      [() => weft.runBatch('f', [{ args: circle }]), /JSON: .*circular/],
      [() => weft.api.POST('/api/v1/flows', { body: circle as never }), /JSON: .*circular/],
    ];
    for (const [call, message] of refused) {
      const error = await errorOf(call());
      expect([error.message, error.name, isWeftError(error)]).toEqual([
        expect.stringMatching(message),
        'TypeError',
        false,
      ]);
    }
    expect(asked).toEqual([]);
  });

  it('keep their error when no signal has ended them, and lose nothing that was accepted', async () => {
    let isWrong = false;
    const headers = {
      get 'x-trace'() {
        return isWrong ? 'a\nb' : 'a';
      },
    };
    const { weft } = talkingTo(() => {
      isWrong = true;
      return json({ items: Array(1_000).fill({ playId: 'p' }) })();
    });
    const items = await weft.runBatch('f', many({ idempotencyKey: 'last' }), { headers });
    expect([items.length, items[999]]).toMatchObject([1_001, { playId: 'p' }]);
    const detail = expect.stringContaining('The header "x-trace"') as string;
    expect(items[1_000]).toEqual({ error: { code: 'unreachable', detail }, idempotencyKey: 'last' });
    for (const refused of [weft.runBatch('f', [{}], { headers }), weft.run('f', {}, { headers })]) {
      const error = await errorOf(refused);
      expect([error.name, error instanceof RunsInterrupted]).toEqual(['TypeError', false]);
    }
  });
});

describe('runs that their signal ends', () => {
  /** A server that answers so many requests of a batch; the signal is aborted in the next one. */
  function answering(requests: number, reason?: unknown) {
    const stop = new AbortController();
    let asked = 0;
    const { weft } = talkingTo(() => {
      if ((asked += 1) <= requests) return json({ items: Array(1_000).fill({ playId: `p${asked}` }) })();
      stop.abort(reason);
      return Promise.reject(stop.signal.reason as Error);
    });
    return { weft, signal: stop.signal };
  }
  const keyless = Array.from({ length: 2_500 }, () => ({}));

  it('say what was accepted, and the keys of the rest', async () => {
    const { weft, signal } = answering(2);
    const error = await errorOf(weft.runBatch('f', keyless, { signal }));
    expect(error).toBeInstanceOf(RunsInterrupted);
    const { items, idempotencyKeys, name, cause } = error as RunsInterrupted;
    expect([name, cause]).toEqual(['AbortError', signal.reason]);
    expect([items.length, items[0], items[1_999]]).toMatchObject([2_000, { playId: 'p1' }, { playId: 'p2' }]);
    const keys = [...items.map(({ idempotencyKey }) => idempotencyKey), ...idempotencyKeys];
    expect([idempotencyKeys.length, new Set(keys).size]).toEqual([500, 2_500]);
  });

  it('say all their keys when none was answered', async () => {
    const { weft, signal } = answering(0, new RangeError('enough'));
    const error = await errorOf(weft.runBatch('f', keyless, { signal }));
    expect(error).toMatchObject({ name: 'RangeError', message: 'enough', items: [] });
    expect((error as RunsInterrupted).idempotencyKeys).toHaveLength(2_500);
  });

  it('say the key of a single run that the client has made', async () => {
    const { weft, signal } = answering(0);
    const key = expect.stringMatching(/^[0-9a-f]{32}$/) as string;
    expect(await errorOf(weft.run('f', {}, { signal }))).toMatchObject({ name: 'AbortError', idempotencyKeys: [key] });
    expect(await errorOf(weft.run('f', { idempotencyKey: 'mine' }, { signal }))).toBe(signal.reason);
  });
});

describe('the signal of the client', () => {
  it('ends calls, streams and waits with its reason', async () => {
    const stop = new AbortController();
    const silent = async ({ signal }: Request): Promise<Response> => {
      signal.throwIfAborted();
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    };
    class Closed extends EventTarget {
      constructor() {
        super();
        queueMicrotask(() => this.dispatchEvent(Object.assign(new Event('close'), { code: 1006 })));
      }
      close() {}
    }
    const WebSocket = Closed as unknown as WeftOptions['WebSocket'];
    const weft = new Weft({ url: 'https://weft.test', fetch: silent, WebSocket, signal: stop.signal });
    const all = [
      weft.flows.get('f'),
      weft.api.GET('/api/v1/auth/me'),
      weft.plays.wait('p'),
      weft.plays.watch('p').next(),
      weft.changes.follow().next(),
      weft.run('f'),
    ].map(errorOf);
    stop.abort(new RangeError('enough'));
    for (const error of await Promise.all(all)) expect(error).toMatchObject({ name: 'RangeError', message: 'enough' });
  });
});
