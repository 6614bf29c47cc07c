/** Stores what a loop has done while it runs: docs/protocol.md §4 "Kept items". */
import type { DoneItems } from '../play.js';
import { hasLogRoom, hasLogRoomForPlays } from '../play-log.js';
import type { Session } from './session.js';
import { openDoneItems, type SessionWrite } from './write-fields.js';
import { boundaryWrite } from './writes.js';

/** The write after which the next worker, or a retry, does not repeat these items; null: the play cannot store them now. */
export function decideKeeping(session: Session, position: number, items: DoneItems, at: Date): SessionWrite | null {
  const { endReason, isClaimed, state, failure, runningCalls, waits } = session;
  const hasRoom = waits[position]?.kind === 'children' ? hasLogRoomForPlays(session) : hasLogRoom(session);
  if (endReason !== null || !isClaimed || state !== 'RUN' || failure || !hasRoom) return null;
  if (!runningCalls.some((call) => call.position === position)) return null;
  return boundaryWrite({ ...session, doneItems: withDoneItems(session, position, items) }, at);
}

/** What the loops of the play without a result have done, with what this one has. */
export function withDoneItems(session: Session, position: number, items: DoneItems): Session['doneItems'] {
  return { ...openDoneItems(session), [position]: items };
}
