import { describe, expect, it } from 'vitest';
import { clockFinding } from './check-clocks.js';
import { error, exitCodeOf, ok, warning } from './finding.js';

describe('the exit code', () => {
  it.each([
    ['nothing was checked', [], 0],
    ['all is well', [ok('a', '')], 0],
    ['there is a warning', [ok('a', ''), warning('b', '', '')], 1],
    ['there is an error', [error('a', '', ''), warning('b', '', '')], 2],
  ])('says that %s', (_what, findings, code) => {
    expect(exitCodeOf(findings)).toBe(code);
  });
});

describe('a clock', () => {
  const severity = (aheadMs: number, uncertainMs = 0) =>
    clockFinding('clock', 'MongoDB', { aheadMs, uncertainMs }).severity;

  it('is noticed from a second on, and wrong from half a minute on, in both directions', () => {
    for (const sign of [1, -1]) {
      expect([900, 1_500, 29_000, 31_000].map((ms) => severity(sign * ms))).toEqual([
        'ok',
        'warning',
        'warning',
        'error',
      ]);
    }
  });

  it('is not blamed for an answer that took long', () => {
    expect(severity(2_000, 1_500)).toBe('ok');
  });
});
