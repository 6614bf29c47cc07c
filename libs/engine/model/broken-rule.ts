/** Test only. What a broken rule is: an engine with one rule of the protocol taken out, and a scenario in which that shows. */
import type { PlayWrite } from '../src/play-write.js';
import type { SessionWrite } from '../src/session/write-fields.js';
import { ENGINE, type Engine } from './engine-under-test.js';
import type { Scenario } from './scenario.js';

export interface BrokenRule {
  readonly rule: string;
  readonly engine: Engine;
  readonly scenario: Scenario;
}

export const one = (layers: string, budget: Scenario['budget'], more: Partial<Scenario> = {}): Scenario => ({
  plays: [{ layers }],
  workers: 2,
  slots: 1,
  reconcilers: 2,
  budget,
  ...more,
});

export const broken = (rule: string, change: Partial<Engine>, scenario: Scenario): BrokenRule => ({
  rule,
  engine: { ...ENGINE, ...change },
  scenario,
});

export function rewrite(sent: SessionWrite, change: Partial<PlayWrite>): SessionWrite {
  return { ...sent, write: { ...sent.write, ...change } };
}
