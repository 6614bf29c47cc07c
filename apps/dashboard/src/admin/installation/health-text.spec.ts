import { describe, expect, it } from 'vitest';
import { leftText, seenText, skewText } from './health-text';

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

describe('leftText', () => {
  it('says how many plays are to go, and for how long they could have gone', () => {
    const left = { plays: 320_000, bytes: 1_700_000_000, overdue_ms: 7_380_000 };
    expect(leftText({ status: 'running', left })).toBe('up to 320,000 plays (1.6 GB), due for up to 2 h 03 m');
    expect(leftText({ status: 'running', left: null })).toBe('no plays');
    expect(leftText({ status: 'ok', left: null })).toBe('nothing until the next run');
  });
});
