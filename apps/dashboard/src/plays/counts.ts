import type { components } from '@weft/client';
import { isFinal, type PlayState } from '@weft/contracts';
import type { Play } from './play';
import { matches, type PlaysSearch } from './plays-search';

export type Counts = components['schemas']['PlayCounts'];

/** @param before the state that the play leaves; null when it was just accepted */
export function withMove(all: Counts, play: Play, before: PlayState | null, search: PlaysSearch): Counts {
  const counts = { ...all.counts };
  const wasThere = before !== null && matches(asItWas(play, before), search);
  if (wasThere) counts[before] = Math.max(0, counts[before] - 1);
  if (matches(play, search)) counts[play.state] += 1;
  return { ...all, counts };
}

/** What ends a play is in its row from then on only. */
function asItWas(play: Play, state: PlayState): Play {
  return isFinal(state) ? { ...play, state } : { ...play, state, completedAt: null, error: null };
}
