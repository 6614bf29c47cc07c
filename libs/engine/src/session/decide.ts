/**
 * What a worker does next with a play: protocol §3 and §4. Decides; performs nothing. The worker's executor performs the
 * steps and says what came of them (`outcomes.ts`); the reconciler and the users' commands live elsewhere.
 */
import { KEEP_SLOT_MS } from './attempts.js';
import { hasNewsOfStage } from './events.js';
import { abandonWrite, interrupted } from './giving-up.js';
import type { Session } from './session.js';
import { earliest, hasUnstoredEffect, isReady, openPositions, position, touchesWorld } from './stage.js';
import { boundaryWrite, claimWrite, finalWrite, handBackWrite, heldWrite, lazyWrite, parkWrite } from './writes.js';
import type { SessionWrite } from './write-fields.js';

export type Step =
  | ({ readonly kind: 'write' } & SessionWrite)
  /** Run the layers at these positions, beside each other and beside those that run. */
  | { readonly kind: 'call'; readonly positions: readonly number[] }
  /** Ask whether the layers at these positions are to run at all (their `when`). */
  | { readonly kind: 'check'; readonly positions: readonly number[] }
  /** Nothing to do until a call ends, or until then. */
  | { readonly kind: 'rest'; readonly until: Date | null }
  /** Renew the lease, and only then ask again. */
  | { readonly kind: 'prove' }
  /** Complete the job; nothing of this play concerns this worker any more. */
  | { readonly kind: 'drop'; readonly reason: string };

export interface Facts {
  /** The proof of ownership is young enough to touch the world on it: rule 4. */
  readonly proofFresh: boolean;
  /** The process is stopping. */
  readonly stopping: boolean;
  readonly at: Date;
}

export function next(session: Session, facts: Facts): Step {
  if (session.over !== null) return { kind: 'drop', reason: session.over };
  const { failure, calls } = session;
  const held = session.state === 'ON_HOLD';
  // what runs beside a failure, or under a hold, ends first
  if ((failure || held) && calls.length > 0) return { kind: 'rest', until: null };
  if (failure) return write(finalWrite(session, 'FAIL', failure, facts.at));
  if (held) return write(heldWrite(session));
  if (position(session) >= session.plan.length) return write(finalWrite(session, 'DONE', null, facts.at));
  if (session.mustClaim && !session.claimed)
    return write(facts.stopping ? handBackWrite(session) : claimWrite(session, facts.at));
  const open = openPositions(session);
  const ready = open.filter((at) => isReady(session, at, facts.at));
  return ready.length === 0 ? nothingReady(session, open, facts) : begin(session, ready, facts);
}

/** Everything of the present stage that has not ended runs, or waits. */
function nothingReady(session: Session, open: readonly number[], { stopping, at }: Facts): Step {
  const waits = open.flatMap((one) => session.waits[one] ?? []);
  const until = earliest(waits);
  const retryAt = earliest(waits.filter(({ kind }) => kind === 'retry'));
  if (session.calls.length > 0) {
    // while the rest goes on, a watcher sees what of the stage is finished, a crash loses none of it, and who waits is found
    if (session.claimed && hasNewsOfStage(session)) return write(boundaryWrite(session, at));
    return { kind: 'rest', until };
  }
  if (retryAt === null || retryAt.getTime() - at.getTime() > KEEP_SLOT_MS) return write(parkWrite(session, waits, at));
  if (stopping) return write(handBackWrite(session));
  return hasNewsOfStage(session) ? write(boundaryWrite(session, at)) : { kind: 'rest', until };
}

function begin(session: Session, ready: readonly number[], { proofFresh, stopping, at }: Facts): Step {
  const { plan, calls } = session;
  const touches = ready.some((one) => touchesWorld(session, one));
  if (touches && stopping) return calls.length > 0 ? { kind: 'rest', until: null } : write(handBackWrite(session));
  const unsure = ready.filter((one) => plan[one]?.conditional && !isSure(session, one));
  if (unsure.length > 0) return { kind: 'check', positions: unsure };
  if (touches) {
    const once = ready.find((one) => plan[one]?.once);
    const stage = plan[once ?? 0]?.stage ?? null;
    if (once !== undefined && session.started === stage && !session.startedByMe)
      return write(finalWrite(session, 'FAIL', interrupted(plan[once]?.ref ?? ''), at));
    if (once !== undefined && session.started !== stage) return write(boundaryWrite(session, at, ready, stage));
    if (calls.length === 0 && hasUnstoredEffect(session)) return write(boundaryWrite(session, at, ready));
  }
  // a call is made again only when the failed one is on record
  if (session.failed.length > 0) return write(boundaryWrite(session, at, ready));
  if (touches && !proofFresh) {
    if (session.claimed) return { kind: 'prove' };
    return write(calls.length > 0 ? lazyWrite(session, at) : claimWrite(session, at));
  }
  return { kind: 'call', positions: ready };
}

/** Its `when` was true: it was asked, or has begun. */
function isSure(session: Session, at: number): boolean {
  return session.checked.includes(at) || session.begun.has(at) || session.waits[at] !== undefined;
}

/** The write that makes a long call visible and gives it a lease; null when there is nothing to make visible. */
export function lazy(session: Session, at: Date): SessionWrite | null {
  if (session.over !== null || session.claimed || session.calls.length === 0) return null;
  return lazyWrite(session, at);
}

/** A stopping process whose grace is over inside calls: effects will be repeated elsewhere, unless they must not. */
export function abandon(session: Session, at: Date): SessionWrite | null {
  return session.over === null ? abandonWrite(session, at) : null;
}

function write(step: SessionWrite): Step {
  return { kind: 'write', ...step };
}
