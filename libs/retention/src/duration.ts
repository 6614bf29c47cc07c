/** Durations of retention policies: an integer and its unit, or `0` (docs/retention.md). */
const UNIT_MS = { m: 60_000, d: 86_400_000, y: 365 * 86_400_000 } as const;
const DURATION = /^(?:0|([1-9]\d{0,8})([mdy]))$/;
const LONGEST_YEARS = 100;

/** The format of a duration, for messages. */
export const DURATION_SAYS = `an integer and m, d or y, up to ${LONGEST_YEARS}y, or 0 for none`;

/** Milliseconds of `2m`, `30d`, `6y` or `0`; null for anything else. A year has 365 days. */
export function durationMs(text: string): number | null {
  const parts = DURATION.exec(text);
  if (!parts) return null;
  const [, count, unit] = parts;
  const ms = count === undefined ? 0 : Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
  return ms <= LONGEST_YEARS * UNIT_MS.y ? ms : null;
}

/** For a duration that was checked before it was stored. */
export function knownDurationMs(text: string): number {
  const ms = durationMs(text);
  if (ms === null) throw new TypeError(`"${text}" is no duration`);
  return ms;
}

export function longer(one: string, other: string): string {
  return knownDurationMs(other) > knownDurationMs(one) ? other : one;
}
