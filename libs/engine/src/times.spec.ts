import { expect, it } from 'vitest';
import { watchAfterMs } from './reconcile/sightings.js';
import { PROTOCOL_TIMES, assertProtocolTimes, timesDividedBy, type ProtocolTimes } from './times.js';

it('accepts the times of the protocol', () => {
  expect(() => assertProtocolTimes(PROTOCOL_TIMES)).not.toThrow();
});

it.each<Partial<ProtocolTimes>>([
  { lazyMs: 1_000 },
  { windowMs: 5_500 },
  { settleMs: 1_100 },
  { gapMs: 5_000 },
  { gapMs: 10_000 },
  { ringByMs: 10_000 },
  { lockMs: 4_000 },
  { stalledMs: 30_000 },
  { renewMs: 5_000 },
  { leaseMarginMs: 8_000 },
])('refuses an order on which nothing can rest: %o', (change) => {
  expect(() => assertProtocolTimes({ ...PROTOCOL_TIMES, ...change })).toThrow(RangeError);
});

it('has whole times where nobody has preloaded a divisor', () => {
  expect(PROTOCOL_TIMES).toMatchObject({ lazyMs: 100, leaseMs: 15_000, lockMs: 30_000 });
});

it.each([1, 2, 3, 5, 10])('keeps every order and every share when the times are %s times shorter', (divisor) => {
  const times = timesDividedBy(divisor);
  expect(() => assertProtocolTimes(times)).not.toThrow();
  for (const [name, ms] of Object.entries(times) as [keyof ProtocolTimes, number][])
    expect(Math.abs(ms * divisor - PROTOCOL_TIMES[name])).toBeLessThanOrEqual(divisor / 2);
  // an owner is watched once it has missed a renewal, and one that is well renews again before it is dead
  expect(watchAfterMs(times)).toBeGreaterThan(times.renewMs);
  expect(watchAfterMs(times)).toBeLessThan(2 * times.renewMs);
});
