import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { differencesOf } from './match-expected.js';

const outs = new Map<string, unknown>([
  ['call', { statusCode: 200, json: { items: [{ id: 1, name: 'a' }, { id: 2 }], none: null } }],
  ['tell', { text: 'hello' }],
  ['skipped', null],
]);

const found = (expected: Record<string, unknown>) => differencesOf(expected, outs);

describe('differencesOf', () => {
  it.each([
    ['nothing', {}],
    ['some fields', { call: { statusCode: 200 } }],
    ['items that have more fields', { call: { json: { items: [{ id: 1 }, {}] } } }],
    ['null', { call: { json: { none: null } }, skipped: null }],
    ['several layers', { call: {}, tell: { text: 'hello' } }],
  ])('finds none when %s is expected and there', (_what, expected) => {
    expect(found(expected)).toEqual([]);
  });

  it.each([
    ['another value', { tell: { text: 'bye' } }, 'tell.text', 'bye', 'hello', 'tell.text is "hello" instead of "bye"'],
    ['another type', { call: { statusCode: '200' } }, 'call.statusCode', '200', 200, /is 200 instead of "200"/],
    ['a missing field', { tell: { words: null } }, 'tell.words', null, null, 'tell.words is not there'],
    ['an inherited field', { tell: { toString: 1 } }, 'tell.toString', 1, null, 'tell.toString is not there'],
    [
      'a list of another length',
      { call: { json: { items: [{ id: 1 }] } } },
      'call.json.items',
      [{ id: 1 }],
      [{ id: 1, name: 'a' }, { id: 2 }],
      /has 2 items instead of 1/,
    ],
    ['a later item', { call: { json: { items: [{}, { id: 3 }] } } }, 'call.json.items.1.id', 3, 2, /is 2 instead of 3/],
    ['an object for a text', { tell: { text: {} } }, 'tell.text', {}, 'hello', /is no object/],
    ['a list for an object', { tell: [] }, 'tell', [], { text: 'hello' }, /is no list/],
    ['null for something', { tell: null }, 'tell', null, { text: 'hello' }, /instead of null/],
    ['an out of a layer without one', { skipped: { a: 1 } }, 'skipped', { a: 1 }, null, /is no object/],
    ['a layer that is not there', { gone: {} }, 'gone', {}, null, /no layer has the ref "gone"/],
  ])('shows %s with its place', (_what, expected, path, wanted, actual, message) => {
    expect(found(expected as Record<string, unknown>)).toEqual([
      { path, expected: wanted, actual, message: expect.stringMatching(message) as string },
    ]);
  });

  it('keeps an answer small, however much differs', () => {
    const many = { tell: Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`f${i}`, i])) };
    expect(found(many)).toHaveLength(50);
    const [large] = differencesOf({ tell: { text: 'x' } }, new Map([['tell', { text: 'y'.repeat(100_000) }]]));
    expect(JSON.stringify(large).length).toBeLessThan(4_000);
  });

  const anyValue = fc.jsonValue();

  it('takes every value for a part of itself, and none for a part of one that lacks a field of it', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        const self = structuredClone(value);
        expect(differencesOf({ a: value }, new Map([['a', self]]))).toEqual([]);
        expect(differencesOf({ a: { x: value, y: 1 } }, new Map([['a', { x: self }]]))).toMatchObject([
          { path: 'a.y' },
        ]);
      }),
    );
  });
});
