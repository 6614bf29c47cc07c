import { describe, expect, it } from 'vitest';
import { CallTally } from './call-tally.js';

describe('the tally of calls', () => {
  it('is of the newest calls, none of them older than half a minute', () => {
    const tally = new CallTally();
    for (let i = 0; i < 60; i += 1) tally.end(i, i < 20);
    expect(tally.seen(100)).toEqual({ calls: 50, failed: 10 });
    expect(tally.seen(30_030)).toEqual({ calls: 29, failed: 0 });
  });

  it('begins anew with each phase of the destination', () => {
    const tally = new CallTally();
    tally.end(0, true);
    const up = tally.enter('up');
    tally.enter('down');
    tally.end(1, true);
    const upAgain = tally.enter('up');
    expect(tally.seen(1)).toEqual({ calls: 0, failed: 0 });
    expect([tally.isIn(up), tally.isIn(upAgain)]).toEqual([false, true]);
  });

  it('knows the rate of before the last seconds', () => {
    const tally = new CallTally();
    for (let ms = 0; ms < 20_000; ms += 10) tally.begin(ms);
    // repeats of calls that failed
    for (let ms = 20_000; ms < 21_000; ms += 2) tally.begin(ms);
    expect(tally.rate(21_000)).toBeCloseTo(100, 0);
    const young = new CallTally();
    for (let ms = 0; ms < 1_000; ms += 100) young.begin(ms);
    expect(young.rate(999)).toBe(10);
    young.begin(1_000);
    expect(young.rate(1_000)).toBe(10);
    expect(new CallTally().rate(0)).toBe(0);
  });
});
