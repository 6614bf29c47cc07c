import type { LayerText, PlayFrame } from '@weft/contracts';
import { playLayerId, type LayerWait } from '@weft/engine';

export interface DisplayedProgress {
  readonly percent: number;
  readonly status: string;
}

/** A frame without a number: it is not part of the journal and is never sent again. */
export function progressFrame(
  playId: string,
  position: number,
  ref: string,
  { percent, status }: DisplayedProgress,
): Buffer {
  const data = { layer_id: playLayerId(playId, position), progress_percent: percent, status, ref };
  return Buffer.from(JSON.stringify({ type: 'layer_progress', playId, data } satisfies PlayFrame));
}

/** The same of what a layer says. */
export function textFrame(
  playId: string,
  position: number,
  ref: string,
  { answer, at, text }: Pick<LayerText, 'answer' | 'at' | 'text'>,
): Buffer {
  const data = { layer_id: playLayerId(playId, position), answer, at, text, ref };
  return Buffer.from(JSON.stringify({ type: 'layer_delta', playId, data } satisfies PlayFrame));
}

/** The elapsed share of a parked delay's time; null for a wait that does not end by time. */
export function delayProgress(wait: LayerWait, nowMs: number): DisplayedProgress | null {
  if (wait.kind !== 'delay' || !wait.until) return null;
  const sinceMs = wait.since.getTime();
  const lengthMs = wait.until.getTime() - sinceMs;
  const passed = lengthMs > 0 ? ((nowMs - sinceMs) * 100) / lengthMs : 100;
  return {
    percent: Math.floor(Math.max(0, Math.min(100, passed))),
    status: `waiting until ${wait.until.toISOString()}`,
  };
}
