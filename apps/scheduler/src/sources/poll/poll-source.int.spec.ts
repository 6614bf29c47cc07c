import { describe, expect, it } from 'vitest';
import { proveSource } from '../source.contract.js';
import { SourceFault, type Source, type SourceBatch } from '../source.js';
import { answering, pollFromHere, triggerOf, type Said } from './polled.fixture.js';

const JSON_TYPE = { 'content-type': 'application/json' };
const NEVER = new AbortController().signal;
const json = (value: unknown): Said => ({ headers: JSON_TYPE, body: JSON.stringify(value) });
const BY_ID = { items: '{{ .out.json }}', id: '{{ $item.n }}' };
const get = (url: string, more: object = {}) => ({ appId: 'web-request' as const, args: { url, ...more } });

proveSource('a list that is polled', async () => {
  const list: unknown[] = [];
  const { url } = await answering(() => json(list));
  return {
    kind: pollFromHere(),
    // the contract looks at it again at once
    source: { request: get(url), ...BY_ID, everySeconds: 0.02 },
    shards: ['list'],
    put: (values) => {
      list.push(...values);
      return Promise.resolve();
    },
  };
});

function open(source: object, cursors: ReadonlyMap<string, string> = new Map()): Promise<Source> {
  return pollFromHere().open({ trigger: triggerOf({ everySeconds: 0.02, ...source }), cursors, signal: NEVER });
}

const valuesOf = (batch: SourceBatch | null) =>
  batch?.messages.map((message) => (pollFromHere().read(message) as { readonly value?: unknown }).value);

async function next(source: Source): Promise<SourceBatch> {
  for (;;) {
    const batch = await source.next(NEVER);
    if (batch) return batch;
  }
}

async function faultOf(work: Promise<unknown>): Promise<SourceFault> {
  const fault = await work.then(
    () => null,
    (error: unknown) => error,
  );
  expect(fault).toBeInstanceOf(SourceFault);
  return fault as SourceFault;
}

