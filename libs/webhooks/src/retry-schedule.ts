/** When a delivery is tried again. */
import { MAX_DELAY_SECONDS } from '@weft/shapes';

/** Seconds before each attempt: that of Standard Webhooks, ten attempts in 75 hours. */
export const DEFAULT_SCHEDULE: readonly number[] = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

/** Up to this part is added to each delay, so that deliveries that failed together do not come back together. */
const JITTER = 0.1;

/**
 * Milliseconds until the next attempt; null: it is not tried again.
 *
 * @param tries attempts so far
 * @param retryAfterMs what the receiver asked for
 * @param random from 0 to 1
 */
export function delayBefore(
  schedule: readonly number[] | null,
  tries: number,
  retryAfterMs: number | null,
  random: () => number = Math.random,
): number | null {
  const seconds = (schedule ?? DEFAULT_SCHEDULE)[tries];
  if (seconds === undefined) return null;
  const delayMs = seconds * 1_000 * (1 + JITTER * random());
  return Math.round(Math.max(delayMs, Math.min(retryAfterMs ?? 0, MAX_DELAY_SECONDS * 1_000)));
}
