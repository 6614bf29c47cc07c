import { describe, expect, it } from 'vitest';
import { EVENT_RULES, eventsModel, type EventCase, type EventRule } from './events-model.js';
import { explore } from './explore.js';

const CASES: Readonly<Record<string, EventCase>> = {
  'one play': { plays: 1, crashes: 0 },
  'one play and two crashes': { plays: 1, crashes: 2 },
  'two plays': { plays: 2, crashes: 0 },
  'two plays and two crashes': { plays: 2, crashes: 2 },
  // half of the states of all: `npm run test:faults` visits them
  ...(process.env.WEFT_EVERY !== undefined && { 'three plays': { plays: 3, crashes: 0 } }),
};
/** For each rule a case that goes wrong without it. */
const NEEDED: readonly (readonly [EventRule, keyof typeof CASES])[] = [
  ['together', 'one play and two crashes'],
  ['asksForOpen', 'two plays'],
  ['repairs', 'one play and two crashes'],
  ['repeats', 'two plays and two crashes'],
];
/** What these miss, the scheduler finds: they are needed for an event to arrive at once. */
const AT_ONCE: readonly EventRule[] = ['keepsFirst', 'looksAfter'];
const MOST = 200_000;

describe('a kept event', () => {
  it.each(Object.entries(CASES))('goes to one play that waits, and no play waits beside it: %s', (_name, given) => {
    expect(explore(eventsModel(given), MOST)).toMatchObject({ kind: 'holds' });
  });

  it.each(NEEDED.map(([rule, name]) => ({ rule, name, says: EVENT_RULES[rule] })))(
    'goes wrong unless $says',
    ({ rule, name }) => {
      const finding = explore(eventsModel(CASES[name] as EventCase, rule), MOST);
      expect(['violated', 'stuck']).toContain(finding.kind);
    },
  );

  it.each(AT_ONCE.map((rule) => ({ rule, says: EVENT_RULES[rule] })))(
    'waits for the scheduler unless $says',
    ({ rule }) => {
      const given = CASES['two plays'] as EventCase;
      expect(explore(eventsModel(given, 'repairs'), MOST)).toMatchObject({ kind: 'holds' });
      expect(explore(eventsModel(given, 'repairs', rule), MOST)).toMatchObject({ kind: 'stuck' });
    },
  );
});
