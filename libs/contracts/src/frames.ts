/**
 * Live frames of one play: docs/live.md. `seq` counts from 1 by one over the numbered frames;
 * `layer_progress` and `layer_delta` have none and are never replayed.
 */
export interface FrameData {
  layer_start: { layer_id: string; flowlet_name: string; ref: string; timestamp: string };
  layer_progress: { layer_id: string; progress_percent: number; status: string; ref: string };
  layer_delta: { layer_id: string; answer: number; at: number; text: string; ref: string };
  layer_complete: { layer_id: string; status: string; duration_ms: number; output: unknown; ref: string };
  layer_error: { layer_id: string; error_message: string; retry_count: number; ref: string };
  play_state_change: { play_id: string; old_status: string; new_status: string; timestamp: string };
  play_complete: {
    play_id: string;
    final_status: string;
    duration_ms: number;
    kv_summary: { reads: number; writes: number; keys: readonly string[] };
  };
}

export type FrameType = keyof FrameData;

export type PlayFrame = {
  [T in FrameType]: { readonly seq?: number; readonly type: T; readonly playId: string; readonly data: FrameData[T] };
}[FrameType];

/** Close codes of the sockets: docs/live.md. */
export const CLOSE = {
  complete: 1000,
  goingAway: 1001,
  tooBig: 1009,
  badMessage: 4400,
  sessionEnded: 4401,
  rightLost: 4403,
  playDeleted: 4404,
  noPong: 4408,
  tooSlow: 4410,
  tooMany: 4429,
} as const;

/** What is shown of an output that is too large to be shown itself: the path that answers with all of it, and its length. */
export function outputRef(
  playId: string,
  ref: string,
  bytes: number,
): { readonly $ref: string; readonly bytes: number } {
  return { $ref: `/api/v1/plays/${playId}/layers/${ref}/out`, bytes };
}
