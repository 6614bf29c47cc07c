/** Frames of one play: docs/reference/events.md. The client does not import the server's types: it is published alone. */
interface FrameData {
  layer_start: { layer_id: string; flowlet_name: string; ref: string; timestamp: string };
  layer_progress: { layer_id: string; progress_percent: number; status: string; ref: string };
  layer_delta: { layer_id: string; answer: number; at: number; text: string; ref: string };
  layer_complete: { layer_id: string; status: string; duration_ms: number; output: unknown; ref: string };
  layer_error: { layer_id: string; error_message: string; retry_count: number; ref: string };
  play_state_change: { play_id: string; old_status: string; new_status: string; timestamp: string };
  play_complete: { play_id: string; final_status: string; duration_ms: number; kv_summary: unknown };
}

export type FrameType = keyof FrameData;

/** `seq` counts from 1 by one, and is the cursor: watch again from `seq + 1`. `layer_progress` and `layer_delta` have none, and are never repeated. */
export type PlayFrame = {
  [Type in FrameType]: {
    readonly seq?: number;
    readonly type: Type;
    readonly playId: string;
    readonly data: FrameData[Type];
  };
}[FrameType];

/** What a server has sent as a frame; undefined when it is none. */
export function toFrame(value: unknown): PlayFrame | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { type, data, seq } = value as Partial<Record<keyof PlayFrame, unknown>>;
  const isFrame =
    typeof type === 'string' &&
    typeof data === 'object' &&
    data !== null &&
    (seq === undefined || Number.isSafeInteger(seq));
  return isFrame ? (value as PlayFrame) : undefined;
}

/** The same for a message of a socket. */
export function readFrame(message: unknown, parse: (text: string) => unknown): PlayFrame | undefined {
  try {
    return toFrame(parse(String(message)));
  } catch {
    return undefined;
  }
}
