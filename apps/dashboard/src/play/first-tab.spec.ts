import { expect, it } from 'vitest';
import { firstTab } from './first-tab';

it('a layer opens on its output where it has one, and on its input where it failed without', () => {
  const error = { code: 'bad_status', message: 'it answered 422' };
  expect(firstTab({ error, out: { statusCode: 422 } })).toBe('output');
  expect(firstTab({ error, out: null })).toBe('input');
  expect(firstTab({ error: null, out: null })).toBe('output');
});
