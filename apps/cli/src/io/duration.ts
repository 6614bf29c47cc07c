import { EXIT, Exit } from './exit.js';

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `30s`, `5m`, `2h`, `1d`; a bare number is seconds. */
export function durationMs(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, number = '', unit = 's'] = /^(\d{1,9})(ms|s|m|h|d)?$/.exec(text) ?? [];
  if (number === '') throw new Exit(EXIT.usage, `"${text}" is not a duration.`, 'Write 30s, 5m, 2h or 1d.');
  return Number(number) * (UNITS[unit] ?? 1);
}
