/**
 * When a schedule fires: five cron fields in a time zone. The same parser refuses what cannot be, shows the next slots and
 * fires. Pure: every answer follows from the time that is given.
 *
 * Days on which clocks change: a slot in the hour that does not exist falls on the moment of the change. In the hour that comes
 * twice a schedule that names one minute and one hour is met once, the first time, and any other in both.
 */
import { Cron } from 'croner';

/** What is wrong with a schedule. */
export interface CronFault {
  readonly field: 'schedule' | 'timezone';
  readonly message: string;
}

export interface CronRule {
  /** The first slot after that time. */
  next(after: Date): Date | null;
  /** The newest slots up to and at that time, oldest first. */
  latest(count: number, until: Date): Date[];
}

const NICKNAMES: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};
const FIELDS = 'minute, hour, day of month, month, day of week';
const LETTERS = /^[\dA-Za-z*,/#-]+$/;
const ZONE = /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/;
const MINUTE_MS = 60_000;

/** @param now when the question is asked: a rule without any slot after it is refused */
export function readCronRule(schedule: string, timezone: string, now: Date): CronRule | CronFault {
  if (!isZone(timezone)) {
    const message = `"${timezone}" is no time zone: give an IANA name such as Europe/Berlin or UTC.`;
    return { field: 'timezone', message };
  }
  const shape = shapeFault(schedule.trim(), timezone, now);
  if (shape) return { field: 'schedule', message: shape };
  const cron = parse(schedule, timezone);
  if (cron instanceof Error) return { field: 'schedule', message: faultMessage(cron) };
  if (!cron.nextRun(now)) {
    return { field: 'schedule', message: `"${schedule}" never comes: no such day is in the calendar.` };
  }
  return {
    next: (after) => cron.nextRun(after),
    // slots are at whole seconds: those before the next one are those up to `until`
    latest: (count, until) =>
      cron.previousRuns(count, new Date(Math.floor(until.getTime() / 1_000) * 1_000 + 1_000)).reverse(),
  };
}

export function isCronFault(read: CronRule | CronFault): read is CronFault {
  return 'field' in read;
}

/** The next slots, as many as there are. */
export function nextSlots(rule: CronRule, after: Date, count: number): Date[] {
  const slots: Date[] = [];
  let slot = rule.next(after);
  while (slot && slots.length < count) {
    slots.push(slot);
    slot = rule.next(slot);
  }
  return slots;
}

function isZone(name: string): boolean {
  if (!ZONE.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

function shapeFault(schedule: string, timezone: string, now: Date): string | null {
  const nickname = NICKNAMES[schedule.toLowerCase()];
  if (nickname) return `"${schedule}" is no five fields. ${wouldBe(nickname, timezone, now)}`;
  const fields = schedule.split(/\s+/).filter((each) => each !== '');
  if (fields.length !== 5) {
    const shorter = fields.length === 6 ? ` Without seconds: ${wouldBe(fields.slice(1).join(' '), timezone, now)}` : '';
    return `A schedule has five fields (${FIELDS}), "${schedule}" has ${fields.length}.${shorter}`;
  }
  const odd = fields.find((each) => !LETTERS.test(each));
  return odd === undefined ? null : `"${odd}" in "${schedule}" is not a cron field.`;
}

function wouldBe(schedule: string, timezone: string, now: Date): string {
  const read = readCronRule(schedule, timezone, now);
  if (isCronFault(read)) return read.message;
  const next = nextSlots(read, now, 5).map((slot) => slot.toISOString().slice(0, 16) + 'Z');
  return `"${schedule}" would come at ${next.join(', ')}.`;
}

function parse(schedule: string, timezone: string): Cron | Error {
  try {
    return new Cron(schedule.trim(), { timezone, mode: '5-part' });
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function faultMessage({ message }: Error): string {
  return `The schedule cannot be read: ${message.replace(/^\w+: /, '').replace(/\.$/, '')}. Its fields: ${FIELDS}.`;
}

/** Milliseconds of a duration in the contract's words, `15m`, `1d`, `1y` or `0`; null when the text is not a duration. */
export function parseDurationMs(text: string): number | null {
  const [, count, unit = ''] = /^(?:0|([1-9]\d{0,5})([mdy]))$/.exec(text) ?? [];
  if (text === '0') return 0;
  const unitMs = { m: MINUTE_MS, d: 1_440 * MINUTE_MS, y: 365 * 1_440 * MINUTE_MS }[unit];
  return count === undefined || unitMs === undefined ? null : Number(count) * unitMs;
}
