/**
 * What stands for the fields of a layer's integration link in evaluated arguments (ADR 102). A mark means nothing outside of this
 * process, and nobody can write one, so data never becomes a secret.
 */
import { LINK_FIELDS, type LinkField } from '@weft/expressions';
import { randomBytes } from 'node:crypto';

const BEGINNING = `weft-link.${randomBytes(24).toString('hex')}.`;
const MARK = new RegExp(`${BEGINNING.replaceAll('.', String.raw`\.`)}(${LINK_FIELDS.join('|')})\\.`, 'g');

export const LINK_MARKS = Object.fromEntries(LINK_FIELDS.map((field) => [field, `${BEGINNING}${field}.`])) as Readonly<
  Record<LinkField, string>
>;

export function hasMark(text: unknown): text is string {
  return typeof text === 'string' && text.includes(BEGINNING);
}

/** The text with the fields in the places of their marks. */
export function withFields(text: string, valueOf: (field: LinkField) => string): string {
  return text.replace(MARK, (_mark, field: LinkField) => valueOf(field));
}

/**
 * A copy of a JSON value as it is written: for what is shown, stored or compared between processes.
 *
 * @param placeholder in the place of each mark; default: the expression that reads the field
 */
export function withoutMarks<T>(value: T, placeholder?: string): T {
  if (hasMark(value)) return withFields(value, (field) => placeholder ?? `{{ $link.${field} }}`) as T;
  if (typeof value !== 'object' || value === null) return value;
  const inside = (inner: unknown): unknown => withoutMarks(inner, placeholder);
  if (Array.isArray(value)) return value.map(inside) as T;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, inside(inner)])) as T;
}
