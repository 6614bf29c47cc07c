import { expect, it } from 'vitest';
import { readView } from './views';

it('reads a view that is stored, and nothing that is none', () => {
  const stored = { name: 'failed', search: { state: ['FAIL', 'ODD'], label: ['shop:vienna'] } };
  expect(readView(stored)).toEqual({ name: 'failed', search: { state: ['FAIL'], label: ['shop:vienna'] } });
  expect([{ name: 1, search: {} }, null, 'text', { name: 'no filter' }].map(readView)).toEqual([
    null,
    null,
    null,
    null,
  ]);
});
