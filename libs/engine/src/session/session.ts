/**
 * A worker's view of one play it was handed: what the store is known to hold, and what is not stored yet. Values only;
 * `next` says what to do, the worker does it, and `called`, `applied` or `refused` say what that changed.
 */
import { isFinal, type PlayError, type PlayState } from '@weft/contracts';
import type { KvUse } from '../kv-use.js';
import type { LayerWait } from '../layer-outcome.js';
import type { LayerPlan } from '../layer-plan.js';
import { PLAY_SCHEMA_VERSION, type LayerResult, type Play } from '../play.js';
import { settle } from './settle.js';
import { isSuspect } from './suspects.js';

/** A call of a layer that runs now. */
export interface LayerCall {
  readonly position: number;
  readonly since: Date;
  /** From 1. */
  readonly attempt: number;
  /** What it had said that it waits for is over: it may not say it again. */
  readonly again: boolean;
}

/** A call that failed and will be made again; stored before it is. */
export interface FailedCall {
  readonly position: number;
  readonly message: string;
  readonly attempt: number;
  readonly since: Date;
  readonly at: Date;
  readonly kv?: KvUse;
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
  /** Positions whose results are stored, in their order. */
  readonly ended: readonly number[];
  readonly state: PlayState;
  readonly claimed: boolean;
  readonly strict: boolean;
  readonly crashes: number;
  readonly inbox: Readonly<Record<string, unknown>>;
  readonly started: number | null;
  readonly startedByMe: boolean;
  /** Every stored result is FILTERED. */
  readonly onlyFiltered: boolean;
  readonly hasDeadline: boolean;
  readonly storedWaits: Waits;
  readonly storedTries: Tries;
  /** Positions whose start is in the stored log and is not told again, and when that was. */
  readonly begun: ReadonlyMap<number, Date>;

  readonly mustClaim: boolean;
  /** Finished, not stored. */
  readonly results: readonly LayerResult[];
  /** By position: what the finished layers did with the key-value store. */
  readonly kvUses: KvUses;
  /** Failed calls that are not stored. */
  readonly failed: readonly FailedCall[];
  readonly waits: Waits;
  readonly tries: Tries;
  /** Positions whose `when` was found true. */
  readonly checked: readonly number[];
  readonly calls: readonly LayerCall[];
  /** Positions that a branch rules out. */
  readonly skips: readonly number[];
  /** A filter did not pass: nothing that has not ended runs any more. */
  readonly filtersRest: boolean;
  readonly failure: PlayError | null;
  /** Set when this worker has nothing more to do with the play. */
  readonly over: string | null;
}

export type Waits = Readonly<Record<string, LayerWait>>;
export type Tries = Readonly<Record<string, number>>;
export type KvUses = Readonly<Record<string, KvUse>>;

export interface HandOut {
  readonly epoch: number;
  /** BullMQ handed this job out before (`attemptsStarted > 1`). */
  readonly redelivered: boolean;
  /** Younger than the window when the play was read. */
  readonly proofFresh: boolean;
  readonly me: string;
  readonly at: Date;
}

const NO_WAITS: Waits = {};
const NO_TRIES: Tries = {};
const NO_KV_USES: KvUses = {};
const NOTHING_BEGUN: ReadonlyMap<number, Date> = new Map();

/** Takes a play that was read for a job, or says why the job is dropped. */
export function take(
  play: Play | null,
  handOut: HandOut,
  plan: readonly LayerPlan[],
): Session | { readonly drop: string } {
  if (!play) return { drop: 'missing' };
  const drop = whyDropped(play, handOut.epoch);
  if (drop !== null) return { drop };
  const stored = storedPart(play);
  const session: Session = {
    playId: play._id,
    me: handOut.me,
    epoch: handOut.epoch,
    redelivered: handOut.redelivered,
    plan,
    takenAt: handOut.at,
    ...stored,
    claimed: false,
    startedByMe: false,
    begun: begunBefore(play),
    mustClaim: play.strict === true || isSuspect({ ...handOut, crashes: play.crashes }) || !handOut.proofFresh,
    results: [],
    kvUses: NO_KV_USES,
    failed: [],
    waits: stored.storedWaits,
    tries: stored.storedTries,
    checked: [],
    calls: [],
    skips: play.layers.flatMap((result) => result.skips ?? []),
    filtersRest: play.layers.some((result) => result.filtersRest),
    failure: null,
    over: null,
  };
  return settle(session, handOut.at);
}

/** Why a job of this epoch is not for the play as it is; null when it is. */
export function whyDropped(
  play: Pick<Play, 'state' | 'epoch' | 'owner' | 'schemaVersion'>,
  epoch: number,
): string | null {
  if (play.epoch !== epoch) return 'stale';
  if (isFinal(play.state)) return 'final';
  // a newer worker takes it: the reconciler rings for it again until one does
  if (play.schemaVersion > PLAY_SCHEMA_VERSION) return 'newer_schema';
  if (play.state !== 'NEW' && play.state !== 'RUN') return 'not_ready';
  return play.owner === undefined ? null : 'owned';
}

/** The fields that are re-read when a write was refused. */
export function storedPart(play: Play) {
  return {
    seq: play.seq,
    cursor: play.cursor,
    ended: play.layers.map((result) => result.position),
    state: play.state,
    strict: play.strict === true,
    crashes: play.crashes,
    inbox: play.inbox ?? {},
    onlyFiltered: play.layers.every((result) => result.state === 'FILTERED'),
    started: play.started ?? null,
    hasDeadline: play.deadlineAt !== undefined,
    storedWaits: play.waits ?? NO_WAITS,
    storedTries: play.tries ?? NO_TRIES,
  };
}

/** A layer that waits, or was tried, goes on where it was; any other that was begun is begun again, and told so. */
function begunBefore(play: Play): ReadonlyMap<number, Date> {
  if (!play.waits && !play.tries) return NOTHING_BEGUN;
  const open = new Set([...Object.keys(play.waits ?? {}), ...Object.keys(play.tries ?? {})].map(Number));
  return startsIn(play, 0, open);
}

/** When the starts of these positions (default: of any) were logged behind entry `after`; the last one of each. */
export function startsIn(play: Play, after: number, of?: ReadonlySet<number>): Map<number, Date> {
  const starts = new Map<number, Date>();
  for (const entry of play.log.slice(after))
    if (entry.type === 'start' && (of?.has(entry.layer) ?? true)) starts.set(entry.layer, entry.at);
  return starts;
}
