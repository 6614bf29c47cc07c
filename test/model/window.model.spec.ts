import { describe, expect, it } from 'vitest';
import { explore } from './explore.js';
import { windowModel } from './window-model.js';
import { WINDOW_RULES, type WindowCase, type WindowRule } from './window-state.js';

/** How many states of each case are visited, nearest first: in `npm run test:faults` four times as many as each day. `MODEL_STATES=600000` takes minutes a case. */
const MOST = Number(process.env.MODEL_STATES ?? (process.env.WEFT_EVERY === undefined ? 5_000 : 20_000));
/** What goes wrong without a rule may be further away than what is visited of every case. */
const MOST_WITHOUT = Math.max(MOST, 100_000);
const TIMEOUT_MS = 60_000;

const CASES: Readonly<Record<string, WindowCase>> = {
  'two crashes': { plays: 2, window: 1, workers: 1, crashes: 2 },
  'a loss of all data in Redis': { plays: 2, window: 1, workers: 1, wipes: 1 },
  'a loss of all data in Redis with a backlog': { plays: 4, window: 1, workers: 1, wipes: 1 },
  'a crash and a loss of all data in Redis': { plays: 2, window: 1, workers: 1, crashes: 1, wipes: 1 },
  'room for several': { plays: 4, window: 2, workers: 1 },
  'three priorities': { plays: 3, window: 1, workers: 1, priorities: [0, -1, 1] },
  'due plays beside a new one': { plays: 3, window: 1, workers: 1, due: [0, 2] },
  'due plays and a crash': { plays: 2, window: 1, workers: 1, due: [0, 1], crashes: 1 },
  'a due play and a loss of all data in Redis': { plays: 2, window: 1, workers: 1, due: [0], wipes: 1 },
};

/** For each rule a case that goes wrong without it. The rules that are not here are named in the README. */
const NEEDED: readonly (readonly [WindowRule, keyof typeof CASES])[] = [
  ['keeperSeesAll', 'two crashes'],
  ['lostWaits', 'two crashes'],
  ['refillsMarked', 'room for several'],
  ['markFirst', 'two crashes'],
  ['markDecides', 'a loss of all data in Redis'],
  ['placesCounted', 'room for several'],
  ['dueTakesPlace', 'due plays and a crash'],
  ['dueFound', 'due plays and a crash'],
  // tens of thousands of states away: they say of the model that it would show it, and `npm run test:faults` runs when that changes
  ...(process.env.WEFT_EVERY === undefined
    ? []
    : ([
        ['lostIsFound', 'two crashes'],
        ['repairs', 'two crashes'],
        ['takesUpMembers', 'two crashes'],
      ] as const)),
];

describe('the admission window', () => {
  it.each(Object.entries(CASES))(
    'never holds more plays than its size, and every play can end: %s',
    (_name, given) => {
      const finding = explore(windowModel(given), MOST);
      expect(finding, JSON.stringify(finding)).not.toHaveProperty('trace');
    },
    TIMEOUT_MS,
  );
});

describe('the admission window without one of its rules', () => {
  it.each(NEEDED.map(([rule, name]) => ({ rule, name, says: WINDOW_RULES[rule] })))(
    'goes wrong unless $says',
    ({ rule, name }) => {
      const finding = explore(windowModel(CASES[name] as WindowCase, rule), MOST_WITHOUT);
      expect(['violated', 'stuck']).toContain(finding.kind);
    },
    TIMEOUT_MS,
  );
});
