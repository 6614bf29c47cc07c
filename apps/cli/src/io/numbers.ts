import { clean } from './clean.js';
import { EXIT, Exit } from './exit.js';

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** A hundred years: what is added to a date stays one. */
const MOST_MS = 36_525 * 86_400_000;

/** `30s`, `5m`, `2h`, `1d`; a bare number is seconds. */
export function durationMs(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, number = '', unit = 's'] = /^(\d{1,9})(ms|s|m|h|d)?$/.exec(text) ?? [];
  const ms = number === '' ? NaN : Number(number) * (UNITS[unit] ?? NaN);
  if (!(ms <= MOST_MS)) throw new Exit(EXIT.usage, `"${clean(text)}" is not a duration.`, 'Write 30s, 5m, 2h or 1d.');
  return ms;
}

export function wholeNumber(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^-?\d{1,9}$/.test(text))
    throw new Exit(EXIT.usage, `${option} takes a whole number, and "${clean(text)}" is not one.`);
  return Number(text);
}
