/**
 * A worker's view of one play it was handed: what the store is known to hold, and what is not stored yet. Values only;
 * `next` says what to do, the worker does it, and `applied`, `refused` or `called` say what that changed.
 */
import { isFinal, type PlayError, type PlayState } from '@weft/contracts';
import type { LayerPlan } from '../layer-plan.js';
import type { LayerResult, Play } from '../play.js';

export interface Parking {
  readonly state: 'WAIT' | 'DEFERRED';
  readonly dueAt: Date | null;
  /** The layer is done when the play goes on (a delay): its result counts only if the play is parked. */
  readonly result?: LayerResult;
}

export interface Session {
  readonly playId: string;
  /** Owner id of this hand-out, `<process boot id>:<counter>`. */
  readonly me: string;
  readonly epoch: number;
  readonly redelivered: boolean;
  readonly plan: readonly LayerPlan[];
  readonly takenAt: Date;

  readonly seq: number;
  readonly cursor: number;
  readonly state: PlayState;
  readonly claimed: boolean;
  readonly strict: boolean;
  readonly crashes: number;
  readonly inbox: Readonly<Record<string, unknown>>;
  readonly started: number | null;
  readonly startedByMe: boolean;
  /** Position whose `start` is in the stored log already. */
  readonly startLogged: number | null;

  readonly mustClaim: boolean;
  /** Finished, not stored. */
  readonly results: readonly LayerResult[];
  /** The running call, if any. */
  readonly calling: { readonly position: number; readonly since: Date } | null;
  readonly failure: PlayError | null;
  readonly parking: Parking | null;
  /** Set when this worker has nothing more to do with the play. */
  readonly over: string | null;
}

export interface HandOut {
  readonly epoch: number;
  /** BullMQ handed this job out before (`attemptsStarted > 1`). */
  readonly redelivered: boolean;
  /** Younger than the window when the play was read. */
  readonly proofFresh: boolean;
  readonly me: string;
  readonly at: Date;
}

/** Takes a play that was read for a job, or says why the job is dropped. */
export function take(
  play: Play | null,
  handOut: HandOut,
  plan: readonly LayerPlan[],
): Session | { readonly drop: string } {
  if (!play) return { drop: 'missing' };
  if (play.epoch !== handOut.epoch) return { drop: 'stale' };
  if (isFinal(play.state)) return { drop: 'final' };
  if (play.state !== 'NEW' && play.state !== 'RUN') return { drop: 'not_ready' };
  if (play.owner !== undefined) return { drop: 'owned' };
  return {
    playId: play._id,
    me: handOut.me,
    epoch: handOut.epoch,
    redelivered: handOut.redelivered,
    plan,
    takenAt: handOut.at,
    ...storedPart(play),
    claimed: false,
    startedByMe: false,
    startLogged: null,
    mustClaim: play.strict === true || handOut.redelivered || !handOut.proofFresh,
    results: [],
    calling: null,
    failure: null,
    parking: null,
    over: null,
  };
}

/** The fields that are re-read when a write was refused. */
export function storedPart(play: Play) {
  return {
    seq: play.seq,
    cursor: play.cursor,
    state: play.state,
    strict: play.strict === true,
    crashes: play.crashes,
    inbox: play.inbox ?? {},
    started: play.started ?? null,
  };
}

/** Position of the next layer that has no result. */
export function position(session: Session): number {
  return session.cursor + session.results.length;
}

/** A finished effect's result is not stored: nothing else may touch the world before it is. */
export function hasUnstoredEffect(session: Session): boolean {
  return session.results.some((result) => session.plan[result.position]?.kind === 'effect');
}
