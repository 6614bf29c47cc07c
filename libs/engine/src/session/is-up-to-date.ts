import type { Play } from '../play.js';
import type { Session } from './session.js';

/**
 * Whether a read shows at least what the session knows to be stored. A new primary of MongoDB shows less than its predecessor has
 * acknowledged, until it has a majority of its own: a worker that believed it would give up a play whose claim comes back. A play
 * that has not ended is not deleted, so one that is missing is outdated, too.
 */
export function isUpToDate({ epoch, seq }: Session, play: Play | null): boolean {
  if (!play || play.epoch < epoch) return false;
  return play.epoch > epoch || play.seq >= seq;
}
