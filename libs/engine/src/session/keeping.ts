/** Stores what a loop, or a layer that works in steps, has done while it runs: docs/protocol.md §4 "Kept items", "Steps". */
import type { DoneItems } from '../play.js';
import { hasLogRoom, hasLogRoomForPlays } from '../play-log.js';
import type { Session } from './session.js';
import { without } from './stage.js';
import { openDoneItems, type SessionWrite, type StoredStep } from './write-fields.js';
import { boundaryWrite, lazyClaimWrite } from './writes.js';

/**
 * The write after which the next worker, or a retry, does not repeat these items; null: the play cannot store them now.
 *
 * @param step of a layer whose next step begins only after this write, so that it does not wait for a claim
 */
export function decideKeeping(
  session: Session,
  position: number,
  items: DoneItems,
  at: Date,
  step: StoredStep | null = null,
): SessionWrite | null {
  const { endReason, isClaimed, state, failure, runningCalls, waits } = session;
  const hasRoom = waits[position]?.kind === 'children' ? hasLogRoomForPlays(session) : hasLogRoom(session);
  if (endReason !== null || state === 'ON_HOLD' || failure || !hasRoom) return null;
  if (!runningCalls.some((call) => call.position === position)) return null;
  const kept = { ...session, doneItems: withDoneItems(session, position, items) };
  const replaced = session.doneItems[position];
  if (!step) return isClaimed ? { ...boundaryWrite(kept, at), replaced } : null;
  // what the step waited for, and its failed calls, are over
  const settled = { ...kept, waits: without(session.waits, position), tries: without(session.tries, position) };
  const write = isClaimed ? boundaryWrite(settled, at, [], null, step) : lazyClaimWrite(settled, at, step);
  return { ...write, replaced };
}

/** What the loops of the play without a result have done, with what this one has. */
export function withDoneItems(session: Session, position: number, items: DoneItems): Session['doneItems'] {
  return { ...openDoneItems(session), [position]: items };
}
