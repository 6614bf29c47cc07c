import { LABEL, type PlaysSearch } from './plays-search';

/** What ids of plays look like. */
const PLAY_ID = /^[0-9a-z]{20}$/;

type KeyFilter = 'idempotencyKey' | 'idempotencyKeyPrefix';

/** What somebody meant who typed this into the search of plays. Pure. */
export type Meant = { readonly playId: string } | { readonly search: Pick<PlaysSearch, 'label' | KeyFilter> };

/**
 * An id leads to its play, `key:value` is a label, and anything else an idempotency key, or with a `*` at its end the beginning of
 * some. A key that looks like something else is found in quotes.
 */
export function meantBy(text: string): Meant {
  const typed = text.trim();
  if (PLAY_ID.test(typed)) return { playId: typed };
  const quoted = /^"(.+)"$/.exec(typed)?.[1];
  if (quoted !== undefined) return { search: { idempotencyKey: quoted } };
  if (LABEL.test(typed)) return { search: { label: [typed] } };
  if (/^.+\*$/.test(typed)) return { search: { idempotencyKeyPrefix: typed.slice(0, -1) } };
  return { search: typed === '' ? {} : { idempotencyKey: typed } };
}

/** What the field shows of a filter. */
export function keyText({ idempotencyKey: key, idempotencyKeyPrefix: prefix }: Pick<PlaysSearch, KeyFilter>): string {
  if (prefix !== undefined) return `${prefix}*`;
  if (key === undefined) return '';
  const meant = meantBy(key);
  return 'search' in meant && meant.search.idempotencyKey === key ? key : `"${key}"`;
}
