import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expiryAt, renewalAt } from './session-lifetime.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const rules = { ttlMs: HOUR, maxMs: 24 * HOUR };

describe('the life of a session', () => {
  it('is not renewed in the first minute of an hour', () => {
    const session = { createdAtMs: 0, renewedAtMs: 0, expiresAtMs: HOUR };
    expect(renewalAt(rules, session, MINUTE - 1)).toBeNull();
    expect(renewalAt(rules, session, MINUTE)).toBe(MINUTE + HOUR);
  });

  it('is renewed sooner when less than half is left', () => {
    const short = { ttlMs: 20_000, maxMs: 0 };
    const session = { createdAtMs: 0, renewedAtMs: 0, expiresAtMs: 20_000 };
    expect(renewalAt(short, session, 10_000)).toBeNull();
    expect(renewalAt(short, session, 10_001)).toBe(30_001);
  });

  it('ends at the absolute maximum, and is not written again and again before it', () => {
    const session = { createdAtMs: 0, renewedAtMs: 23.5 * HOUR, expiresAtMs: 24 * HOUR };
    expect(renewalAt(rules, session, 23.9 * HOUR)).toBeNull();
    expect(expiryAt(rules, 0, 23.9 * HOUR)).toBe(24 * HOUR);
    expect(expiryAt({ ...rules, maxMs: 0 }, 0, 100 * HOUR)).toBe(101 * HOUR);
  });

  it('never outlives the maximum and never gets shorter, whatever the times', () => {
    const hours = fc.integer({ min: 0, max: 48 * HOUR });
    fc.assert(
      fc.property(hours, hours, hours, (createdAtMs, renewedAtMs, nowMs) => {
        const expiresAtMs = expiryAt(rules, createdAtMs, renewedAtMs);
        const renewed = renewalAt(rules, { createdAtMs, renewedAtMs, expiresAtMs }, nowMs);
        return renewed === null || (renewed > expiresAtMs && renewed <= createdAtMs + rules.maxMs);
      }),
    );
  });
});
