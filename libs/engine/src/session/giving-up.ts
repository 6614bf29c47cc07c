/** How a stopping process gives up a play during a call: docs/protocol.md §4 "Hand-back". */
import type { PlayError } from '@weft/contracts';
import type { Session } from './session.js';
import { finalWrite, handBackWrite, heldWrite } from './writes.js';
import type { SessionWrite } from './write-fields.js';

/** For a process whose grace is over while calls run. */
export function giveUpWrite(session: Session, at: Date): SessionWrite {
  if (session.failure) return finalWrite(session, 'FAIL', session.failure, at);
  const once = session.runningCalls.map((call) => session.plan[call.position]).find((plan) => plan?.once);
  if (once) return finalWrite(session, 'FAIL', interruptedError(once.ref), at);
  return session.state === 'ON_HOLD' ? heldWrite(session) : handBackWrite(session);
}

export function interruptedError(ref: string): PlayError {
  return {
    code: 'interrupted',
    message: 'The worker was lost while this layer ran, and its onInterrupted is "fail": it was not called again.',
    ref,
  };
}
