/**
 * Which layer results the frames of a journal are made of, so that a reader who has sent a part need not read the results
 * again that it sent. Decides nothing about frames: their numbers are those of `journal`.
 */
import { hasNoFrame } from './play-log.js';
import type { LogEntry } from './play.js';

/** The frame with this number shows the result at this index of `Play.layers`. */
export interface ResultNeed {
  readonly frameSeq: number;
  readonly index: number;
}

/** The results that the frames from number `fromFrameSeq` on show, in the order of the frames. */
export function resultsNeeded(log: readonly LogEntry[], fromFrameSeq = 1): ResultNeed[] {
  const needs: ResultNeed[] = [];
  let frameSeq = 0;
  let index = 0;
  for (const entry of log) {
    if (entry.type === 'accepted') index += entry.taken ?? 0;
    if (hasNoFrame(entry)) continue;
    frameSeq += 1;
    if (entry.type !== 'complete') continue;
    if (frameSeq >= fromFrameSeq) needs.push({ frameSeq, index });
    index += 1;
  }
  return needs;
}
