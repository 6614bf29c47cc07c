/** Which layers are running according to the frames of a log. Frames themselves are decided in `journal`. */
import { framesOf } from './play-log.js';
import type { LogEntry } from './play.js';

export interface LogReading {
  /** Number of the last frame. */
  readonly frames: number;
  /** By position, the refs of layers that have started and not ended. */
  readonly running: ReadonlyMap<number, string>;
}

export function runningLayers(log: readonly LogEntry[]): LogReading {
  const running = new Map<number, string>();
  let frames = 0;
  for (const { frameSeq, entry } of framesOf(log)) {
    frames = frameSeq;
    if (entry.type === 'start') running.set(entry.layer, entry.ref);
    else if (entry.type === 'complete') running.delete(entry.layer);
    else if (entry.type === 'end') running.clear();
  }
  return { frames, running };
}
