import { describe, expect, it } from 'vitest';
import { AddressThrottle } from './address-throttle.js';

describe('the throttle of an address', () => {
  it('closes it at the limit until its minute is over, and no other', () => {
    let nowMs = 1_000;
    const throttle = new AddressThrottle({ monotonicMs: () => nowMs }, 2);
    const refusal = (address: string): unknown => {
      try {
        throttle.assertOpen(address);
        return null;
      } catch (error) {
        return error;
      }
    };
    throttle.count('::1');
    nowMs += 20_500;
    expect(refusal('::1')).toBeNull();
    throttle.count('::1');
    expect(refusal('::1')).toMatchObject({ code: 'too_many_attempts', retryAfterSeconds: 40 });
    expect(refusal('::2')).toBeNull();
    nowMs += 39_500;
    expect(refusal('::1')).toBeNull();
    throttle.count('::1');
    expect(refusal('::1')).toBeNull();
  });
});
