import type { RetryOptions } from '@weft/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mayRetry, retryDelayMs } from './attempts.js';

const fixed: RetryOptions = { attempts: 5, backoff: 'fixed', delayMs: 1_000, maxDelayMs: 60_000 };
const doubled: RetryOptions = { ...fixed, backoff: 'exponential', maxDelayMs: 5_000 };
const pauses = (retry: RetryOptions, playId = 'p') => [1, 2, 3, 4].map((n) => retryDelayMs(retry, n, playId, 0));

describe('the pause after a failed call', () => {
  it.each([
    ['fixed', fixed, [1_000, 1_000, 1_000, 1_000]],
    ['doubled up to the cap', doubled, [1_000, 2_000, 4_000, 5_000]],
  ])('%s, of which it is a part between a half and the whole', (_title, retry, full) => {
    pauses(retry).forEach((pause, i) => {
      expect(pause).toBeLessThanOrEqual(full[i] ?? 0);
      expect(pause).toBeGreaterThanOrEqual((full[i] ?? 0) / 2);
    });
  });

  it('is the same wherever it is asked for, and spread over plays, layers and attempts', () => {
    expect(pauses(doubled)).toEqual(pauses(doubled));
    const spread = Array.from({ length: 200 }, (_, i) => retryDelayMs(fixed, (i % 4) + 1, `p${i}`, i % 3));
    expect(new Set(spread).size).toBeGreaterThan(150);
    expect(spread.filter((pause) => pause < 750).length).toBeGreaterThan(60);
    expect(spread.filter((pause) => pause > 750).length).toBeGreaterThan(60);
  });

  it('is never more than the cap and never less than half of what was asked for', () => {
    const options = fc.record({
      delayMs: fc.nat(100_000),
      maxDelayMs: fc.nat(100_000),
      attempt: fc.integer({ min: 1, max: 100 }),
    });
    fc.assert(
      fc.property(options, fc.string(), ({ delayMs, maxDelayMs, attempt }, playId) => {
        const pause = retryDelayMs({ ...doubled, delayMs, maxDelayMs }, attempt, playId, 1);
        expect(pause).toBeLessThanOrEqual(maxDelayMs);
        expect(pause).toBeGreaterThanOrEqual(Math.floor(Math.min(delayMs, maxDelayMs) / 2));
      }),
    );
  });
});

describe('mayRetry', () => {
  it.each(['timeout', 'bad_status', 'connect_failed', 'internal', 'sandbox_limit'])('after %s', (code) => {
    expect(mayRetry(fixed, 1, code)).toBe(true);
  });

  it.each(['expression_unresolved', 'invalid_args', 'unknown_app', 'destination_blocked', 'cancelled', 'rejected'])(
    'not after %s',
    (code) => {
      expect(mayRetry(fixed, 1, code)).toBe(false);
    },
  );

  it('as many calls as there are attempts, the first one included; one when nothing is said', () => {
    expect([1, 4, 5, 6].map((attempt) => mayRetry(fixed, attempt, 'timeout'))).toEqual([true, true, false, false]);
    expect(mayRetry(null, 1, 'timeout')).toBe(false);
  });
});
