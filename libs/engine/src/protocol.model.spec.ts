import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BROKEN_BEGINNINGS } from '../model/broken-beginnings.js';
import { BROKEN_CHILDREN } from '../model/broken-children.js';
import { BROKEN_CLOCKS } from '../model/broken-clocks.js';
import { BROKEN_RULES } from '../model/broken-rules.js';
import { BROKEN_READS, BROKEN_STARTS, BROKEN_STORES } from '../model/broken-stores.js';
import { BROKEN_STEPS } from '../model/broken-steps.js';
import { BROKEN_SUSPECTS } from '../model/broken-suspects.js';
import { BROKEN_TURNS } from '../model/broken-turns.js';
import { runWorld } from '../model/run.js';
import { COMMANDS, FAULTS, type PlayScript, type Scenario } from '../model/scenario.js';
import type { World } from '../model/world.js';

/** Runs of the world. `npm run test:faults` makes three times as many as each day. */
const RUNS = process.env.WEFT_EVERY === undefined ? 1_000 : 3_000;
/** Some ten times what a run needs, for machines that are busy with other things. */
const TIMEOUT_MS = 60_000;

const choices = fc.array(fc.nat(0xffffff), { minLength: 40, maxLength: 220, size: 'max' });

const some = (names: readonly string[]) =>
  fc.dictionary(fc.constantFrom(...names), fc.integer({ min: 1, max: 2 }), { maxKeys: 3 });

const script: fc.Arbitrary<PlayScript> = fc.record({
  layers: fc
    .array(fc.constantFrom(...('eeppocwtdrlqnfbsa' + 'EEPCRWDTSA')), { minLength: 1, maxLength: 4 })
    .map((letters) => letters.join('')),
  key: fc.constantFrom(undefined, undefined, 'k'),
  delayed: fc.constantFrom(false, false, true),
  timeoutMs: fc.constantFrom(undefined, undefined, undefined, 4_000),
  notAfterMs: fc.constantFrom(undefined, undefined, undefined, 60, 3_000),
  lane: fc.constantFrom(undefined, undefined, undefined, 'l'),
  limited: fc.constantFrom(false, false, false, true),
});

const anything: fc.Arbitrary<Scenario> = fc.record({
  plays: fc.array(script, { minLength: 1, maxLength: 3 }),
  workers: fc.integer({ min: 1, max: 3 }),
  slots: fc.integer({ min: 1, max: 2 }),
  reconcilers: fc.integer({ min: 1, max: 2 }),
  budget: fc.tuple(some(FAULTS), some(COMMANDS)).map(([faults, commands]) => ({ ...faults, ...commands })),
});

const poisoned: fc.Arbitrary<Scenario> = fc
  .constantFrom<Pick<Scenario, 'plays'> & { readonly stops: number }>(
    { plays: [{ layers: 'e', poison: true }, { layers: 'ee' }, { layers: 'pe' }], stops: 2 },
    // a hand-back stores the result of the pure layer: the layer that kills begins anew, and nothing is promised of the neighbours
    { plays: [{ layers: 'pe', poison: true }, { layers: 'epe' }, { layers: 'ee' }], stops: 0 },
  )
  .chain(({ plays, stops }) =>
    fc.record({
      plays: fc.constant(plays),
      workers: fc.integer({ min: 1, max: 2 }),
      slots: fc.constant(3),
      reconcilers: fc.integer({ min: 1, max: 2 }),
      budget: fc.record({ wipe: fc.nat(1), stop: fc.nat(stops) }),
    }),
  );

/** Runs the real engine. Reports a failure with the steps that led to it. */
function keepsItsPromises(given: Scenario, chosen: readonly number[]): World {
  const { violation, trace, world } = runWorld(given, chosen);
  if (violation !== null) throw new Error([violation, ...trace.slice(0, 120)].join('\n'));
  return world;
}

describe('the engine in a world with every fault and every command', () => {
  it(
    'keeps every promise of the protocol',
    () => {
      fc.assert(
        fc.property(anything, choices, (given, chosen) => void keepsItsPromises(given, chosen)),
        { numRuns: RUNS },
      );
    },
    TIMEOUT_MS,
  );

  it(
    'FAILs a poison play after three deaths, and none of its neighbours',
    () => {
      const property = fc.property(poisoned, choices, (given, chosen) => {
        const { plays } = keepsItsPromises(given, chosen).table;
        expect(plays.map((play) => play?.state)).toEqual(['FAIL', 'DONE', 'DONE']);
        expect(plays[0]?.error?.code).toBe('crashed_repeatedly');
      });
      fc.assert(property, { numRuns: RUNS / 5 });
    },
    TIMEOUT_MS,
  );
});

describe('the same world, with one rule taken out', () => {
  it.each([
    ...BROKEN_RULES,
    ...BROKEN_SUSPECTS,
    ...BROKEN_STORES,
    ...BROKEN_STARTS,
    ...BROKEN_READS,
    ...BROKEN_CLOCKS,
    ...BROKEN_TURNS,
    ...BROKEN_BEGINNINGS,
    ...BROKEN_CHILDREN,
    ...BROKEN_STEPS,
  ])(
    'sees that $rule',
    ({ engine, scenario }) => {
      const property = fc.property(choices, (chosen) => runWorld(scenario, chosen, engine).violation === null);
      const { failed } = fc.check(property, { numRuns: 4_000, seed: 2, endOnFailure: true });
      expect(failed).toBe(true);
    },
    TIMEOUT_MS,
  );
});
