import { describe, expect, it } from 'vitest';
import { readTime } from './iso-time.js';

describe('readTime', () => {
  it.each([
    ['2026-12-24T18:00:00+01:00', '2026-12-24T17:00:00.000Z'],
    ['2028-02-29T00:00Z', '2028-02-29T00:00:00.000Z'],
    ['2026-12-24', '2026-12-24T00:00:00.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ])('reads %s', (text, iso) => {
    expect(readTime(text)?.toISOString()).toBe(iso);
  });

  it.each([
    ...['2027-02-31T00:00:00Z', '2027-02-29', '2027-04-31T12:00:00+02:00', '2027-13-01T00:00:00Z', '2027-00-10'],
    ...['2027-01-01T25:00:00Z', '2027-01-01T00:60:00Z', '2027-01-01T00:00:00', '1767225600000', 'tomorrow', ''],
  ])('finds no time in %j', (text) => {
    expect(readTime(text)).toBeNull();
  });
});
