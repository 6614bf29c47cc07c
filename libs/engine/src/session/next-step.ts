/**
 * The questions that a worker asks about its play: what it does next (docs/protocol.md §3 and §4). These functions decide and perform
 * nothing. The worker performs the steps and reports what happened (`session-events.ts`). The reconciler's writes and the users'
 * commands are decided elsewhere.
 */
import { KEEP_SLOT_MS } from './attempts.js';
import { hasUnstoredChangesInStage } from './write-events.js';
import { giveUpWrite, interruptedError } from './giving-up.js';
import type { Session } from './session.js';
import { earliest, hasUnstoredEffect, isReady, openPositions, position, touchesWorld } from './stage.js';
import {
  boundaryWrite,
  claimWrite,
  finalWrite,
  handBackWrite,
  heldWrite,
  lazyClaimWrite,
  parkWrite,
} from './writes.js';
import type { SessionWrite } from './write-fields.js';

export type SessionStep =
  | ({ readonly kind: 'write' } & SessionWrite)
  /** Start the layers at these positions, in parallel with each other and with those that are running. */
  | { readonly kind: 'startLayers'; readonly positions: readonly number[] }
  /** Evaluate `when` of the layers at these positions. */
  | { readonly kind: 'checkConditions'; readonly positions: readonly number[] }
  /** Nothing to do until a call ends or until this time. */
  | { readonly kind: 'idle'; readonly until: Date | null }
  /** Renew the lease, then ask for the next step again. */
  | { readonly kind: 'renewLease' }
  /** Complete the job: this worker has nothing more to do with the play. */
  | { readonly kind: 'drop'; readonly reason: string };

export interface StepInputs {
  /** The proof of ownership is recent enough to start an effect: docs/protocol.md §3, rule 4. */
  readonly isProofFresh: boolean;
  /** The process is stopping. */
  readonly isStopping: boolean;
  readonly at: Date;
}

export function nextStep(session: Session, inputs: StepInputs): SessionStep {
  if (session.endReason !== null) return { kind: 'drop', reason: session.endReason };
  const { failure, runningCalls } = session;
  const held = session.state === 'ON_HOLD';
  // calls that run in parallel with a failed one, or under a hold, end first
  if ((failure || held) && runningCalls.length > 0) return { kind: 'idle', until: null };
  if (failure) return write(finalWrite(session, 'FAIL', failure, inputs.at));
  if (held) return write(heldWrite(session));
  if (position(session) >= session.plan.length) return write(finalWrite(session, 'DONE', null, inputs.at));
  if (session.mustClaim && !session.isClaimed)
    return write(inputs.isStopping ? handBackWrite(session) : claimWrite(session, inputs.at));
  const open = openPositions(session);
  const ready = open.filter((at) => isReady(session, at, inputs.at));
  return ready.length === 0 ? stepWithoutReadyLayers(session, open, inputs) : startReadyLayers(session, ready, inputs);
}

/** Each layer of the current stage that has not ended is running or waits. */
function stepWithoutReadyLayers(
  session: Session,
  open: readonly number[],
  { isStopping, at }: StepInputs,
): SessionStep {
  const waits = open.flatMap((one) => session.waits[one] ?? []);
  const until = earliest(waits.map((wait) => wait.until));
  const retryAt = earliest(waits.map((wait) => (wait.kind === 'retry' ? wait.until : null)));
  if (session.runningCalls.length > 0) {
    // stores what the stage has finished while other layers run: watchers see it, a crash does not lose it, events find the waits
    if (session.isClaimed && hasUnstoredChangesInStage(session)) return write(boundaryWrite(session, at));
    return { kind: 'idle', until };
  }
  if (retryAt === null || retryAt.getTime() - at.getTime() > KEEP_SLOT_MS) return write(parkWrite(session, waits, at));
  if (isStopping) return write(handBackWrite(session));
  return hasUnstoredChangesInStage(session) ? write(boundaryWrite(session, at)) : { kind: 'idle', until };
}

function startReadyLayers(
  session: Session,
  ready: readonly number[],
  { isProofFresh, isStopping, at }: StepInputs,
): SessionStep {
  const { plan, runningCalls } = session;
  const touches = ready.some((one) => touchesWorld(session, one));
  if (touches && isStopping)
    return runningCalls.length > 0 ? { kind: 'idle', until: null } : write(handBackWrite(session));
  const unchecked = ready.filter((one) => plan[one]?.conditional && !isConditionMet(session, one));
  if (unchecked.length > 0) return { kind: 'checkConditions', positions: unchecked };
  if (touches) {
    const once = ready.find((one) => plan[one]?.once);
    const stage = plan[once ?? 0]?.stage ?? null;
    if (once !== undefined && session.startedStage === stage && !session.hasStartedStage)
      return write(finalWrite(session, 'FAIL', interruptedError(plan[once]?.ref ?? ''), at));
    if (once !== undefined && session.startedStage !== stage) return write(boundaryWrite(session, at, ready, stage));
    if (runningCalls.length === 0 && hasUnstoredEffect(session)) return write(boundaryWrite(session, at, ready));
  }
  // a call is repeated only after the failed one is stored
  if (session.failedCalls.length > 0) return write(boundaryWrite(session, at, ready));
  if (touches && !isProofFresh) {
    if (session.isClaimed) return { kind: 'renewLease' };
    return write(runningCalls.length > 0 ? lazyClaimWrite(session, at) : claimWrite(session, at));
  }
  return { kind: 'startLayers', positions: ready };
}

/** Whether `when` of the layer is known to be true: it was evaluated, or the layer has started. */
function isConditionMet(session: Session, at: number): boolean {
  return session.conditionsMet.includes(at) || session.loggedStarts.has(at) || session.waits[at] !== undefined;
}

/** The write that claims a play whose calls take long, so that it is visible and has a lease; null: there is nothing to claim. */
export function decideLazyClaim(session: Session, at: Date): SessionWrite | null {
  if (session.endReason !== null || session.isClaimed || session.runningCalls.length === 0) return null;
  return lazyClaimWrite(session, at);
}

/** The write by which a stopping process gives up a play during its calls. Another worker repeats effects that may be repeated. */
export function decideGivingUp(session: Session, at: Date): SessionWrite | null {
  return session.endReason === null ? giveUpWrite(session, at) : null;
}

function write(step: SessionWrite): SessionStep {
  return { kind: 'write', ...step };
}
