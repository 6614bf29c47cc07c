/** Gives their results to layers that a filter or a branch before them ruled out, when their stage is reached. */
import type { LayerResult } from '../play.js';
import type { Session } from './session.js';
import { openPositions, without } from './stage.js';

/** Adds the results of such layers, up to the first stage that still has something to do. */
export function addSkippedResults(session: Session, at: Date): Session {
  if ((!session.filtersRest && session.skippedPositions.length === 0) || session.failure) return session;
  let settled = session;
  for (;;) {
    const open = openPositions(settled);
    const ruledOut = settled.filtersRest ? open : open.filter((one) => settled.skippedPositions.includes(one));
    if (ruledOut.length === 0) return settled;
    const state = settled.filtersRest ? 'FILTERED' : 'SKIP';
    settled = {
      ...settled,
      unstoredResults: [...settled.unstoredResults, ...ruledOut.map((one) => skippedResult(settled, one, state, at))],
      waits: ruledOut.reduce(without, settled.waits),
      tries: ruledOut.reduce(without, settled.tries),
    };
  }
}

function skippedResult(
  { plan, ownerId }: Session,
  position: number,
  state: 'SKIP' | 'FILTERED',
  at: Date,
): LayerResult {
  const { ref = '', name = '' } = plan[position] ?? {};
  return {
    ...{ position, ref, name, state, startedAt: at, completedAt: at },
    ...{ out: null, outBytes: 0, attempts: 0, by: ownerId },
  };
}
