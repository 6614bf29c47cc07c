import { isCronFault, readCronRule } from '@weft/engine';
import { describe, expect, it } from 'vitest';
import { KnownRules } from './known-rules.js';

const NOW = new Date('2026-03-28T12:00:30Z');

describe('a rule that is known', () => {
  it.each([
    ['*/7 * * * *', 'UTC'],
    ['30 2 * * *', 'Europe/Berlin'],
    ['30 2 * * *', 'America/New_York'],
  ])('answers as the rule itself, whatever was asked before: %s in %s', (schedule, timezone) => {
    const rules = new KnownRules();
    const plain = readCronRule(schedule, timezone, NOW);
    if (isCronFault(plain)) throw new Error(plain.message);
    for (const hours of [0, 0, 24, 1, 24, 0]) {
      const at = new Date(NOW.getTime() + hours * 3_600_000);
      const rule = rules.read(schedule, timezone, at);
      if (isCronFault(rule)) throw new Error(rule.message);
      expect(rule.next(at)).toEqual(plain.next(at));
      expect(rule.latest(1, at)).toEqual(plain.latest(1, at));
      expect(rule.latest(3, at)).toEqual(plain.latest(3, at));
    }
  });

  it('is a fault each time when it is one', () => {
    const rules = new KnownRules();
    const read = () => rules.read('0 0 31 2 *', 'UTC', NOW);
    expect([read(), read()]).toMatchObject([{ field: 'schedule' }, { field: 'schedule' }]);
  });
});
