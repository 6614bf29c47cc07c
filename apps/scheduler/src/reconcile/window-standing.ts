import type { OpenPlay } from '@weft/engine';
import type { WindowView } from '@weft/queue';

/**
 * What the cache of its company's window says of a play that nobody owns. `rung`: somebody was rung for it, or should have
 * been. `waits`: it is not its turn. `unknown`: the cache does not know it, because it was lost or begun anew since.
 */
export type WindowStanding = 'rung' | 'waits' | 'unknown';

export function standingOf(play: OpenPlay, { cursor, waiting, from, rung }: WindowView): WindowStanding {
  // rung for once under an epoch of its own, beside the window
  if (play.state !== 'NEW' || play.epoch > 1 || rung.has(play._id)) return 'rung';
  if (play.priority !== 0 || play._id > cursor) return waiting > 0 ? 'waits' : 'unknown';
  return play._id < from ? 'unknown' : 'rung';
}
