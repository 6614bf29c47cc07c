import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isCronFault, nextSlots, readCronRule, type CronRule } from './cron-rule.js';
import { MISSED_SLOT_POLICIES } from '@weft/shapes';
import { dueSlots, decideFiring, type SlotPolicy } from './due-slots.js';

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;
const FROM = new Date('2026-05-04T10:01:00Z');

function rule(schedule: string): CronRule {
  const read = readCronRule(schedule, 'UTC', FROM);
  if (isCronFault(read)) throw new Error(read.message);
  return read;
}

function due(missed: SlotPolicy['missed'], now: string, windowMs = DAY_MS, schedule = '* * * * *'): string[] {
  return dueSlots(rule(schedule), FROM, new Date(now), { missed, windowMs }).map((slot) =>
    slot.toISOString().slice(11, 16),
  );
}

describe('dueSlots', () => {
  it.each([
    ['none', 0],
    ['last', 1],
    ['all', 60],
  ] as const)('gives of an hour of minutes that nobody fired, with "%s": %i', (missed, count) => {
    const slots = due(missed, '2026-05-04T11:00:30Z');
    expect(slots).toHaveLength(count);
    if (count > 0) expect(slots.at(-1)).toBe('11:00');
  });

  it('gives a slot that is some seconds late whatever the policy', () => {
    for (const missed of MISSED_SLOT_POLICIES) expect(due(missed, '2026-05-04T10:01:19Z', 0)).toEqual(['10:01']);
  });

  it('lets go what is older than the window, and a year of minutes but for the newest', () => {
    expect(due('all', '2026-05-04T11:00:30Z', 5 * MINUTE_MS)).toEqual(['10:56', '10:57', '10:58', '10:59', '11:00']);
    expect(due('last', '2026-05-04T11:30:00Z', 5 * MINUTE_MS, '0 11 * * *')).toEqual([]);
    expect(due('all', '2027-05-04T11:00:30Z', 365 * DAY_MS)).toHaveLength(1_500);
  });

  it('gives each slot once, however often and whenever schedulers look, also with a clock that goes back', () => {
    const looks = fc.array(fc.integer({ min: -90, max: 360 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(
        looks,
        fc.constantFrom(...MISSED_SLOT_POLICIES),
        fc.constantFrom('* * * * *', '*/7 * * * *'),
        (steps, missed, text) => {
          const cron = rule(text);
          let now = FROM.getTime();
          let next: Date | null = cron.next(new Date(now - 1));
          const fired: number[] = [];
          for (const step of steps) {
            now += step * 1_000;
            if (!next || next.getTime() > now) continue;
            const slots = dueSlots(cron, next, new Date(now), { missed, windowMs: DAY_MS });
            fired.push(...slots.map((slot) => slot.getTime()));
            next = cron.next(new Date(now));
          }
          expect(fired).toEqual([...new Set(fired)].sort((a, b) => a - b));
          if (missed === 'all' && next) {
            const all = nextSlots(cron, new Date(FROM.getTime() - 1), 80).filter((slot) => slot < (next ?? FROM));
            expect(fired).toEqual(all.map((slot) => slot.getTime()));
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('decideFiring', () => {
  it('decides by the policy only while an earlier run is open', () => {
    expect((['skip', 'queue', 'allow'] as const).map((overlap) => decideFiring(overlap, true))).toEqual([
      'skip',
      'wait',
      'run',
    ]);
    expect((['skip', 'queue', 'allow'] as const).map((overlap) => decideFiring(overlap, false))).toEqual([
      'run',
      'run',
      'run',
    ]);
  });
});
