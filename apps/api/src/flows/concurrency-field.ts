import { limitKeyOf, limitOf, type Concurrency } from '@weft/contracts';
import { ValidateBy } from 'class-validator';
import { field, type FieldOptions } from '../http/fields.js';

const MAX_LIMIT = 1_000;
/** Of the text; what it gives is shorter. */
const MAX_KEY_TEXT = 4_096;

const limit = { type: 'integer', minimum: 1, maximum: MAX_LIMIT } as const;
const key = { type: 'string', minLength: 1, maxLength: MAX_KEY_TEXT } as const;

/** As a request may name it: a number, or an object whose key may be left out. */
export const CONCURRENCY_SHAPE = {
  oneOf: [limit, { type: 'object', properties: { limit, key }, required: ['limit'], additionalProperties: false }],
} as const;

const SAYS = `$property must be a whole number from 1 to ${MAX_LIMIT.toLocaleString('en')}, or an object such as { "limit": 2, "key": "{{ $prev.args.customerId }}" }`;

export function ConcurrencyField(options: FieldOptions): PropertyDecorator {
  const check = { name: 'concurrency', validator: { validate: isConcurrency } };
  return field(options, CONCURRENCY_SHAPE, ValidateBy(check, { message: SAYS }));
}

function isConcurrency(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return isLimit(value);
  const { limit: most, key: text, ...rest } = value as { readonly limit?: unknown; readonly key?: unknown };
  const isText = typeof text === 'string' && text.length > 0 && text.length <= MAX_KEY_TEXT;
  return isLimit(most) && (text === undefined || isText) && Object.keys(rest).length === 0;
}

function isLimit(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_LIMIT;
}

/** As it is stored and shown: a number where there is no key. */
export function plainConcurrency(given: Concurrency | null): Concurrency | null {
  const [most, text] = [limitOf(given), limitKeyOf(given)];
  return most === null || text === null ? most : { limit: most, key: text };
}
