/** `ok`: as the manual asks for. `warning`: works, and will hurt. `error`: something does not work, or may lose what it should keep. */
export type Severity = 'ok' | 'warning' | 'error';

export interface Finding {
  /** Stable, for scripts: `redis.aof`. */
  readonly check: string;
  readonly severity: Severity;
  /** One sentence without a secret. */
  readonly says: string;
  /** What to do; empty where all is well. */
  readonly advice: string;
}

export const ok = (check: string, says: string): Finding => ({ check, severity: 'ok', says, advice: '' });
export const warning = (check: string, says: string, advice: string): Finding => ({
  check,
  severity: 'warning',
  says,
  advice,
});
export const error = (check: string, says: string, advice: string): Finding => ({
  check,
  severity: 'error',
  says,
  advice,
});

const EXIT_CODES: Readonly<Record<Severity, number>> = { ok: 0, warning: 1, error: 2 };

/** Of several servers that were asked the same: for each check the worst finding, the first of equals. */
export function worstOf(all: readonly (readonly Finding[])[]): readonly Finding[] {
  const worst = new Map<string, Finding>();
  for (const finding of all.flat()) {
    const known = worst.get(finding.check);
    if (!known || EXIT_CODES[finding.severity] > EXIT_CODES[known.severity]) worst.set(finding.check, finding);
  }
  return [...worst.values()];
}

/** 0: all is well; 1: warnings; 2: errors. */
export function exitCodeOf(findings: readonly Finding[]): number {
  return Math.max(0, ...findings.map(({ severity }) => EXIT_CODES[severity]));
}
