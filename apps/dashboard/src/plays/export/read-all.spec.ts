import { describe, expect, it } from 'vitest';
import type { Play, PlayPage } from '../play';
import { MAX_EXPORTED, readAll } from './read-all';

/** A list of this many plays, as the API pages it. */
function listOf(count: number) {
  return async ({ size, cursor = '0' }: { readonly size: number; readonly cursor?: string }): Promise<PlayPage> => {
    const from = Number(cursor);
    const items = Array.from({ length: Math.min(size, count - from) }, (_, i) => ({ id: String(from + i) }) as Play);
    const nextCursor = from + size < count ? String(from + size) : null;
    return Promise.resolve({ items, page: 0, size, total: count, totalCapped: false, nextCursor });
  };
}

async function idsOf(pages: AsyncIterable<Pick<PlayPage, 'items'>>): Promise<string[]> {
  const ids: string[] = [];
  for await (const { items } of pages) ids.push(...items.map(({ id }) => id));
  return ids;
}

describe('readAll', () => {
  it('reads to the end, each once', async () => {
    const ids = await idsOf(readAll(listOf(450), new AbortController().signal));
    expect(ids).toEqual(Array.from({ length: 450 }, (_, i) => String(i)));
  });

  it('stops at its bound', async () => {
    expect(await idsOf(readAll(listOf(MAX_EXPORTED + 10), new AbortController().signal))).toHaveLength(MAX_EXPORTED);
  });

  it('stops when it is told to', async () => {
    const stop = new AbortController();
    let read = 0;
    for await (const { items } of readAll(listOf(1_000), stop.signal)) {
      read += items.length;
      stop.abort();
    }
    expect(read).toBe(200);
  });
});
