/**
 * Suspects: plays that may have killed a worker, and which of them may run in one process at the same time (docs/protocol.md §7).
 * When a worker dies, every play that it ran is a suspect, and hardly any of them is the cause.
 */
import { CRASH_LIMIT } from '../times.js';
import type { Session } from './session.js';

type Record = Pick<Session, 'crashes' | 'redelivered' | 'strict' | 'isClaimed'>;

export function isSuspect({ crashes, redelivered }: Pick<Session, 'crashes' | 'redelivered'>): boolean {
  return redelivered || crashes > 0;
}

/**
 * The crashes of the play, including a death that is not stored yet: the play was handed out before, may have run unclaimed, and
 * that worker died. A strict play, or one that has crashed before, did not run then: it waited for its claim.
 */
export function crashesOf({ crashes, redelivered, strict, isClaimed }: Record): number {
  return redelivered && !strict && !isClaimed && crashes === 0 ? 1 : crashes;
}

/**
 * Whether a suspect may run in parallel with the suspects that already run in this process. A play on its last chance FAILs with
 * one more death, so it runs with no other suspect, which may be the cause. Other suspects may share a process.
 *
 * @param inside `crashesOf` of each suspect that runs
 * @param most how many may run in parallel
 */
export function mayRunInParallel(inside: readonly number[], crashes: number, most: number): boolean {
  if (inside.length === 0) return true;
  return [...inside, crashes].every(hasMoreChances) && inside.length < most;
}

function hasMoreChances(crashes: number): boolean {
  return crashes < CRASH_LIMIT - 1;
}
