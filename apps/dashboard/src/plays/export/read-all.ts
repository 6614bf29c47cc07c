import type { PlayPage } from '../play';

/** A file that a browser makes in memory is bounded. */
export const MAX_EXPORTED = 50_000;
const PAGE = 200;

/** One page after the other, until the end, the bound, or the signal. */
export async function* readAll(
  read: (place: { readonly size: number; readonly cursor?: string }) => Promise<PlayPage>,
  signal: AbortSignal,
): AsyncGenerator<Pick<PlayPage, 'items' | 'total'>> {
  let cursor: string | null | undefined;
  let count = 0;
  while (cursor !== null && count < MAX_EXPORTED && !signal.aborted) {
    const page: PlayPage = await read({ size: PAGE, ...(cursor !== undefined && { cursor }) });
    const items = page.items.slice(0, MAX_EXPORTED - count);
    count += items.length;
    cursor = page.nextCursor;
    yield { items, total: page.total };
  }
}
