import { unreadable } from './weft-error.js';

/** One page of a list: docs/http-api.md §1.4. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly total: number;
  /** There are more than `total`. */
  readonly totalCapped: boolean;
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

/** Longer than any that Weft makes. */
const MOST_CURSOR_CHARS = 8_192;

/** A list: `for await` gives its items, and asks for each page when it is needed; `page()` gives one page. */
export class Pages<T> implements AsyncIterable<T> {
  /** @param read reads the page at a cursor; without one, the first */
  constructor(private readonly read: (cursor: string | undefined) => Promise<Page<T>>) {}

  /** @param cursor `nextCursor` of the page before */
  async page(cursor?: string): Promise<Page<T>> {
    const page: unknown = await this.read(cursor);
    if (!isPage<T>(page)) throw unreadable('The answer is not a page of a list.');
    // it would be asked for without an end
    if (page.nextCursor !== null && page.nextCursor === cursor) throw unreadable('The next page is the same page.');
    return page;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    let cursor: string | undefined;
    do {
      const page = await this.page(cursor);
      yield* page.items;
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
  }

  /** The first items, at most so many. */
  async take(count: number): Promise<T[]> {
    const taken: T[] = [];
    if (count <= 0) return taken;
    for await (const item of this) {
      taken.push(item);
      if (taken.length >= count) break;
    }
    return taken;
  }
}

function isPage<T>(page: unknown): page is Page<T> {
  if (typeof page !== 'object' || page === null) return false;
  const { items, nextCursor } = page as Partial<Page<T>>;
  return (
    Array.isArray(items) &&
    (nextCursor === null || (typeof nextCursor === 'string' && nextCursor.length <= MOST_CURSOR_CHARS))
  );
}
