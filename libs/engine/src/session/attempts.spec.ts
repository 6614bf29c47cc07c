import type { RetryOptions } from '@weft/shapes';
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

describe('a peer that says when to call again', () => {
  const pauseOf = (retryAfterMs: number) => retryDelayMs(fixed, 1, 'p', 0, { retryAfterMs });

  it('is waited for, a tenth longer at most, and never longer than maxDelayMs', () => {
    expect(pauseOf(20_000)).toBeGreaterThanOrEqual(20_000);
    expect(pauseOf(20_000)).toBeLessThanOrEqual(22_000);
    expect(pauseOf(59_999)).toBeLessThanOrEqual(60_000);
    expect(pauseOf(86_400_000)).toBe(60_000);
  });

  it('does not shorten the pause of the layer', () => {
    expect(pauseOf(0)).toBe(retryDelayMs(fixed, 1, 'p', 0));
  });
});

describe('mayRetry', () => {
  const after = (statusCode: number, on?: readonly string[], retryAfterMs?: number) =>
    mayRetry({ ...fixed, ...(on && { on }) }, 1, 'bad_status', {
      statusCode,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    });

  it('after statuses that may pass, and not after a 4xx that says the same again', () => {
    expect([408, 409, 421, 423, 425, 429, 500, 502, 503, 302].filter((status) => !after(status))).toEqual([]);
    expect([400, 401, 403, 404, 405, 410, 413, 415, 422, 451].filter((status) => after(status))).toEqual([]);
    expect(after(403, undefined, 1_000)).toBe(true);
  });

  it('after what retry.on names, and nothing else', () => {
    const on = ['429', '500-503', 'connect', 'sandbox_limit'];
    expect([404, 429, 499, 500, 503, 504].map((status) => after(status, on))).toEqual(
      [false, true, false, true, true, false], // prettier-ignore
    );
    const codes = ['connect_failed', 'sandbox_limit', 'timeout', 'bad_status', 'internal', 'cancelled'];
    expect(codes.filter((code) => mayRetry({ ...fixed, on }, 1, code))).toEqual(['connect_failed', 'sandbox_limit']);
    expect(after(404, ['4xx'])).toBe(true);
    expect(after(404, ['bad_status'])).toBe(true);
    expect(mayRetry({ ...fixed, on: [] }, 1, 'timeout')).toBe(false);
    expect(mayRetry({ ...fixed, on: ['cancelled'] }, 1, 'cancelled')).toBe(false);
  });

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
