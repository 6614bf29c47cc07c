import { describe, expect, it } from 'vitest';
import { fillLeftOut, LEFT_OUT } from './fill-left-out.js';

const named = (name: string, value: unknown, more: object = {}) => ({ name, value, ...more });

describe('values that a document leaves out', () => {
  it('are what is stored in a field of exactly this name, texts and numbers only', () => {
    const left = { 'headers.token': LEFT_OUT, headers: { apiKey: LEFT_OUT } };
    expect(fillLeftOut(left, { headers: { token: 's' }, 'headers.apiKey': 'k' })).toEqual(left);
    expect(fillLeftOut({ a: LEFT_OUT, b: LEFT_OUT, c: 1 }, { a: 7, b: { deep: 's' }, c: 2 })).toEqual({
      ...{ a: 7, b: LEFT_OUT, c: 1 },
    });
    expect(fillLeftOut(left, undefined)).toEqual(left);
  });

  // the same rows as in apps/cli/src/flows/fill-left-out.spec.ts
  it.each<[string, unknown[], unknown[], unknown[]]>([
    [
      'go with the name when entries change places',
      [named('password', 'S'), named('api_token', 'T')],
      [named('api_token', LEFT_OUT), named('password', LEFT_OUT)],
      [named('api_token', 'T'), named('password', 'S')],
    ],
    [
      'go with the name when an entry is removed',
      [named('password', 'S'), named('api_token', 'T')],
      [named('api_token', LEFT_OUT)],
      [named('api_token', 'T')],
    ],
    [
      'go with the name when an entry is inserted, and its other fields change',
      [named('password', 'S'), named('api_token', 'T', { as: 'a' })],
      [named('page', 1), named('password', LEFT_OUT), named('token', LEFT_OUT), named('api_token', LEFT_OUT)],
      [named('page', 1), named('password', 'S'), named('token', LEFT_OUT), named('api_token', 'T')],
    ],
    [
      'of equal names go with the other fields, else in their order',
      [named('token', 'A', { for: 'a' }), named('token', 'B', { for: 'b' }), named('token', 'C', { for: 'c' })],
      [named('token', LEFT_OUT, { for: 'b' }), named('token', 'new'), named('token', LEFT_OUT, { for: 'd' })],
      [named('token', 'B', { for: 'b' }), named('token', 'new'), named('token', 'C', { for: 'd' })],
    ],
    [
      'of equal names stay left out when it could be either',
      [named('token', 'A'), named('token', 'B')],
      [named('token', LEFT_OUT)],
      [named('token', LEFT_OUT)],
    ],
    [
      'of entries without names go with the other fields',
      [
        { url: 'a', password: 'A' },
        { password: 'B', url: 'b' },
      ],
      [
        { url: 'b', password: LEFT_OUT },
        { url: 'a', password: LEFT_OUT },
        { url: 'c', password: LEFT_OUT },
      ],
      [
        { url: 'b', password: 'B' },
        { url: 'a', password: 'A' },
        { url: 'c', password: LEFT_OUT },
      ],
    ],
    ['without anything else are in their order', ['A', '', 'B'], [LEFT_OUT, '', LEFT_OUT], ['A', '', 'B']],
    [
      'without anything else stay left out when one is removed',
      [{ secret: 'A' }, { secret: 'B' }],
      [{ secret: LEFT_OUT }],
      [{ secret: LEFT_OUT }],
    ],
    [
      'are found in lists of lists',
      [
        [named('token', 'A'), named('pin', 1)],
        [named('token', 'B'), named('pin', 2)],
      ],
      [[named('token', LEFT_OUT), named('pin', 2)]],
      [[named('token', 'B'), named('pin', 2)]],
    ],
  ])('%s', (_what, stored, wanted, filled) => {
    expect(fillLeftOut({ list: wanted }, { list: stored })).toEqual({ list: filled });
  });

  it('are found by names alone where entries leave them out in many different places', () => {
    const fields = Array.from({ length: 30 }, (_, n) => `f${n}`);
    const stored = fields.map((field) => ({ [field]: `s-${field}`, name: `of ${field}` }));
    const wanted = stored.map(({ name }, n) => ({ [`f${n}`]: LEFT_OUT, name }));
    const nameless = wanted.map(({ name: _, ...entry }) => entry);
    expect(fillLeftOut(wanted, stored)).toEqual(stored);
    const filled = fillLeftOut(
      nameless,
      stored.map(({ name: _, ...entry }) => entry),
    ) as readonly object[];
    expect(filled.filter((entry) => Object.values(entry).includes(LEFT_OUT))).toHaveLength(10);
  });
});