describe('a list that is polled', () => {
  it('goes on at its cursor until nothing is new, and keeps it where an answer has none', async () => {
    const pages = [
      { rows: [{ n: 1 }, { n: 2 }], next: 'a' },
      { rows: [{ n: 3 }], next: 'b' },
      { rows: [], next: null },
    ];
    const asked: (string | null)[] = [];
    const { url } = await answering(({ url: path }) => {
      asked.push(new URL(path ?? '', 'http://x').searchParams.get('after'));
      return json(pages[Math.min(asked.length, pages.length) - 1]);
    });
    const source = await open({
      ...{ request: get(url, { query: { after: '{{ $prev.args.cursor ?? "first" }}' } }), start: 'earliest' },
      ...{ items: '{{ .out.json.rows }}', id: '{{ $item.n }}', cursor: '{{ .out.json.next }}' },
    });
    expect(valuesOf(await next(source))).toEqual([{ n: 1 }, { n: 2 }]);
    const last = await next(source);
    expect(valuesOf(last)).toEqual([{ n: 3 }]);
    expect(await source.next(NEVER)).toBeNull();
    expect(asked).toEqual(['first', 'a', 'b']);
    const again = await open(
      {
        ...{ request: get(url, { query: { after: '{{ $prev.args.cursor }}' } }), start: 'earliest' },
        ...{ items: '{{ .out.json.rows }}', id: '{{ $item.n }}', cursor: '{{ .out.json.next }}' },
      },
      new Map([['list', last.next]]),
    );
    expect(await again.next(NEVER)).toBeNull();
    expect(asked.at(-1)).toBe('b');
  });

  it('begins at the end of all pages, or says that it cannot find it', async () => {
    let page = 0;
    const { url } = await answering(() => json({ rows: page < 3 ? [{ n: page }] : [], next: `${(page += 1)}` }));
    const of = {
      request: get(url),
      items: '{{ .out.json.rows }}',
      id: '{{ $item.n }}',
      cursor: '{{ .out.json.next }}',
    };
    const source = await open(of);
    expect(await source.next(NEVER)).toMatchObject({ messages: [] });
    page = Number.NEGATIVE_INFINITY;
    const endless = await answering(() => json({ rows: [{ n: (page = Math.random()) }], next: String(page) }));
    expect(await faultOf(open({ ...of, request: get(endless.url) }))).toMatchObject({ code: 'too_many_items' });
  });

  it('gives an item once for as long as the list has it, whatever else comes and goes', async () => {
    let list = [{ n: -1 }];
    const { url } = await answering(() => json(list));
    const source = await open({ request: get(url), ...BY_ID, start: 'earliest' });
    await next(source);
    for (let round = 0; round < 6; round += 1) {
      list = [{ n: -1 }, ...Array.from({ length: 500 }, (_, i) => ({ n: round * 500 + i }))];
      const batch = await next(source);
      expect(batch.messages).toHaveLength(500);
    }
    expect(await source.next(NEVER)).toBeNull();
  });

  it('gives two items with one id as one', async () => {
    const { url } = await answering(() =>
      json([
        { n: 1, a: 1 },
        { n: 1, a: 2 },
      ]),
    );
    expect(valuesOf(await next(await open({ request: get(url), ...BY_ID, start: 'earliest' })))).toEqual([
      { n: 1, a: 1 },
    ]);
  });

  it('may compute its ids, and keeps the digits of large ones', async () => {
    const { url } = await answering(() => ({ headers: JSON_TYPE, body: '[{"n":9007199254740993,"v":2}]' }));
    const plain = await next(await open({ request: get(url), ...BY_ID, start: 'earliest' }));
    expect(plain.messages[0]?.about.key).toBe('9007199254740993');
    expect(plain.messages[0]?.bytes.toString()).toContain('9007199254740993');
    const computed = { items: '{{ .out.json }}', id: '{{ $item.n & "-" & $item.v }}' };
    const rich = await next(await open({ request: get(url), ...computed, start: 'earliest' }));
    expect(rich.messages[0]?.about.key).toBe('9007199254740993-2');
  });

  const ask = (url: string, more: object = {}) =>
    open({ request: get(url), ...BY_ID, start: 'earliest', ...more }).then(next);
  it.each([
    ['that fails', { status: 500 }, {}, 'bad_status'],
    ['that is no list', json({ a: 1 }), {}, 'invalid_args'],
    ['whose items have no ids', json([{}]), {}, 'invalid_args'],
    ['of too many items', json(Array.from({ length: 1_001 }, (_, n) => ({ n }))), {}, 'too_many_items'],
    ['of 16 MB', { headers: JSON_TYPE, body: Buffer.alloc(16 * 1024 * 1024, 0x20) }, {}, 'output_too_large'],
    ['with a cursor of a book', json([{ n: 1 }]), { cursor: '{{ $pad("", 5000, "x") }}' }, 'invalid_args'],
  ])('%s is a fault', async (_what, said, more, code) => {
    const { url } = await answering(() => said);
    expect(await faultOf(ask(url, more))).toMatchObject({ code });
  });

  it('that nobody answers is a fault when its time is over, and its call ends with the source', async () => {
    const stop = new AbortController();
    let stops = false;
    const { url } = await answering(() => {
      if (stops) stop.abort(new Error('it stops'));
      return null;
    });
    expect(await faultOf(ask(url, { request: get(url, { timeoutMs: 200 }) }))).toMatchObject({ code: 'timeout' });
    stops = true;
    const source = await open({ request: get(url), ...BY_ID, start: 'earliest' });
    await expect(source.next(stop.signal)).rejects.toThrow('it stops');
    await expect(source.next(stop.signal)).rejects.toThrow('it stops');
  });

  it('is not asked for where nobody may call', async () => {
    const fault = await faultOf(ask('http://10.1.2.3/'));
    expect(fault).toMatchObject({ code: 'destination_blocked' });
  });

  it('is asked for with the credential of its link', async () => {
    const { url, asked } = await answering(() => json([]));
    const link = { type: 'shop', endpoint: url, secret: 'the secret', kind: 'bearer' } as const;
    const source = await pollFromHere({ shop: link }).open({
      trigger: triggerOf({ request: get(url, { auth: { integrationId: 'shop' } }), ...BY_ID, everySeconds: 10 }),
      ...{ cursors: new Map(), signal: NEVER },
    });
    await source.close();
    expect(asked[0]?.headers.authorization).toBe('Bearer the secret');
  });
});
