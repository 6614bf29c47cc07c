/**
 * How "plays that moved since" is answered from indexes, without a cost for plays that are over soon: young plays are found
 * by their ids, which begin with a time, and only what moves later than that is marked, in the write that moves it
 * (`movedAt`, by the server's clock; its index holds nothing else). A write that was sent unmarked and then is on its way for
 * long matches nothing any more when it arrives: see `playOperation`, and ADR 26.
 */
import type { Play } from '@weft/engine';
import { lastIdAt, madeAt } from '@weft/kernel';
import type { mongo } from 'mongoose';

/** As long as its id is younger than this, a play that moves is not marked. */
const YOUNG_MS = 10_000;
/** What an unmarked write may be on its way for, and the clocks of processes, as MongoDB tells them, may differ by. */
const SLACK_MS = 5_000;

/** What was marked after the answer of its insert, which came late, was marked up to this long after its end. */
const MARKED_AGAIN_MS = 60_000;

/** What the mark adds to a play; only the readers of moves know it. */
export interface LateMove {
  readonly movedAt?: Date;
}

/** Ids above this one are of young plays. */
export function youngAbove(serverNowMs: number): string {
  return lastIdAt(serverNowMs - YOUNG_MS);
}

/** From then on, by MongoDB's clock, a move of this play is only found when it is marked. */
export function foundUnmarkedUntil(playId: string): Date {
  return new Date(madeAt(playId) + YOUNG_MS + SLACK_MS);
}

/** Plays with an id up to this one were marked when they moved since then (epoch ms). */
export function youngSince(sinceMs: number): string {
  return lastIdAt(Math.max(0, sinceMs - YOUNG_MS - SLACK_MS));
}

/** Marks of plays that ended within that range when they were not young any more: a mark is of the same write as the end. */
export function lateSince(from: Date, to: Date | undefined): { $gte: Date; $lte?: Date } {
  return {
    $gte: new Date(from.getTime() - SLACK_MS),
    ...(to && { $lte: new Date(to.getTime() + MARKED_AGAIN_MS) }),
  };
}

/** As they are to be inserted: those of slots that a schedule missed have an id from long ago. */
export function markedMoves(plays: readonly Play[], serverNowMs: number): readonly (Play & LateMove)[] {
  const young = youngAbove(serverNowMs);
  if (plays.every((play) => play._id > young)) return plays;
  const movedAt = new Date(serverNowMs);
  return plays.map((play) => (play._id <= young ? { ...play, movedAt } : play));
}

export const MARK = { $currentDate: { movedAt: true } } as mongo.UpdateFilter<Play>;

/**
 * Whether what was sent then was on its way for so long that its moves are not found by what was known when it was sent.
 *
 * @param operationTime of MongoDB's clock, in whole seconds
 */
export function isLateAnswer(operationTime: mongo.Timestamp | undefined, sentAtMs: number): boolean {
  return operationTime !== undefined && operationTime.t * 1_000 - sentAtMs >= SLACK_MS - 1_000;
}
