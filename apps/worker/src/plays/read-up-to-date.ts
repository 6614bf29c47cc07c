import { isUpToDate, type Play, type PlayKey, type Session } from '@weft/engine';
import type { PlayRoom } from './play-room.js';
import type { PlayRunDeps } from './play-run-deps.js';

/** The primary may change between the two; not again and again. */
const MOST = 3;

/** Reads a play so that the read shows what this session knows to be stored: see `isUpToDate`. */
export async function readUpToDate(
  source: PlayRunDeps['source'],
  key: PlayKey,
  room: PlayRoom,
  session: () => Session,
): Promise<Play | null> {
  for (let count = 0; ; count += 1) {
    const play = await source.reread(key, room.grow);
    if (count === MOST || session().endReason !== null || isUpToDate(session(), play)) return play;
    // a play that is missing after that is deleted
    if (count > 0 && !play) return play;
    await source.catchUp();
  }
}
