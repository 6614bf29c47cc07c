import { error, ok, warning, type Finding } from './finding.js';

export interface ClockReading {
  /** By how much the other clock is ahead of this machine's. */
  readonly aheadMs: number;
  /** Half of the time that the answer took. */
  readonly uncertainMs: number;
}

const NOTABLE_MS = 1_000;
/** Credentials and signatures with times are refused. */
const WRONG_MS = 30_000;

export function clockFinding(check: string, whose: string, { aheadMs, uncertainMs }: ClockReading): Finding {
  const apart = Math.max(0, Math.abs(aheadMs) - uncertainMs);
  const seconds = (Math.abs(aheadMs) / 1_000).toFixed(1);
  const says = `The clock of ${whose} is ${seconds} s ${aheadMs < 0 ? 'behind' : 'ahead of'} this machine's.`;
  const advice = 'Let all machines follow the same time server (NTP).';
  if (apart > WRONG_MS) return error(check, says, advice);
  return apart > NOTABLE_MS
    ? warning(check, says, advice)
    : ok(check, `The clock of ${whose} agrees with this machine's.`);
}
