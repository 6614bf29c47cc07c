/** One page of a list: docs/http-api.md §1.4. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly total: number;
  /** There are more than `total`. */
  readonly totalCapped: boolean;
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

/** A list: `for await` gives its items, and asks for each page when it is needed; `page()` gives one page. */
export class Pages<T> implements AsyncIterable<T> {
  /** @param read reads the page at a cursor; without one, the first */
  constructor(private readonly read: (cursor: string | undefined) => Promise<Page<T>>) {}

  /** @param cursor `nextCursor` of the page before */
  page(cursor?: string): Promise<Page<T>> {
    return this.read(cursor);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    let cursor: string | undefined;
    do {
      const page = await this.read(cursor);
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
