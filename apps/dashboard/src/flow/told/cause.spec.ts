import { expect, it } from 'vitest';
import { causeOf, toldNow } from './cause';

const NOW = Date.UTC(2026, 0, 5, 12);
const at = (agoMs: number) => new Date(NOW - agoMs).toISOString();
const failed = { id: 'p', flowId: 'f', state: 'FAIL', completedAt: at(1_000), error: { code: 'timeout', ref: 'push' } };

it('is told of what fails now, by its cause, and of nothing else', () => {
  expect(causeOf(failed, NOW)).toBe('f push timeout');
  expect(causeOf({ ...failed, error: { code: 'timeout', ref: null } }, NOW)).toBe('f  timeout');
  expect(causeOf({ ...failed, state: 'DONE' }, NOW)).toBeNull();
  expect(causeOf({ ...failed, error: { code: 'cancelled', ref: null } }, NOW)).toBeNull();
  // a retry has mended an old play: it comes again
  expect(causeOf({ ...failed, completedAt: at(3_600_000) }, NOW)).toBeNull();
});

it('is told of a cause once in an hour', () => {
  const first = toldNow({}, 'a', NOW);
  expect(first).toEqual({ a: NOW });
  expect(toldNow(first ?? {}, 'a', NOW + 3_599_000)).toBeNull();
  expect(toldNow(first ?? {}, 'b', NOW + 1)).toEqual({ a: NOW, b: NOW + 1 });
  expect(toldNow(first ?? {}, 'a', NOW + 3_600_000)).toEqual({ a: NOW + 3_600_000 });
  // the clock was set back
  expect(toldNow({ a: NOW + 9_000_000 }, 'a', NOW)).toEqual({ a: NOW });
});
