import { describe, expect, it } from 'vitest';
import { assertClocksAgree } from './clocks-agree.js';

const NOON = Date.UTC(2026, 0, 1, 12);

describe('assertClocksAgree', () => {
  it.each([0, 60_000, -60_000])('lets a difference of %d ms pass', (ms) => {
    expect(() => assertClocksAgree(NOON, NOON + ms)).not.toThrow();
  });

  it.each([60_001, -60_001, 30 * 86_400_000])('refuses one of %d ms, and tells both times', (ms) => {
    expect(() => assertClocksAgree(NOON, NOON + ms)).toThrow(/2026-01-01T12:00:00.000Z and MongoDB's 20\d\d-/);
  });
});
