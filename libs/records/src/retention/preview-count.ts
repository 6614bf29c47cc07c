/** Counts for previews: as far as `MOST_PREVIEWED` plays, and for some seconds, whatever a company has stored. */
import { isTimeOver } from '@weft/store';
import { MOST_PREVIEWED, type SweepPreview } from './sweep.js';

/** What was counted; capped: there may be more. */
export interface Counted {
  readonly count: number;
  readonly isCapped: boolean;
}

export const NOTHING: Counted = { count: 0, isCapped: false };
const TOO_SLOW: Counted = { count: 0, isCapped: true };

/** @param counting of plays, up to `MOST_PREVIEWED` */
export async function counted(counting: Promise<number>): Promise<Counted> {
  return withinTime(counting.then((count) => ({ count, isCapped: count >= MOST_PREVIEWED })));
}

/** Where MongoDB's time is over, nothing is known but that there are many. */
export async function withinTime(counting: Promise<Counted>): Promise<Counted> {
  return counting.catch((error: unknown) => {
    if (isTimeOver(error)) return TOO_SLOW;
    throw error;
  });
}

export async function sumOf(counts: readonly Promise<Counted>[]): Promise<Counted> {
  return (await Promise.all(counts)).reduce(plus, NOTHING);
}

/** @param due of all */
export function previewOf(due: Counted, all: Counted): SweepPreview {
  const isCapped = all.isCapped || due.isCapped;
  return { wouldDelete: due.count, kept: Math.max(0, all.count - due.count), ...(isCapped && { isCapped }) };
}

export function plus(one: Counted, other: Counted): Counted {
  return { count: one.count + other.count, isCapped: one.isCapped || other.isCapped };
}
