import { describe, expect, it } from 'vitest';
import { proveSource } from '../source.contract.js';
import { SourceFault, type Source, type SourceBatch } from '../source.js';
import { answering, callsFromHere, triggerOf } from './polled.fixture.js';
import { RssSource } from './rss-source.js';

const NEVER = new AbortController().signal;
const feed = (items: readonly string[]) =>
  `<rss version="2.0"><channel><title>t</title>${items.toReversed().join('')}</channel></rss>`;
const item = (id: string) =>
  `<item><guid>${id}</guid><title>Title ${id}</title><pubDate>Tue, 03 Jun 2025 11:05:30 GMT</pubDate></item>`;
const rss = new RssSource(callsFromHere());

/** Its messages are numbers for the contract: those of the ids. */
const numbered = {
  open: rss.open.bind(rss),
  read: (message: Parameters<typeof rss.read>[0]) => ({
    headers: {},
    value: { n: Number((rss.read(message) as unknown as { readonly value: { readonly id: string } }).value.id) },
  }),
};

proveSource('a feed', async () => {
  const items: string[] = [];
  const { url } = await answering(() => ({ body: feed(items) }));
  return {
    kind: numbered,
    source: { url, everySeconds: 0.02 },
    shards: ['list'],
    put: (values) => {
      items.push(...values.map((value) => item(String((value as { readonly n: number }).n))));
      return Promise.resolve();
    },
  };
});

const open = (url: string): Promise<Source> =>
  rss.open({ trigger: triggerOf({ url, everySeconds: 0.02, start: 'earliest' }), cursors: new Map(), signal: NEVER });

async function next(source: Source): Promise<SourceBatch> {
  for (;;) {
    const batch = await source.next(NEVER);
    if (batch) return batch;
  }
}

describe('a feed', () => {
  it('is `$message` with its id as the key, what it says as the value, and its time', async () => {
    const { url } = await answering(() => ({ body: feed([item('a')]) }));
    const { messages } = await next(await open(url));
    expect(rss.read(messages[0] as never)).toMatchObject({
      ...{ key: 'a', headers: {}, timestamp: '2025-06-03T11:05:30.000Z' },
      value: { id: 'a', title: 'Title a', published: '2025-06-03T11:05:30.000Z', enclosures: [] },
    });
  });

  it('is asked for what has changed, and nothing is new when nothing has', async () => {
    let items = [item('a')];
    const server = await answering(({ headers }) => {
      const etag = `"${items.length}"`;
      return headers['if-none-match'] === etag ? { status: 304 } : { headers: { etag }, body: feed(items) };
    });
    const source = await open(server.url);
    expect((await next(source)).messages).toHaveLength(1);
    expect(await source.next(NEVER)).toBeNull();
    expect(server.asked.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"1"']);
    items = [item('a'), item('b')];
    expect((await next(source)).messages.map(({ about }) => about.key)).toEqual(['b']);
  });

  it.each([
    ['is a page', { body: '<html>Sign in</html>' }, 'invalid_feed'],
    ['has gone', { status: 410 }, 'bad_status'],
    ['has a million levels', { body: `<rss>${'<a>'.repeat(1_000_000)}` }, 'invalid_feed'],
    ['has 16 MB', { body: Buffer.alloc(16 * 1024 * 1024, 0x20) }, 'output_too_large'],
  ])('that %s is a fault', async (_what, said, code) => {
    const { url } = await answering(() => said);
    const fault = await next(await open(url)).catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(SourceFault);
    expect(fault).toMatchObject({ code });
  });
});
