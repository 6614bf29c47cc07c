import type { Page } from '@weft/contracts';
import { isId, WeftError } from '@weft/kernel';
import type { PageOf, PageRequest } from '@weft/store';
import { IntParam, TextParam } from './query-fields.js';

export const DEFAULT_SIZE = 50;
export const MAX_SIZE = 200;

/** Not described with its default, 0: generated clients send defaults, and it is refused together with a cursor. */
export const PageParam = () => IntParam('Page number, from 0. Not together with cursor.', 0, 1_000_000);
export const SizeParam = () => IntParam('Items per page.', 1, MAX_SIZE, DEFAULT_SIZE);
export const CursorParam = () =>
  TextParam('`nextCursor` of the page before: cheaper than page, and nothing is shown twice while new items arrive.');

/** The parameters of every list; a list's own query class extends it, or repeats them. */
export class PageQuery {
  @PageParam()
  readonly page?: number;

  @SizeParam()
  readonly size?: number;

  @CursorParam()
  readonly cursor?: string;
}

/**
 * @param isKey whether a text has the form of the list's sort key; default: an id
 * @throws WeftError `invalid_query` for a cursor that was not made by this list, and for page and cursor together
 */
export function toPageRequest(
  { page, size = DEFAULT_SIZE, cursor }: PageQuery,
  isKey: (text: string) => boolean = isId,
): PageRequest {
  if (cursor === undefined) return { page: page ?? 0, size, after: null };
  if (page !== undefined) throw refuseQuery('page', 'give page or cursor, not both');
  const [after, number] = Buffer.from(cursor, 'base64url').toString('latin1').split('.');
  if (!after || !isKey(after) || !/^\d{1,9}$/.test(number ?? ''))
    throw refuseQuery('cursor', 'cursor is not one of this list');
  return { page: Number(number), size, after };
}

/** The answer of a list: docs/http-api.md §1.4. */
export function toPage<Stored, Shown>(
  request: PageRequest,
  found: PageOf<Stored>,
  show: (item: Stored) => Shown,
): Page<Shown> {
  const { nextAfter } = found;
  return {
    items: found.items.map(show),
    page: request.page,
    size: request.size,
    total: found.total,
    totalCapped: found.totalCapped,
    nextCursor: nextAfter === null ? null : Buffer.from(`${nextAfter}.${request.page + 1}`).toString('base64url'),
  };
}

export function refuseQuery(name: string, message: string): WeftError {
  return new WeftError('invalid_query', `${message}.`, {
    errors: [{ path: `query.${name}`, code: 'invalid', message }],
  });
}
