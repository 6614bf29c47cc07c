import type { Labels, PlayTrigger } from '@weft/contracts';
import type { ParentLayer, PayloadRef, Play, StoredLabels } from '@weft/engine';
import type { InsertTurn } from './insert-turns.js';

/** What a caller, a schedule or another flow gives for a run. */
export interface RunInput {
  /** Default: the next id. A used id makes no second play: see `AcceptedRun.wasThere`. */
  readonly playId?: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** Where these args are stored, as an upload of the company; default: not yet. */
  readonly argsRef?: PayloadRef;
  readonly trigger: PlayTrigger;
  readonly triggeredBy: string | null;
  /** Default: none. */
  readonly idempotencyKey?: string | null;
  /** The version that the caller names; default: the run takes what is published. */
  readonly namedVersion?: number | undefined;
  /** Names of args that differ with each attempt of a sender to deliver the same: a repetition is known by the others. */
  readonly ownArgs?: readonly string[];
  /** When the play starts; a time in the past means now. Default: now. */
  readonly runAt?: Date | null;
  readonly delayMs?: number | null;
  /** The play is SKIP unless it has begun by then. Default: it may begin at any time. */
  readonly notAfter?: Date | null;
  /** −10 … 10; default: what the flow's settings say, else 0. */
  readonly priority?: number | undefined;
  /** Of the run, else of the schedule or trigger; they take precedence over those of the flow. */
  readonly labels?: Labels;
  /** Its lane; default: what the flow's settings say. */
  readonly lane?: string | null;
  /** Of the parent; those of the flow take precedence. */
  readonly parentLabels?: StoredLabels;
  readonly parentPlayId?: string;
  /** The layer that makes the run. Only one play is made for a layer: a second one is `wasThere`. */
  readonly parent?: ParentLayer;
  /** See `Play.handlesFailureOf`. */
  readonly handlesFailureOf?: string;
  /** Of one of several runs whose inserts keep their order; default: it is inserted as soon as it can be. */
  readonly turn?: InsertTurn;
}

export interface AcceptedRun {
  readonly play: Play;
  /** The failed play that held the key: `play` is its retry. */
  readonly continues?: string;
  /** True: no play was made. `play` is an earlier one, with the same idempotency key, or what is in its place already: the retry of the same play, or the play of the same layer. */
  readonly replayed: boolean;
  /** True: a play with this id was stored before, perhaps by another caller. `play` is the requested play, not the stored one. */
  readonly wasThere?: true;
}

/** The key is held by a play that has failed. */
export function holdsAsFailed({ replayed, play }: AcceptedRun): boolean {
  return replayed && play.key !== undefined && play.state === 'FAIL';
}
