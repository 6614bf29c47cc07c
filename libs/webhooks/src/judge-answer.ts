/** What the answer of a receiver means: Standard Webhooks 1.0.0, and the two words of `webhook-delivery`. */

export type Verdict = 'delivered' | 'retry' | 'abort' | 'disable';

export interface JudgedAnswer {
  readonly verdict: Verdict;
  /** How long the receiver asks to be left alone. */
  readonly retryAfterMs: number | null;
  /** The receiver has too much to do: all of its deliveries slow down. */
  readonly isOverloaded: boolean;
}

interface ReceiverAnswer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
}

const GONE = 410;
const OVERLOADED: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** @param now epoch ms, for a `Retry-After` that is a date */
export function judgeAnswer({ statusCode, headers }: ReceiverAnswer, now: number): JudgedAnswer {
  const isDelivered = statusCode >= 200 && statusCode < 300;
  const wish = headers['webhook-delivery']?.trim().toLowerCase();
  const asksToDisable = wish === 'disable' || statusCode === GONE;
  const verdict = asksToDisable ? 'disable' : isDelivered ? 'delivered' : wish === 'abort-message' ? 'abort' : 'retry';
  return {
    verdict,
    retryAfterMs: isDelivered ? null : readRetryAfter(headers['retry-after'], now),
    isOverloaded: OVERLOADED.has(statusCode),
  };
}

function readRetryAfter(text: string | undefined, now: number): number | null {
  if (text === undefined) return null;
  if (/^\d{1,9}$/.test(text.trim())) return Number(text) * 1_000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
