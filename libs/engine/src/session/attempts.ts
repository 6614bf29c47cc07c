/** Whether a failed call is made again, and after which delay: a pure function of the play, the layer and the attempt. */
import type { RetryOptions } from '@weft/contracts';

/** Error codes that would come again, or by which somebody wanted the layer to end. */
const NOT_RETRIED: ReadonlySet<string> = new Set([
  ...['expression_unresolved', 'invalid_args', 'unknown_app', 'output_too_large', 'destination_blocked'],
  ...['expression_failed', 'code_failed', 'extraction_failed'],
  ...['cancelled', 'rejected', 'value_too_large', 'not_a_number', 'out_of_range'],
]);

/** A play keeps its slot while it waits this long for the next attempt, in ms. For a longer delay it gives the slot up. */
export const KEEP_SLOT_MS = 2_000;

/** @param attempt the call that failed, from 1 */
export function mayRetry(retry: RetryOptions | null, attempt: number, code: string): retry is RetryOptions {
  return retry !== null && attempt < retry.attempts && !NOT_RETRIED.has(code);
}

/** The delay after the failed call `attempt`, in ms: 50 to 100 % of the configured one, so that peers do not retry together. */
export function retryDelayMs(retry: RetryOptions, attempt: number, playId: string, position: number): number {
  const { backoff, delayMs, maxDelayMs } = retry;
  const full = backoff === 'fixed' ? delayMs : delayMs * 2 ** (attempt - 1);
  const capped = Math.min(full, maxDelayMs);
  return Math.round(capped * (0.5 + fractionOf(`${playId}.${position}.${attempt}`) / 2));
}

/** 0 ≤ fraction < 1, the same for the same text: FNV-1a, mixed once more. */
function fractionOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
