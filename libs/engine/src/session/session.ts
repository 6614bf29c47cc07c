/**
 * A session: what one worker knows of one play that it was handed, both what is stored and what is not stored yet. A session
 * is a value. The worker asks `nextStep` what to do, does it, and reports it with an event (`onLayerEnded`, `onWriteStored`,
 * …), which returns the changed session.
 */
import { isFinal, type PlayError, type PlayState } from '@weft/contracts';
import type { KvUse } from '../kv-use.js';
import type { LayerWait } from '../layer-outcome.js';
import type { LayerPlan } from '../layer-plan.js';
import { PLAY_SCHEMA_VERSION, type LayerResult, type Play } from '../play.js';
import { addSkippedResults } from './skipped-results.js';
import { isSuspect } from './suspects.js';

/** A call of a layer that is running now. */
export interface RunningCall {
  readonly position: number;
  readonly since: Date;
  /** From 1. */
  readonly attempt: number;
  /** The layer waited for this before, and it has come: it may not wait for the same again. */
  readonly waitedFor: LayerWait | null;
  /** Of the session, when the call began. */
  readonly crashes?: number;
}

/** A failed call that will be made again. It is stored before the next attempt. */
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
  /** The owner id of this hand-out: `<process boot id>:<counter>`. */
  readonly ownerId: string;
  readonly epoch: number;
  readonly redelivered: boolean;
  readonly plan: readonly LayerPlan[];
  readonly takenAt: Date;

  readonly seq: number;
  readonly cursor: number;
  /** Positions whose results are stored, in the order in which they were recorded. */
  readonly endedPositions: readonly number[];
  readonly state: PlayState;
  readonly isClaimed: boolean;
  readonly strict: boolean;
  readonly crashes: number;
  readonly inbox: Readonly<Record<string, unknown>>;
  readonly startedStage: number | null;
  readonly hasStartedStage: boolean;
  /** Every stored result is FILTERED. */
  readonly onlyFiltered: boolean;
  readonly hasDeadline: boolean;
  /** It is claimed by then, or not at all. */
  readonly notAfter: Date | null;
  /** Null: it needed no turns. */
  readonly turnHolder: Pick<Play, 'turns' | 'lane' | 'laneStops'> | null;
  readonly storedWaits: Waits;
  readonly storedTries: Tries;
  readonly storedDoneItems: DoneItemsOf;
  /** Positions whose start is in the stored log, with its time: no write logs it again. */
  readonly loggedStarts: ReadonlyMap<number, Date>;

  readonly mustClaim: boolean;
  /** Results of finished layers that are not stored yet. */
  readonly unstoredResults: readonly LayerResult[];
  /** By position: how the finished layers used the key-value store. */
  readonly kvUses: KvUses;
  /** Failed calls that are not stored yet. */
  readonly failedCalls: readonly FailedCall[];
  readonly waits: Waits;
  readonly tries: Tries;
  readonly doneItems: DoneItemsOf;
  /** Positions whose `when` was true. */
  readonly conditionsMet: readonly number[];
  readonly runningCalls: readonly RunningCall[];
  /** A result or a step was stored: the play has passed the place where a worker died. */
  readonly hasMoved: boolean;
  /** Positions that a branch rules out. */
  readonly skippedPositions: readonly number[];
  /** A filter did not pass: no further layer starts. */
  readonly filtersRest: boolean;
  readonly failure: PlayError | null;
  /** Why the session has ended; null while this worker still has something to do with the play. */
  readonly endReason: string | null;
}

export type Waits = Readonly<Record<string, LayerWait>>;
export type Tries = Readonly<Record<string, number>>;
export type DoneItemsOf = NonNullable<Play['doneItems']>;
export type KvUses = Readonly<Record<string, KvUse>>;

export interface SessionStart {
  readonly epoch: number;
  /** BullMQ handed out this job before (`attemptsStarted > 1`). */
  readonly redelivered: boolean;
  /** The hand-out was younger than `windowMs` when the play was read. */
  readonly isProofFresh: boolean;
  /** Its company has workers with another label by now: its job counts as lost there, and it may be given to them meanwhile. */
  readonly isOfOthers?: boolean;
  readonly ownerId: string;
  readonly at: Date;
}

const NO_WAITS: Waits = {};
const NO_TRIES: Tries = {};
const NO_DONE_ITEMS: DoneItemsOf = {};
const NO_KV_USES: KvUses = {};
const NO_STARTS: ReadonlyMap<number, Date> = new Map();

