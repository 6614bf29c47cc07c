import { expect, it } from 'vitest';
import { figureNotes, shareText } from './notes';

const none = { done: 0, failed: 0, skipped: 0, p50_ms: null, p95_ms: null, total_ms: 0 };

it('says how long a layer took and how many of its calls failed', () => {
  const notes = figureNotes([
    { ...none, ref: 'a', done: 97, failed: 3, p50_ms: 120, p95_ms: 2_000 },
    { ...none, ref: 'b', done: 1, p50_ms: 4, p95_ms: 4 },
    { ...none, ref: 'c', skipped: 9 },
  ]);
  expect([...notes.values()].map(({ text, isBad }) => [text, isBad])).toEqual([
    ['3 % failed · 120 ms · 2.0 s', true],
    ['4 ms · 4 ms', false],
    ['not run', undefined],
  ]);
  expect(notes.get('c')?.says).toBe('in the last day not run, skipped 9 times');
});

it('rounds no share to nothing or to all', () => {
  expect([0, 0.001, 0.5, 0.999, 1].map(shareText)).toEqual(['0 %', '< 1 %', '50 %', '99 %', '100 %']);
});
