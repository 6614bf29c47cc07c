import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isCronFault, nextSlots, readCronRule, parseDurationMs, type CronRule } from './cron-rule.js';

const NOW = new Date('2026-01-01T00:00:00Z');
const MINUTE_MS = 60_000;

/** Nights on which clocks change: from 12 hours before to 12 hours after. */
const CHANGES = [
  ['Europe/Berlin', '2026-03-29T01:00:00Z'],
  ['Europe/Berlin', '2026-10-25T01:00:00Z'],
  ['America/New_York', '2026-03-08T07:00:00Z'],
  ['America/New_York', '2026-11-01T06:00:00Z'],
  ['Australia/Lord_Howe', '2026-10-03T15:30:00Z'],
  ['Australia/Lord_Howe', '2026-04-04T15:00:00Z'],
] as const;

function rule(schedule: string, timezone = 'UTC'): CronRule {
  const read = readCronRule(schedule, timezone, NOW);
  if (isCronFault(read)) throw new Error(read.message);
  return read;
}

function messageOf(schedule: string, timezone = 'UTC'): string {
  const read = readCronRule(schedule, timezone, NOW);
  return isCronFault(read) ? `${read.field}: ${read.message}` : 'accepted';
}

function slots(schedule: string, timezone: string, from: string, count: number): string[] {
  return nextSlots(rule(schedule, timezone), new Date(from), count).map((slot) => slot.toISOString().slice(5, 16));
}

const hours = fc.constantFrom('*', '0', '1', '2', '3', '1-3', '*/2', '2,3');
const minutes = fc.constantFrom('*', '0', '15', '30', '45', '*/15', '*/20', '5,55');
const schedules = fc.tuple(minutes, hours).map(([minute, hour]) => `${minute} ${hour} * * *`);
const nights = fc.tuple(
  fc.constantFrom(...CHANGES),
  fc.integer({ min: -720, max: 720 }),
  fc.integer({ min: 0, max: 59 }),
);

describe('a schedule', () => {
  it('gives the same slots from wherever one begins to ask, around each change of the clock', () => {
    fc.assert(
      fc.property(schedules, nights, (schedule, [[zone, change], offset, second]) => {
        const cron = rule(schedule, zone);
        const at = new Date(Date.parse(change) + offset * MINUTE_MS + second * 1_000);
        const next = cron.next(at);
        const before = cron.latest(1, at)[0];
        expect(next && next > at).toBe(true);
        expect(before && before <= at).toBe(true);
        // nothing lies between the two, and each is the other's neighbour
        expect(before && cron.next(before)).toEqual(next);
        expect(next && cron.latest(1, new Date(next.getTime() - 1))[0]).toEqual(before);
        expect(next && cron.latest(1, next)[0]).toEqual(next);
      }),
      { numRuns: 200 },
    );
  });

  it('meets each minute of the day on which the clocks change, once', () => {
    for (const [zone, change] of CHANGES) {
      const from = Date.parse(change) - 120 * MINUTE_MS;
      const found = nextSlots(rule('* * * * *', zone), new Date(from), 180).map((slot) => slot.getTime());
      expect(found).toEqual(Array.from({ length: 180 }, (_each, i) => from + (i + 1) * MINUTE_MS));
    }
  });

  it.each([
    ['Europe/Berlin', '2026-03-28T12:00:00Z', ['03-29T01:00', '03-30T00:30']],
    ['America/New_York', '2026-03-07T12:00:00Z', ['03-08T07:00', '03-09T06:30']],
    ['Australia/Lord_Howe', '2026-10-03T12:00:00Z', ['10-03T15:30', '10-04T15:15']],
  ])('whose hour does not exist falls on the moment of the change: %s', (zone, from, expected) => {
    expect(slots(zone === 'Australia/Lord_Howe' ? '15 2 * * *' : '30 2 * * *', zone, from, 2)).toEqual(expected);
  });

  it.each([
    ['Europe/Berlin', '30 2 * * *', '2026-10-24T12:00:00Z', ['10-25T00:30', '10-26T01:30']],
    ['America/New_York', '30 1 * * *', '2026-10-31T12:00:00Z', ['11-01T05:30', '11-02T06:30']],
    ['Australia/Lord_Howe', '45 1 * * *', '2026-04-04T12:00:00Z', ['04-04T14:45', '04-05T15:15']],
  ])('whose hour comes twice is met once, the first time: %s', (zone, schedule, from, expected) => {
    expect(slots(schedule, zone, from, 2)).toEqual(expected);
  });

  it.each([
    ['30 * * * *', ['10-25T00:30', '10-25T01:30', '10-25T02:30']],
    ['30 2,3 * * *', ['10-25T00:30', '10-25T01:30', '10-25T02:30']],
    ['*/30 2 * * *', ['10-25T00:00', '10-25T00:30', '10-25T01:00']],
  ])('of several times is met in both of the hours that have one name: %s', (schedule, expected) => {
    expect(slots(schedule, 'Europe/Berlin', '2026-10-24T23:45:00Z', 3)).toEqual(expected);
  });

  it('of 29 February comes in leap years', () => {
    expect(nextSlots(rule('0 0 29 2 *'), NOW, 2).map((slot) => slot.toISOString().slice(0, 10))).toEqual([
      '2028-02-29',
      '2032-02-29',
    ]);
  });

  it.each([
    ['0 0 30 2 *', 'UTC', 'schedule: "0 0 30 2 *" never comes: no such day is in the calendar.'],
    ['61 * * * *', 'UTC', 'schedule: The schedule cannot be read: Invalid value for minute: 61.'],
    ['* * *', 'UTC', 'has 3'],
    ['a ! * * *', 'UTC', '"!" in "a ! * * *" is not a cron field.'],
    ['* * * * *', 'Mars/Olympus', 'timezone: "Mars/Olympus" is no time zone'],
    ['* * * * *', '+02:00', 'timezone: "+02:00" is no time zone'],
    ['', 'UTC', 'has 0'],
  ])('is refused with what is wrong: %s in %s', (schedule, zone, message) => {
    expect(messageOf(schedule, zone)).toContain(message);
  });

  it('with seconds or a nickname is refused with the five slots of what was meant', () => {
    const next = 'would come at 2026-01-01T02:30Z, 2026-01-02T02:30Z, 2026-01-03T02:30Z, 2026-01-04T02:30Z';
    expect(messageOf('0 30 2 * * *')).toContain(`"30 2 * * *" ${next}`);
    expect(messageOf('@daily')).toContain('"0 0 * * *" would come at 2026-01-02T00:00Z');
  });

  it('keeps its missed slots for a time that is written as in the contract', () => {
    expect(['0', '15m', '1d', '2y', '', '0d', '1h', '-1d', '1.5d', '9999999d'].map(parseDurationMs)).toEqual([
      0,
      900_000,
      86_400_000,
      63_072_000_000,
      ...Array.from({ length: 6 }, () => null),
    ]);
  });
});
