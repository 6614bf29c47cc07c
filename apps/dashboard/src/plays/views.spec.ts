import { expect, it } from 'vitest';
import { readViews } from './views';

it('reads the views that are stored, and leaves out what is none', () => {
  const views = [
    { name: 'failed', search: { state: ['FAIL', 'ODD'], label: ['shop:vienna'] } },
    { name: 1, search: {} },
    null,
    { name: 'no filter' },
  ];
  expect(readViews(JSON.stringify(views))).toEqual([
    { name: 'failed', search: { state: ['FAIL'], label: ['shop:vienna'] } },
  ]);
  expect([readViews('{'), readViews('{}'), readViews(undefined)]).toEqual([[], [], []]);
});
