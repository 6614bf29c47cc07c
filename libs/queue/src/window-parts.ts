/** What is asked of a company's window, and what it answers. */

export interface Admission {
  /** How many of the ids, from the first, are to be rung for. */
  readonly admitted: number;
  readonly waiting: number;
}

/** Of a list of ids in the order in which they are rung: how many at its beginning and at its end have a priority. */
export interface Prioritized {
  readonly above: number;
  readonly below: number;
}

export interface Refill {
  readonly token: string;
  readonly rung: number;
  readonly waiting: number;
  readonly refused: number;
  /** Id of the last play rung in accept order; '' when none is known. */
  readonly cursor: string;
  /** Plays up to this id may have been handed out before: they are raised before they are rung. */
  readonly raiseUpTo: string;
  /** Plays with a priority may wait, wherever the cursor is. */
  readonly lanes: boolean;
  /** About how many plays that are no new ones are due, and wait beside `waiting`. */
  readonly due: number;
  /** Waiting plays that lie before the cursor. */
  readonly slipped: readonly string[];
}

/** What a refill takes up. */
export interface Rung {
  readonly ids: readonly string[];
  /** No play without a priority waits up to this id but these; '' when none was looked for. */
  readonly cursor: string;
  /** Nobody else waits. */
  readonly exhausted: boolean;
}

/** What the cache says of some plays of a company. */
export interface WindowView {
  /** Id of the last play rung in accept order; '' when none is known. */
  readonly cursor: string;
  readonly waiting: number;
  /** Of plays with a smaller id that are not rung the cache knows nothing; '' when it knows of all. */
  readonly from: string;
  /** Redis holds a cache of this company's window. */
  readonly exists: boolean;
  /** Those of the plays asked for that count as rung. */
  readonly rung: ReadonlySet<string>;
}

/** Plays that are no new ones and ask for places. */
export interface TakeUp {
  readonly ids: readonly string[];
  /** Those of the company that are due besides. */
  readonly more?: number;
  /** Token of the refill that they are for. Default none: nobody who waits is overtaken, there is no place then. */
  readonly token?: string;
}

export interface TakenUp {
  /** Those that have a place now. */
  readonly ids: ReadonlySet<string>;
  /** Of these, the ones that had none before. */
  readonly fresh: readonly string[];
}
