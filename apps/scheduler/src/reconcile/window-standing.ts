import type { OpenPlay } from '@weft/engine';
import type { WindowView } from '@weft/queue';

/**
 * What the cache of its company's window says of a play without an owner. `rung`: it was rung for, or should have been.
 * `waits`: its turn has not come. `unknown`: the cache does not know it, because the cache was lost or rebuilt since.
 */
export type WindowStanding = 'rung' | 'waits' | 'unknown';

export function standingOf(play: OpenPlay, { cursor, waiting, from, rung }: WindowView): WindowStanding {
  // rung for individually, under an epoch of its own, outside the window
  if (play.state !== 'NEW' || play.epoch > 1 || rung.has(play._id)) return 'rung';
  if (play.priority !== 0 || play._id > cursor) return waiting > 0 ? 'waits' : 'unknown';
  return play._id < from ? 'unknown' : 'rung';
}
