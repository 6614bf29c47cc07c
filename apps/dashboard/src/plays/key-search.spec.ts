import { expect, it } from 'vitest';
import { keyText, meantBy } from './key-search';

it.each([
  [' 01k2abcdefghijklmnop ', { playId: '01k2abcdefghijklmnop' }],
  ['order:5299', { search: { label: ['order:5299'] } }],
  ['"order:5299"', { search: { idempotencyKey: 'order:5299' } }],
  ['order-5299', { search: { idempotencyKey: 'order-5299' } }],
  ['order-52*', { search: { idempotencyKeyPrefix: 'order-52' } }],
  ['not a key:of a label', { search: { idempotencyKey: 'not a key:of a label' } }],
  ['', { search: {} }],
])('%s is understood', (text, meant) => {
  expect(meantBy(text)).toEqual(meant);
});

it.each([['order-5299'], ['order:5299'], ['a*'], ['01k2abcdefghijklmnop'], ['x y']])(
  'the text that stands for the key %s means this key again',
  (idempotencyKey) => {
    expect(meantBy(keyText({ idempotencyKey }))).toEqual({ search: { idempotencyKey } });
  },
);

it('the text that stands for a beginning means it again', () => {
  expect(meantBy(keyText({ idempotencyKeyPrefix: 'a*' }))).toEqual({ search: { idempotencyKeyPrefix: 'a*' } });
});
