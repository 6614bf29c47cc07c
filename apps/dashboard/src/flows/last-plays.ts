import type { Play } from '../plays/play';

/** The newest play of each flow, among some plays. */
export function lastPlays(plays: Iterable<Play>): ReadonlyMap<string, Play> {
  const last = new Map<string, Play>();
  for (const play of plays) {
    // ids begin with the time at which they were made
    if (play.id > (last.get(play.flowId)?.id ?? '')) last.set(play.flowId, play);
  }
  return last;
}
