/**
 * What a worker does next with a play, and what an outcome means: protocol §3 and §4. Decides; performs nothing. The
 * worker's executor performs the steps, the reconciler and the users' commands live elsewhere.
 */
import { isFinal, type PlayError } from '@weft/contracts';
import type { LayerResult, Play } from '../play.js';
import { hasUnstoredEffect, position, storedPart, type Parking, type Session } from './session.js';
import {
  boundaryWrite,
  claimWrite,
  finalWrite,
  handBackWrite,
  heldWrite,
  lazyWrite,
  parkWrite,
  type Purpose,
  type SessionWrite,
} from './writes.js';

export type Step =
  | ({ readonly kind: 'write' } & SessionWrite)
  /** Run the layer at this position. */
  | { readonly kind: 'call'; readonly position: number }
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
  const here = position(session);
  const layer = session.plan[here];
  if (session.state === 'ON_HOLD') {
    return session.failure ? write(finalWrite(session, 'FAIL', session.failure, facts.at)) : write(heldWrite(session));
  }
  if (session.failure) return write(finalWrite(session, 'FAIL', session.failure, facts.at));
  if (session.parking) return write(parkWrite(session, session.parking, facts.at));
  if (!layer) return write(finalWrite(session, 'DONE', null, facts.at));
  if (session.mustClaim && !session.claimed) {
    return facts.stopping ? write(handBackWrite(session)) : write(claimWrite(session, facts.at));
  }
  if (layer.kind !== 'effect') return { kind: 'call', position: here };
  if (facts.stopping) return write(handBackWrite(session));
  if (layer.once) {
    if (session.started === here && !session.startedByMe)
      return write(finalWrite(session, 'FAIL', interrupted(layer.ref), facts.at));
    if (session.started !== here) return write(boundaryWrite(session, facts.at, here));
  }
  if (hasUnstoredEffect(session)) return write(boundaryWrite(session, facts.at));
  if (!facts.proofFresh) return session.claimed ? { kind: 'prove' } : write(claimWrite(session, facts.at));
  return { kind: 'call', position: here };
}

/** The write that makes a long call visible and gives it a lease; null when there is nothing to make visible. */
export function lazy(session: Session, at: Date): SessionWrite | null {
  if (session.over !== null || session.claimed || !session.calling) return null;
  return lazyWrite(session, at);
}

/** A stopping process whose grace is over inside a call: the effect will be repeated elsewhere, unless it must not. */
export function abandon(session: Session, at: Date): SessionWrite | null {
  if (session.over !== null) return null;
  if (session.failure) return finalWrite(session, 'FAIL', session.failure, at);
  const layer = session.calling ? session.plan[session.calling.position] : undefined;
  if (session.state === 'ON_HOLD')
    return layer?.once ? finalWrite(session, 'FAIL', interrupted(layer.ref), at) : heldWrite(session);
  if (layer?.once) return finalWrite(session, 'FAIL', interrupted(layer.ref), at);
  return handBackWrite(session);
}

export function calling(session: Session, at: Date): Session {
  return { ...session, calling: { position: position(session), since: at } };
}

/** How a layer ended. */
export type Outcome =
  | { readonly kind: 'result'; readonly result: LayerResult }
  | { readonly kind: 'park'; readonly parking: Parking; readonly result?: LayerResult };

export function called(session: Session, outcome: Outcome): Session {
  const ended = { ...session, calling: null };
  if (outcome.kind === 'park') {
    if (isAnswered(session, outcome.parking)) return ended;
    return { ...ended, parking: outcome.result ? { ...outcome.parking, result: outcome.result } : outcome.parking };
  }
  const { result } = outcome;
  const stops = result.state === 'FAIL' && session.plan[result.position]?.onError !== 'continue';
  const failure: PlayError | null =
    stops && result.error ? { code: result.error.code, message: result.error.message, ref: result.ref } : null;
  return { ...ended, results: [...session.results, result], failure };
}

/** The write was acknowledged. */
export function applied(session: Session, done: SessionWrite): Session {
  const { write: stored, purpose } = done;
  if (purpose === 'final' || purpose === 'park' || purpose === 'held' || purpose === 'handBack') {
    return { ...session, results: [], over: purpose };
  }
  const moved = stored.layers.length;
  return {
    ...session,
    claimed: true,
    mustClaim: false,
    strict: false,
    seq: session.seq + stored.log.length,
    state: stored.set.state ?? session.state,
    cursor: session.cursor + moved,
    crashes: stored.set.crashes ?? session.crashes,
    results: session.results.slice(moved),
    startLogged: done.logsStart ?? (moved > 0 ? null : session.startLogged),
    started: stored.set.started ?? (stored.unset.includes('started') ? null : session.started),
    startedByMe: stored.set.started !== undefined || (session.startedByMe && !stored.unset.includes('started')),
  };
}

/** The write (or a renewal) matched nothing: read again and decide, rule 2. */
export function refused(session: Session, purpose: Purpose | 'renew', fresh: Play | null): Session {
  const lost = (reason: string): Session => ({ ...session, over: reason });
  if (!fresh) return lost('deleted');
  if (fresh.epoch !== session.epoch) return lost('fenced');
  if (isFinal(fresh.state)) return lost('final');
  if (fresh.state === 'WAIT' || fresh.state === 'DEFERRED') return lost('not_ready');
  // a write of this session whose answer was lost may have made it the owner
  const claimed = session.claimed || fresh.owner === session.me;
  const mine = claimed ? fresh.owner === session.me : fresh.owner === undefined;
  if (!mine) return lost('owned');
  // as the owner, only this session records results: those that are there are its own first ones
  const stored = fresh.cursor - session.cursor;
  if (stored !== 0 && (fresh.owner !== session.me || stored < 0 || stored > session.results.length))
    return lost('fenced');
  if (purpose === 'claim' && fresh.state === 'ON_HOLD') return lost('held');
  const startedByMe =
    session.startedByMe || (fresh.owner === session.me && (fresh.started ?? null) !== session.started);
  const again: Session = {
    ...session,
    ...storedPart(fresh),
    results: session.results.slice(stored),
    claimed,
    mustClaim: session.mustClaim && !claimed,
    startedByMe,
  };
  return isAnswered(again, again.parking) ? { ...again, parking: null } : again;
}

/** The answer came before the WAIT was stored: the layer is to be asked again, and has it now. */
function isAnswered(session: Session, parking: Parking | null): boolean {
  return parking?.state === 'WAIT' && Object.hasOwn(session.inbox, String(position(session)));
}

function interrupted(ref: string): PlayError {
  return {
    code: 'interrupted',
    message: 'The worker was lost while this layer ran, and its onInterrupted is "fail": it was not called again.',
    ref,
  };
}

function write(step: SessionWrite): Step {
  return { kind: 'write', ...step };
}
