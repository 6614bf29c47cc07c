import type { Page } from '@weft/contracts';
import type { PageOf, PageRequest } from '@weft/store';
import { toPage, toPageRequest, type PageQuery } from '../http/paging.js';

/** Names of operations may have dots, which end the place in a cursor. */
const HEX = /^(?:[0-9a-f]{2}){1,128}$/;

/** A page of a list that is ordered by name. */
export async function pageByName<Item, View>(
  query: PageQuery,
  view: (item: Item) => View,
  read: (page: PageRequest) => Promise<PageOf<Item>>,
): Promise<Page<View>> {
  const { after, ...page } = toPageRequest(query, (text) => HEX.test(text));
  const name = after === null ? null : Buffer.from(after, 'hex').toString();
  const found = await read({ ...page, after: name });
  const nextAfter = found.nextAfter === null ? null : Buffer.from(found.nextAfter).toString('hex');
  return toPage({ ...page, after }, { ...found, nextAfter }, view);
}
