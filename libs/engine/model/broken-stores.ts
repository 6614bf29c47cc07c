/** Test only. Stores that change what no write may: what a play was accepted with (docs/reliability.md I10), and results on record (I5). */
import type { LayerPlan } from '../src/layer-plan.js';
import { broken, one, type BrokenRule } from './broken-rule.js';
import { ENGINE } from './engine-under-test.js';

export const BROKEN_STORES: readonly BrokenRule[] = [
  broken(
    'a play goes over to a newer version of its flow',
    {
      applyWrite: (play, write, now) =>
        ENGINE.applyWrite(play, { ...write, set: { ...write.set, version: play.version + 1 } }, now),
    },
    one('ep', {}),
  ),
  broken(
    'a result on record is written over',
    {
      applyWrite: (play, write, now) => {
        const after = ENGINE.applyWrite(play, write, now);
        const [first, ...rest] = after?.layers ?? [];
        return after && first && write.layers.length > 0
          ? { ...after, layers: [{ ...first, out: 1 }, ...rest] }
          : after;
      },
    },
    one('ee', {}),
  ),
];

/** A worker that believes a new primary. */
export const BROKEN_READS: readonly BrokenRule[] = [
  broken(
    'a process reads from a new primary before a majority has answered it',
    { holdsReads: false },
    one('ee', { failover: 2 }),
  ),
];

/** An engine that sets things off as if that touched nothing. */
export const BROKEN_STARTS: readonly BrokenRule[] = [
  broken(
    'what is set off is set off before a finished effect is stored',
    { nextStep: (session, facts) => ENGINE.nextStep({ ...session, plan: session.plan.map(asPark) }, facts) },
    one('es', {}),
  ),
];

function asPark(plan: LayerPlan): LayerPlan {
  return plan.kind === 'start' ? { ...plan, kind: 'park' } : plan;
}
