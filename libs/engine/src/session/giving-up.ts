/** How a stopping process lets go of a play inside a call: protocol §4 "Hand-back". */
import type { PlayError } from '@weft/contracts';
import type { Session } from './session.js';
import { finalWrite, handBackWrite, heldWrite } from './writes.js';
import type { SessionWrite } from './write-fields.js';

/** Inside calls, when the grace is over. */
export function abandonWrite(session: Session, at: Date): SessionWrite {
  if (session.failure) return finalWrite(session, 'FAIL', session.failure, at);
  const once = session.calls.map((call) => session.plan[call.position]).find((plan) => plan?.once);
  if (once) return finalWrite(session, 'FAIL', interrupted(once.ref), at);
  return session.state === 'ON_HOLD' ? heldWrite(session) : handBackWrite(session);
}

export function interrupted(ref: string): PlayError {
  return {
    code: 'interrupted',
    message: 'The worker was lost while this layer ran, and its onInterrupted is "fail": it was not called again.',
    ref,
  };
}
