import { expect, it } from 'vitest';
import { reasonOf } from './reason';

it.each([
  [{ error: 'order 104 has no VAT number' }, 'order 104 has no VAT number'],
  [{ error: { code: 7, message: 'no such card' } }, 'no such card'],
  [{ title: 'Bad', detail: 'the amount is negative' }, 'the amount is negative'],
  [{ error: 'invalid_grant', error_description: 'it has ended' }, 'it has ended'],
  [{ error: { inner: { message: 'too deep' } } }, null],
  [{ error: '' }, null],
  [{ message: 'x'.repeat(999) }, 'x'.repeat(300)],
  [['a list'], null],
])('of %j the reason is %j', (json, reason) => {
  expect(reasonOf({ statusCode: 422, json })).toBe(reason);
});

it('is not known of what no peer has answered', () => {
  expect([reasonOf(null), reasonOf('text'), reasonOf({ value: 1 })]).toEqual([null, null, null]);
});
