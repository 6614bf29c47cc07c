/** Of which failures a browser tells, and how often. Pure. */
const HOUR_MS = 3_600_000;
/** A play that changes long after its end is no news. */
const FRESH_MS = 300_000;

interface Failure {
  readonly id: string;
  readonly flowId: string;
  readonly state: string;
  readonly completedAt: string | null;
  readonly error: { readonly code: string; readonly ref: string | null } | null;
}

/** What the same failures have in common; null: it is nothing that somebody is told. */
export function causeOf({ state, flowId, completedAt, error }: Failure, nowMs: number): string | null {
  if (state !== 'FAIL' || error?.code === 'cancelled') return null;
  if (completedAt === null || Date.parse(completedAt) < nowMs - FRESH_MS) return null;
  return [flowId, error?.ref ?? '', error?.code ?? ''].join(' ');
}

/**
 * When each cause was told last, with this one, if it may be told now; else null. What is an hour old is left out.
 *
 * @param last epoch ms by cause
 */
export function toldNow(
  last: Readonly<Record<string, number>>,
  cause: string,
  nowMs: number,
): Readonly<Record<string, number>> | null {
  const recent = Object.entries(last).filter(([, at]) => at > nowMs - HOUR_MS && at <= nowMs);
  if (recent.some(([each]) => each === cause)) return null;
  return Object.fromEntries([...recent, [cause, nowMs]]);
}