/** Starts a session for a play that was read for a job, or returns why the job is dropped. */
export function startSession(
  play: Play | null,
  start: SessionStart,
  plan: readonly LayerPlan[],
): Session | { readonly drop: string } {
  if (!play) return { drop: 'missing' };
  const drop = dropReason(play, start.epoch);
  if (drop !== null) return { drop };
  const stored = storedState(play);
  const session: Session = {
    playId: play._id,
    ownerId: start.ownerId,
    epoch: start.epoch,
    redelivered: start.redelivered,
    plan,
    takenAt: start.at,
    ...stored,
    isClaimed: false,
    hasStartedStage: false,
    loggedStarts: startsOfOpenLayers(play),
    mustClaim:
      play.strict === true ||
      play.notAfter !== undefined ||
      isSuspect({ ...start, crashes: play.crashes }) ||
      start.isOfOthers === true ||
      !start.isProofFresh,
    unstoredResults: [],
    kvUses: NO_KV_USES,
    failedCalls: [],
    waits: stored.storedWaits,
    tries: stored.storedTries,
    doneItems: stored.storedDoneItems,
    conditionsMet: [],
    runningCalls: [],
    hasMoved: false,
    skippedPositions: play.layers.flatMap((result) => result.skips ?? []),
    filtersRest: play.layers.some((result) => result.filtersRest),
    failure: null,
    endReason: null,
  };
  return addSkippedResults(session, start.at);
}

/** Why a worker drops a job of this epoch, given the play as it is stored; null: the worker executes the play. */
export function dropReason(
  play: Pick<Play, 'state' | 'epoch' | 'owner' | 'schemaVersion'>,
  epoch: number,
): string | null {
  if (play.epoch !== epoch) return 'stale';
  if (isFinal(play.state)) return 'final';
  // only a newer worker understands it: the reconciler rings for it until such a worker takes it
  if (play.schemaVersion > PLAY_SCHEMA_VERSION) return 'newer_schema';
  if (play.state !== 'NEW' && play.state !== 'RUN') return 'not_ready';
  return play.owner === undefined ? null : 'owned';
}

type StoredState = Pick<
  Session,
  | 'seq'
  | 'cursor'
  | 'endedPositions'
  | 'state'
  | 'strict'
  | 'crashes'
  | 'inbox'
  | 'onlyFiltered'
  | 'startedStage'
  | 'hasDeadline'
  | 'notAfter'
  | 'turnHolder'
  | 'storedWaits'
  | 'storedTries'
  | 'storedDoneItems'
>;

/** The fields of a session that are read again after a refused write. */
export function storedState(play: Play): StoredState {
  return {
    seq: play.seq,
    cursor: play.cursor,
    endedPositions: play.layers.map((result) => result.position),
    state: play.state,
    strict: play.strict === true,
    crashes: play.crashes,
    inbox: play.inbox ?? {},
    onlyFiltered: play.layers.every((result) => result.state === 'FILTERED'),
    startedStage: play.started ?? null,
    hasDeadline: play.deadlineAt !== undefined,
    notAfter: play.notAfter ?? null,
    turnHolder: play.turns ? { turns: play.turns, lane: play.lane, laneStops: play.laneStops } : null,
    storedWaits: play.waits ?? NO_WAITS,
    storedTries: play.tries ?? NO_TRIES,
    storedDoneItems: play.doneItems ?? NO_DONE_ITEMS,
  };
}

/** A layer that waits or was tried continues, so its start is not logged again. Any other started layer starts anew. */
function startsOfOpenLayers(play: Play): ReadonlyMap<number, Date> {
  if (!play.waits && !play.tries) return NO_STARTS;
  const open = new Set([...Object.keys(play.waits ?? {}), ...Object.keys(play.tries ?? {})].map(Number));
  return loggedStartsIn(play, 0, open);
}

/** The last logged start of each of these positions (default: of all) after entry number `after`, with its time. */
export function loggedStartsIn(play: Play, after: number, of?: ReadonlySet<number>): Map<number, Date> {
  const starts = new Map<number, Date>();
  for (const entry of play.log.slice(after))
    if (entry.type === 'start' && (of?.has(entry.layer) ?? true)) starts.set(entry.layer, entry.at);
  return starts;
}
