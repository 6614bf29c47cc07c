/** Plays that begin by a certain time or not at all (`Play.notAfter`): docs/protocol.md §6. A claim makes a play one that has begun. */
import type { PlayError } from '@weft/contracts';
import type { Play } from './play.js';
import { endWrite, type PlayWrite } from './play-write.js';

type Unbegun = Pick<Play, 'state' | 'epoch' | 'seq' | 'notAfter'>;

export function tooLateError(notAfter: Date): PlayError {
  return { code: 'too_late', message: `The play had not begun by ${notAfter.toISOString()} (notAfter).`, ref: null };
}

/**
 * The end as SKIP of a play that had to begin by now; null: it may begin, or has begun. It matches only while no worker has claimed
 * the play, so that either the claim or this end is stored.
 *
 * @param at MongoDB's clock
 */
export function tooLateWrite(play: Unbegun, at: Date): PlayWrite | null {
  if (!play.notAfter || at <= play.notAfter) return null;
  const end = endWrite(play, tooLateError(play.notAfter), at, 'SKIP');
  return { ...end, match: { ...end.match, owner: null } };
}
