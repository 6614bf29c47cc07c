import { describe, expect, it } from 'vitest';
import { seenText, skewText } from './health-text';

describe('skewText', () => {
  it('says nothing of what the way of the answer explains', () => {
    expect([skewText(900, 20), skewText(-3_000, 4_000)]).toEqual(['as in this browser', 'as in this browser']);
  });

  it('says in which direction a clock is wrong', () => {
    expect(skewText(120_000, 20)).toBe("2 m 00 s ahead of this browser's");
    expect(skewText(-5_000, 20)).toBe("5.0 s behind this browser's");
  });
});

describe('seenText', () => {
  it('says how long ago, also where the clocks differ', () => {
    const at = '2026-01-01T00:00:00.000Z';
    expect([seenText(at, Date.parse(at) + 4_200), seenText(at, Date.parse(at) - 60_000)]).toEqual([
      'seen 4.2 s ago',
      'seen just now',
    ]);
  });
});
