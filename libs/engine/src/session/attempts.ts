/** Whether a failed call is worth another, and how long to wait for it. */
import type { RetryOptions } from '@weft/contracts';

/** Another call would end the same way, or is not wanted. */
const NOT_RETRIED: ReadonlySet<string> = new Set([
  'expression_unresolved',
  'invalid_args',
  'unknown_app',
  'output_too_large',
  'destination_blocked',
  'cancelled',
  'rejected',
]);

/** Up to here a play keeps its slot while it waits for the next attempt; a longer pause gives the slot to others. */
export const KEEP_SLOT_MS = 2_000;

/** By the code of a layer's error. */
export function isRetryable(code: string): boolean {
  return !NOT_RETRIED.has(code);
}

/**
 * The pause after the failed call number `attempt` (from 1), in milliseconds: fixed, or doubled by each failure, capped, and
 * of that a part between a half and the whole. Which part follows from its arguments, so that a play waits as long wherever
 * it is run, while plays that failed together do not come back together.
 */
export function retryDelayMs(retry: RetryOptions, playId: string, position: number, attempt: number): number {
  const grown = retry.backoff === 'fixed' ? retry.delayMs : retry.delayMs * 2 ** (attempt - 1);
  const part = 0.5 + fraction(`${playId}.${position}.${attempt}`) / 2;
  return Math.round(Math.min(grown, retry.maxDelayMs) * part);
}

/** A number from 0 to 1 that looks random: FNV-1a, and the bits mixed (the finalizer of MurmurHash3). */
function fraction(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 0x1_0000_0000;
}
