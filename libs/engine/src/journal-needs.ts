/**
 * Which layer results the frames of a journal are made of, so that a reader who has sent a part need not read the results
 * again that it sent. Decides nothing about frames: their numbers are those of `journal`.
 */
import type { LogEntry } from './play.js';

/** The frame with this number shows the result at this position. */
export interface ResultNeed {
  readonly seq: number;
  readonly position: number;
}

/** The results that the frames from number `fromSeq` on show, in the order of the frames. */
export function resultsNeeded(log: readonly LogEntry[], fromSeq = 1): ResultNeed[] {
  const needs: ResultNeed[] = [];
  let seq = 0;
  for (const entry of log) {
    if (entry.type === 'accepted' || entry.type === 'resumed') continue;
    seq += 1;
    if (seq >= fromSeq && entry.type === 'complete') needs.push({ seq, position: entry.layer });
  }
  return needs;
}
