/**
 * How "plays that moved since" is answered from indexes, without a cost for plays that are over soon: young plays are found
 * by their ids, which begin with a time, and only what moves later than that is marked, in the write that moves it
 * (`movedAt`, by the server's clock; its index holds nothing else). See docs/adr on the general stream.
 */
import { lastIdAt } from '@weft/kernel';

/** As long as its id is younger than this, a play that moves is not marked. */
export const YOUNG_MS = 10_000;

/** What the mark adds to a play; only the readers of moves know it. */
export interface LateMove {
  readonly movedAt?: Date;
}

/** Ids above this one are of young plays. */
export function youngAbove(serverNowMs: number): string {
  return lastIdAt(serverNowMs - YOUNG_MS);
}
