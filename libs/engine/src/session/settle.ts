/** Layers that are not to run get their results when their turn comes: what a filter or a branch before them decided. */
import type { LayerResult } from '../play.js';
import type { Session } from './session.js';
import { openPositions, without } from './stage.js';

/** Adds the results of such layers, up to the first stage in which something is left to do. */
export function settle(session: Session, at: Date): Session {
  if ((!session.filtersRest && session.skips.length === 0) || session.failure) return session;
  let settled = session;
  for (;;) {
    const open = openPositions(settled);
    const ruledOut = settled.filtersRest ? open : open.filter((one) => settled.skips.includes(one));
    if (ruledOut.length === 0) return settled;
    const state = settled.filtersRest ? 'FILTERED' : 'SKIP';
    settled = {
      ...settled,
      results: [...settled.results, ...ruledOut.map((one) => passedOver(settled, one, state, at))],
      waits: ruledOut.reduce(without, settled.waits),
      tries: ruledOut.reduce(without, settled.tries),
    };
  }
}

function passedOver({ plan, me }: Session, position: number, state: 'SKIP' | 'FILTERED', at: Date): LayerResult {
  const { ref = '', name = '' } = plan[position] ?? {};
  return {
    ...{ position, ref, name, state, startedAt: at, completedAt: at },
    ...{ out: null, outBytes: 0, attempts: 0, by: me },
  };
}
