import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runWorld } from './model/run.js';
import { COMMANDS, FAULTS, type Scenario } from './model/scenario.js';

const choices = fc.array(fc.nat(0xffffff), { minLength: 40, maxLength: 220, size: 'max' });

describe('the protocol in a world with every fault', () => {
  it('keeps every promise', () => {
    const some = (names: readonly string[]) =>
      fc.dictionary(fc.constantFrom(...names), fc.integer({ min: 1, max: 2 }), { maxKeys: 3 });
    const budget = fc.tuple(some(FAULTS), some(COMMANDS)).map(([faults, commands]) => ({ ...faults, ...commands }));
    const script = fc.record({
      layers: fc
        .array(fc.constantFrom(...'eeppocwtd'), { minLength: 1, maxLength: 4 })
        .map((letters) => letters.join('')),
      key: fc.constantFrom(undefined, undefined, 'k'),
      delayed: fc.constantFrom(false, false, true),
    });
    const scenario: fc.Arbitrary<Scenario> = fc.record({
      plays: fc.array(script, { minLength: 1, maxLength: 3 }),
      workers: fc.integer({ min: 1, max: 3 }),
      slots: fc.integer({ min: 1, max: 2 }),
      reconcilers: fc.integer({ min: 1, max: 2 }),
      budget,
    });
    fc.assert(
      fc.property(scenario, choices, (given, chosen) => {
        const { violation, trace } = runWorld(given, chosen);
        if (violation !== null) throw new Error([violation, ...trace.slice(0, 80)].join('\n'));
      }),
      { numRuns: 60_000 },
    );
    expect(true).toBe(true);
  }, 300_000);
});
