/**
 * Suspects: plays that may have killed a worker, and which of them may run in one process at the same time (protocol §7).
 * When a worker dies, every play that it ran is a suspect, and hardly any of them is the cause.
 */
import { CRASH_LIMIT } from '../times.js';
import type { Session } from './session.js';

type Record = Pick<Session, 'crashes' | 'redelivered' | 'strict' | 'claimed'>;

export function isSuspect({ crashes, redelivered }: Pick<Session, 'crashes' | 'redelivered'>): boolean {
  return redelivered || crashes > 0;
}

/**
 * Crashes of the play, with a death that is not on record yet: it was handed out before, may have run unclaimed, and whoever
 * had it died. A strict play, or one that has crashed before, cannot have run then: it waited for its claim.
 */
export function crashesOf({ crashes, redelivered, strict, claimed }: Record): number {
  return redelivered && !strict && !claimed && crashes === 0 ? 1 : crashes;
}

/**
 * Whether a suspect may start beside those that run in this process. One more death FAILs a play on its last chance, so it
 * runs beside no other suspect, which may be the cause. Others share: a death among them costs none of them its life.
 *
 * @param inside what `crashesOf` gave for those that run
 * @param most how many may share
 */
export function mayRunBeside(inside: readonly number[], crashes: number, most: number): boolean {
  if (inside.length === 0) return true;
  return [...inside, crashes].every(hasMoreChances) && inside.length < most;
}

function hasMoreChances(crashes: number): boolean {
  return crashes < CRASH_LIMIT - 1;
}
