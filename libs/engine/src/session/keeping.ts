/** Stores what a loop has done while it runs: docs/protocol.md §4 "Kept items". */
import type { DoneItems } from '../play.js';
import { hasLogRoom } from '../play-log.js';
import type { Session } from './session.js';
import { hasEnded } from './stage.js';
import type { SessionWrite } from './write-fields.js';
import { boundaryWrite } from './writes.js';

/** The write after which the next worker, or a retry, does not repeat these items; null: the play cannot store them now. */
export function decideKeeping(session: Session, position: number, items: DoneItems, at: Date): SessionWrite | null {
  const { endReason, isClaimed, state, failure, runningCalls } = session;
  if (endReason !== null || !isClaimed || state !== 'RUN' || failure || !hasLogRoom(session)) return null;
  if (!runningCalls.some((call) => call.position === position)) return null;
  return boundaryWrite({ ...session, doneItems: withDoneItems(session, position, items) }, at);
}

/** What the loops of the play have done, with what this one has; a loop that has its result does not need it any more. */
export function withDoneItems(session: Session, position: number, items: DoneItems): Session['doneItems'] {
  const open = Object.entries(session.doneItems).filter(([key]) => !hasEnded(session, Number(key)));
  return { ...Object.fromEntries(open), [position]: items };
}
