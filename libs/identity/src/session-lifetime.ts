/**
 * How long a session lives: pure arithmetic in epoch milliseconds. Each renewal extends a session by its TTL, up to its
 * absolute maximum (docs/http-api.md §2); a renewal is written at most once a minute, sooner when less than half the TTL is left.
 */
export interface SessionRules {
  readonly ttlMs: number;
  /** From creation; 0: no maximum. */
  readonly maxMs: number;
}

const RENEW_AT_MOST_EVERY_MS = 60_000;

export function expiryAt(rules: SessionRules, createdAtMs: number, nowMs: number): number {
  const slid = nowMs + rules.ttlMs;
  return rules.maxMs === 0 ? slid : Math.min(slid, createdAtMs + rules.maxMs);
}

/** The expiry that a request at `nowMs` should store; null when no renewal is due. */
export function renewalAt(
  rules: SessionRules,
  session: { readonly createdAtMs: number; readonly renewedAtMs: number; readonly expiresAtMs: number },
  nowMs: number,
): number | null {
  const isMinuteOver = nowMs - session.renewedAtMs >= RENEW_AT_MOST_EVERY_MS;
  const isHalfOver = session.expiresAtMs - nowMs < rules.ttlMs / 2;
  if (!isMinuteOver && !isHalfOver) return null;
  const expiry = expiryAt(rules, session.createdAtMs, nowMs);
  return expiry > session.expiresAtMs ? expiry : null;
}
