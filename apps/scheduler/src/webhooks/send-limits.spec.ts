import { describe, expect, it } from 'vitest';
import { CompanySlots, SendLimits } from './send-limits.js';

describe('an endpoint', () => {
  const rates = { max_in_flight: 8, ordered: false, rate_per_second: null };

  it('has half as many attempts in flight after each one that fails for want of an answer, down to one', () => {
    const limits = new SendLimits(rates, () => 0);
    const allowed = [8, 4, 2, 1, 1].map(() => {
      const now = limits.inFlight;
      limits.slowDown(null);
      return now;
    });
    expect(allowed).toEqual([8, 4, 2, 1, 1]);
    for (let i = 0; i < 20; i += 1) limits.succeeded();
    expect(limits.inFlight).toBe(8);
    expect(new SendLimits({ ...rates, ordered: true }, () => 0).inFlight).toBe(1);
  });

  it('is left alone for as long as it asks, up to a quarter of an hour', () => {
    let now = 0;
    const limits = new SendLimits(rates, () => now);
    limits.slowDown(5_000);
    expect(limits.take()).toBe(5_000);
    now = 5_000;
    expect(limits.take()).toBe(0);
    limits.slowDown(86_400_000);
    expect(limits.take()).toBe(900_000);
  });

  it('gets no more attempts a second than it may', () => {
    let now = 0;
    const limits = new SendLimits({ ...rates, rate_per_second: 10 }, () => now);
    let sent = 0;
    for (; now < 10_000; now += 7) if (limits.take() === 0) sent += 1;
    expect(sent).toBeGreaterThanOrEqual(100);
    expect(sent).toBeLessThanOrEqual(110);
  });
});

it('a company has a bounded number of attempts in flight', () => {
  const slots = new CompanySlots(2);
  expect([slots.take(), slots.take(), slots.take()]).toEqual([true, true, false]);
  slots.giveBack();
  expect([slots.take(), slots.inFlight]).toEqual([true, 2]);
});
