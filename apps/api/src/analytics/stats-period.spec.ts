import { expect, it } from 'vitest';
import { windowAt } from './stats-period.js';

const NOON = Date.UTC(2026, 0, 5, 12);
const [MINUTE, HOUR] = [60_000, 3_600_000];

it.each([
  ['1h', NOON, NOON - 59 * MINUTE, NOON, 60, MINUTE],
  ['1h', NOON + MINUTE - 1, NOON - 59 * MINUTE, NOON, 60, MINUTE],
  ['1h', NOON + MINUTE, NOON - 58 * MINUTE, NOON + MINUTE, 60, MINUTE],
  ['24h', NOON, NOON - 23 * HOUR, NOON, 24, HOUR],
  ['24h', NOON - 1, NOON - 24 * HOUR, NOON - HOUR, 24, HOUR],
  ['7d', NOON + HOUR - 1, NOON - 167 * HOUR, NOON, 168, HOUR],
] as const)(
  'a window of %s at %i goes from %i to %i, which is the current one',
  (name, now, first, last, count, ms) => {
    const { from, beginnings } = windowAt(name, now);
    expect([from.getTime(), beginnings[0], beginnings.at(-1), beginnings.length]).toEqual([first, first, last, count]);
    expect(beginnings.slice(1).every((at, i) => at - (beginnings[i] ?? 0) === ms)).toBe(true);
  },
);
