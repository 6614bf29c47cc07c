import { expect, it } from 'vitest';
import { missedOf, missedWords, slotText } from './words';

it('missed slots are made up for as the schedule says', () => {
  expect(missedWords({ missed: 'none', missed_window: '1d' })).toBe('missed slots are dropped');
  expect(missedWords({ missed: 'all', missed_window: '0' })).toBe('missed slots are dropped');
  expect(missedWords({ missed: 'last', missed_window: '12m' })).toContain('the latest missed slot');
});

it('a slot is shown in the zone of its schedule', () => {
  const [berlin, utc] = ['Europe/Berlin', 'UTC'].map((zone) => slotText('2026-01-05T23:30:00.000Z', zone));
  expect([berlin, utc].map((text) => /\d+:30/.exec(text ?? '')?.[0])).toEqual(
    expect.arrayContaining([expect.stringMatching(/^(00|12):30$/), expect.stringMatching(/^(23|11):30$/)]),
  );
});

it('an entry of the audit log says how many slots were missed, and when', () => {
  const missed = { count: 2, first: '2026-01-05T06:00:00.000Z', last: '2026-01-06T06:00:00.000Z' };
  expect(missedOf({ missed: { before: null, after: missed } })).toEqual(missed);
  expect([{}, { missed: null }, { missed: { after: { count: '2' } } }].map(missedOf)).toEqual([null, null, null]);
});
