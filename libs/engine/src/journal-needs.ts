/**
 * Which layer results the frames of a journal are made of, so that a reader who has sent a part need not read the results
 * again that it sent. Decides nothing about frames: their numbers are those of `journal`.
 */
import { framesOf } from './play-log.js';
import type { LogEntry } from './play.js';

/** The frame with this number shows the result at this index of `Play.layers`. */
export interface ResultNeed {
  readonly frameSeq: number;
  readonly index: number;
}

/** The results that the frames from number `fromFrameSeq` on show, in the order of the frames. */
export function resultsNeeded(log: readonly LogEntry[], fromFrameSeq = 1): ResultNeed[] {
  const needs: ResultNeed[] = [];
  for (const { frameSeq, entry, resultIndex } of framesOf(log)) {
    if (entry.type === 'complete' && frameSeq >= fromFrameSeq) needs.push({ frameSeq, index: resultIndex });
  }
  return needs;
}
