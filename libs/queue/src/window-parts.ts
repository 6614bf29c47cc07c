/** What is asked of a company's window, and what it answers. */

export interface AdmissionResult {
  /** How many of the ids without those that are `known`, from the first, are to be rung for. */
  readonly admitted: number;
  /** A refill found them first, and rings for them. */
  readonly known: ReadonlySet<string>;
  readonly waiting: number;
}

/**
 * How many ids at the beginning and at the end of a list have a priority. The list is in the order in which its plays are
 * rung for.
 */
export interface Prioritized {
  readonly above: number;
  readonly below: number;
}

export interface Refill {
  readonly token: string;
  readonly rung: number;
  readonly waiting: number;
  readonly refused: number;
  /** Id of the last play that was rung for in accept order; '' when none is known. */
  readonly cursor: string;
  /** Plays up to this id may have been handed out before: they get a new epoch before they are rung. */
  readonly reissueUpTo: string;
  /** Plays with a priority may wait, wherever the cursor is. */
  readonly hasPriorities: boolean;
  /** About how many plays that are not new are due. They wait in addition to `waiting`. */
  readonly due: number;
  /** Waiting plays with ids before the cursor. */
  readonly outOfOrder: readonly string[];
}

/** What a refill takes up. */
export interface RefillResult {
  readonly ids: readonly string[];
  /** No play without a priority waits up to this id except these; '' when none was looked for. */
  readonly cursor: string;
  /** No other play waits. */
  readonly exhausted: boolean;
}

export interface RefillEnd {
  /** How many plays wait, including those that are due. */
  readonly waiting: number;
  /** Of the plays that it took, those that were in the window before: their first ring was made. */
  readonly known: ReadonlySet<string>;
}

/** What the cache says of some plays of a company. */
export interface WindowView {
  /** Id of the last play that was rung for in accept order; '' when none is known. */
  readonly cursor: string;
  readonly waiting: number;
  /** The cache knows nothing of plays with a smaller id that are not rung for; '' when it knows all plays. */
  readonly from: string;
  /** Redis holds a cache of this company's window. */
  readonly exists: boolean;
  /** Those of the requested plays that count as rung for. */
  readonly rung: ReadonlySet<string>;
}

/** A request for room for plays that are not new. */
export interface RoomRequest {
  readonly ids: readonly string[];
  /** How many further plays of the company are due. */
  readonly more?: number;
  /**
   * Token of the refill that makes the request. Without one, no waiting play is overtaken: there is no room while any waits.
   */
  readonly token?: string;
}

export interface TakenRoom {
  /** The plays that have room now. */
  readonly ids: ReadonlySet<string>;
  /** Of these, the ones that had none before. */
  readonly fresh: readonly string[];
}
