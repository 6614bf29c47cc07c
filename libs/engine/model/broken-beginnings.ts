/** Test only. Rules of plays that begin by a certain time or not at all (`notAfter`), taken out: see `broken-rules.ts`. */
import { broken, one, rewrite, type BrokenRule } from './broken-rule.js';
import { ENGINE } from './engine-under-test.js';

export const BROKEN_BEGINNINGS: readonly BrokenRule[] = [
  broken(
    'a play that begins by a time or not at all runs unclaimed',
    {
      startSession: (play, handOut, plan) => {
        const taken = ENGINE.startSession(play, handOut, plan);
        return 'drop' in taken ? taken : { ...taken, mustClaim: false };
      },
    },
    { ...one('e', {}), plays: [{ layers: 'e', notAfterMs: 50 }] },
  ),
  broken(
    'a claim leaves the time by which the play had to begin',
    {
      nextStep: (session, facts) => {
        const step = ENGINE.nextStep(session, facts);
        return step.kind === 'write' && step.purpose === 'claim'
          ? { ...step, ...rewrite(step, { unset: ['strict'] }) }
          : step;
      },
    },
    { ...one('ee', { crash: 1 }), plays: [{ layers: 'ee', notAfterMs: 50 }] },
  ),
  broken(
    'a claim is stored after the time by which the play had to begin',
    {
      nextStep: (session, facts) => ENGINE.nextStep({ ...session, notAfter: null }, facts),
    },
    { ...one('e', {}), plays: [{ layers: 'e', notAfterMs: 50 }] },
  ),
];
