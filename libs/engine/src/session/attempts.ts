/** Whether a failed call is made again, and after which delay: a pure function of the play, the layer and the attempt. */
import type { RetryOptions } from '@weft/shapes';
import { isWorthRetrying, type PeerAnswer } from './retry-on.js';

const NO_ANSWER: PeerAnswer = {};

/** A play keeps its slot while it waits this long for the next attempt, in ms. For a longer delay it gives the slot up. */
export const KEEP_SLOT_MS = 2_000;

/** @param attempt the call that failed, from 1 */
export function mayRetry(
  retry: RetryOptions | null,
  attempt: number,
  code: string,
  peer: PeerAnswer = NO_ANSWER,
): retry is RetryOptions {
  return retry !== null && attempt < retry.attempts && isWorthRetrying(retry.on, code, peer);
}

/**
 * The delay after the failed call `attempt`, in ms: 50 to 100 % of the configured one, so that peers do not retry together. A
 * peer that asks for a longer one gets it, up to `maxDelayMs`, and up to a tenth more for the same reason.
 */
export function retryDelayMs(
  retry: RetryOptions,
  attempt: number,
  playId: string,
  position: number,
  { retryAfterMs = 0 }: PeerAnswer = NO_ANSWER,
): number {
  const { backoff, delayMs, maxDelayMs } = retry;
  const full = backoff === 'fixed' ? delayMs : delayMs * 2 ** (attempt - 1);
  const fraction = fractionOf(`${playId}.${position}.${attempt}`);
  const own = Math.min(full, maxDelayMs) * (0.5 + fraction / 2);
  const asked = Math.min(retryAfterMs * (1 + fraction / 10), maxDelayMs);
  return Math.round(Math.max(own, asked));
}

/** 0 ≤ fraction < 1, the same for the same text: FNV-1a, mixed once more. */
function fractionOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
