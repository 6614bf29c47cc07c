const PAGE = 200;
const MAX_PAGES = 5;

/** The items of the first pages of a list, up to 1,000 items. */
export async function firstPages<T>(
  read: (query: {
    readonly size: number;
    readonly cursor?: string;
  }) => Promise<{ readonly items: readonly T[]; readonly nextCursor: string | null }>,
): Promise<T[]> {
  const all: T[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { items, nextCursor } = await read({ size: PAGE, ...(cursor !== undefined && { cursor }) });
    all.push(...items);
    if (nextCursor === null) break;
    cursor = nextCursor;
  }
  return all;
}
