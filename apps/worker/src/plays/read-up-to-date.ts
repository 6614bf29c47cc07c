import { isUpToDate, type Play, type PlayKey, type Session } from '@weft/engine';
import type { PlayRunDeps } from './play-run-deps.js';

const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 1_000;
/** About a minute. After that, what was acknowledged is not there any more. */
const MOST = 66;

/** Reads a play until the read shows what this session knows to be stored, or the session has ended: see `isUpToDate`. */
export async function readUpToDate(
  { source, pause }: Pick<PlayRunDeps, 'source' | 'pause'>,
  key: PlayKey,
  session: () => Session,
): Promise<Play | null> {
  for (let count = 0; ; count += 1) {
    const play = await source.reread(key);
    const { endReason } = session();
    if (count === MOST || endReason !== null || isUpToDate(session(), play)) return play;
    await pause(Math.min(FIRST_PAUSE_MS * 2 ** count, LONGEST_PAUSE_MS));
  }
}
