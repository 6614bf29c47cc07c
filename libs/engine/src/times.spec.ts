import { expect, it } from 'vitest';
import { PROTOCOL_TIMES, assertProtocolTimes, type ProtocolTimes } from './times.js';

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
  { renewMs: 5_000 },
  { leaseMarginMs: 8_000 },
])('refuses an order on which nothing can rest: %o', (change) => {
  expect(() => assertProtocolTimes({ ...PROTOCOL_TIMES, ...change })).toThrow(RangeError);
});
