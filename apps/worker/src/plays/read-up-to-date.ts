import type { Play, PlayKey, Session } from '@weft/engine';
import type { PlayRunDeps } from './play-run-deps.js';

const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 1_000;
/** About a minute. After that, what was acknowledged is not there any more. */
const MOST = 66;

/**
 * Reads a play until the read shows what this session knows to be stored, or the session has ended. A new primary of MongoDB shows
 * less than its predecessor has acknowledged, until it has a majority of its own: a worker that believed it would give up plays
 * whose claim comes back. A play that has not ended is not deleted, so one that is missing is outdated, too.
 */
export async function readUpToDate(
  { source, pause }: Pick<PlayRunDeps, 'source' | 'pause'>,
  key: PlayKey,
  session: () => Session,
): Promise<Play | null> {
  for (let count = 0; ; count += 1) {
    const play = await source.reread(key);
    const { endReason } = session();
    if (count === MOST || endReason !== null || isUpToDate(play, session())) return play;
    await pause(Math.min(FIRST_PAUSE_MS * 2 ** count, LONGEST_PAUSE_MS));
  }
}

function isUpToDate(play: Play | null, { epoch, seq }: Session): boolean {
  if (!play || play.epoch < epoch) return false;
  return play.epoch > epoch || play.seq >= seq;
}
