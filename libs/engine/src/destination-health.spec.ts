import { describe, expect, it } from 'vitest';
import { failsAgain, fullRate, isFullStep, seemsDown, probeDelayMs, rateAtStep } from './destination-health.js';

describe('a destination', () => {
  it.each([
    [{ calls: 2, failed: 2 }, false],
    [{ calls: 3, failed: 3 }, true],
    [{ calls: 50, failed: 24 }, false],
    [{ calls: 50, failed: 25 }, true],
  ])('of which a worker saw %o seems down: %s', (seen, suspect) => {
    expect(seemsDown(seen)).toBe(suspect);
  });

  it('is tried again at growing intervals, at least twice a minute', () => {
    expect([0, 1, 2, 5, 100].map(probeDelayMs)).toEqual([1_000, 2_000, 4_000, 30_000, 30_000]);
  });

  it('gets its calls back in growing steps, up to a little more than before', () => {
    const steps = Array.from({ length: 8 }, (_, step) => rateAtStep(200, step));
    expect(steps).toEqual([21, 42, 84, 168, 210, 210, 210, 210]);
    expect(Array.from({ length: 8 }, (_, step) => isFullStep(step)).indexOf(true)).toBe(4);
    expect(fullRate(200)).toBeLessThan(200 * 1.2);
    expect([rateAtStep(0.01, 0), rateAtStep(0.01, 9)]).toEqual([1, 1]);
    expect([10, 3, 1].map(fullRate)).toEqual([11, 4, 2]);
  });

  it.each([
    ['at the rate from before', 200, 200],
    ['when the rate from before was a low one', 10, 10],
    ['when more is called than before', 100, 140],
    ['when no rate is known', null, 200],
  ])('gets all of its calls back, also while new ones go on to come, %s', (_when, known, perSecond) => {
    let waiting = 60 * perSecond;
    let step = 0;
    for (; waiting > 0 && step < 7_200; step += 1) {
      const rate = rateAtStep(known, step);
      if (known === perSecond && step < 900) expect(rate).toBeLessThanOrEqual(Math.max(known * 1.2, known + 1));
      waiting = Math.max(0, waiting + perSecond - rate);
    }
    expect([waiting, isFullStep(step)]).toEqual([0, true]);
    expect(rateAtStep(known, Number.MAX_SAFE_INTEGER)).toBe(100_000);
  });

  it('is down again by one of the first calls, later by a tenth of them', () => {
    expect(failsAgain({ calls: 1, failed: 1 })).toBe(true);
    expect(failsAgain({ calls: 10, failed: 0 })).toBe(false);
    expect(failsAgain({ calls: 11, failed: 1 })).toBe(false);
    expect(failsAgain({ calls: 20, failed: 2 })).toBe(true);
  });
});
