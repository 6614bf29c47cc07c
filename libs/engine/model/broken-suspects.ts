/** Test only. Engines that treat plays of dead workers in a wrong way. */
import { broken, rewrite, type BrokenRule } from './broken-rule.js';
import { ENGINE } from './engine-under-test.js';
import type { PlayScript, Scenario } from './scenario.js';

const NEIGHBOURS: readonly PlayScript[] = [{ layers: 'e', poison: true }, { layers: 'ee' }, { layers: 'pe' }];
const alone: Scenario = { plays: NEIGHBOURS.slice(0, 1), workers: 1, slots: 1, reconcilers: 1, budget: { stop: 2 } };
const among = (budget: Scenario['budget']): Scenario => ({ ...alone, plays: NEIGHBOURS, slots: 3, budget });

export const BROKEN_SUSPECTS: readonly BrokenRule[] = [
  broken(
    'suspects run beside each other on their last chance',
    { mayRunInParallel: (inside, _crashes, most) => inside.length < most },
    among({}),
  ),
  broken(
    'a play that has crashed is charged for the death of a worker in which it waited for its claim',
    {
      startSession: (play, handOut, plan) => {
        const taken = ENGINE.startSession(play, handOut, plan);
        if ('drop' in taken || !taken.redelivered || taken.strict) return taken;
        return { ...taken, crashes: taken.crashes + 1 };
      },
    },
    among({ stop: 2 }),
  ),
  broken(
    'a hand-back forgets the death of who had the play before',
    {
      nextStep: (session, facts) => {
        const step = ENGINE.nextStep(session, facts);
        if (step.kind !== 'write' || step.purpose !== 'handBack') return step;
        return { kind: 'write', ...rewrite(step, { set: { ...step.write.set, crashes: session.crashes } }) };
      },
    },
    alone,
  ),
  broken(
    'a play that has crashed runs unclaimed after a hand-back',
    {
      startSession: (play, handOut, plan) => {
        const taken = ENGINE.startSession(play, handOut, plan);
        if ('drop' in taken) return taken;
        return { ...taken, mustClaim: play?.strict === true || handOut.redelivered || !handOut.isProofFresh };
      },
    },
    among({ stop: 2 }),
  ),
];
