import type { LayerState, PlayFrame, PlayState } from '@weft/contracts';

/** What one layer did, as the frames tell. Times are epoch milliseconds. */
export interface LayerTrack {
  readonly ref: string;
  readonly state: LayerState;
  readonly startMs: number | null;
  readonly endMs: number | null;
  /** Of each failed attempt, in order. */
  readonly failures: readonly string[];
  readonly output: unknown;
}

/** A stretch in which the play did not run: it waited, was deferred, or was held. */
export interface Rest {
  readonly state: PlayState;
  readonly fromMs: number;
  readonly toMs: number | null;
}

export interface Journal {
  readonly state: PlayState;
  readonly layers: ReadonlyMap<string, LayerTrack>;
  readonly rests: readonly Rest[];
  /** Of the first and of the last frame with a time. */
  readonly startMs: number | null;
  readonly lastMs: number | null;
}

const EMPTY: Omit<LayerTrack, 'ref'> = { state: 'NEW', startMs: null, endMs: null, failures: [], output: null };
const RESTS: ReadonlySet<string> = new Set(['WAIT', 'DEFERRED', 'ON_HOLD']);

/**
 * The play as it was after a frame. The frames follow from the stored play alone, so this is what anybody saw at that moment.
 *
 * @param frames in order, from the first
 * @param upTo the last frame that counts; all without it
 */
export function journalOf(frames: readonly PlayFrame[], upTo = Infinity): Journal {
  const layers = new Map<string, LayerTrack>();
  const rests: Rest[] = [];
  let state: PlayState = 'NEW';
  let startMs: number | null = null;
  let lastMs: number | null = null;
  const change = (ref: string, fields: Partial<LayerTrack>): void => {
    layers.set(ref, { ...EMPTY, ref, ...layers.get(ref), ...fields });
  };
  for (const frame of frames) {
    if ((frame.seq ?? 0) > upTo) break;
    if (frame.type === 'play_state_change') {
      const at = Date.parse(frame.data.timestamp);
      const open = rests.at(-1);
      if (open?.toMs === null) rests[rests.length - 1] = { ...open, toMs: at };
      state = frame.data.new_status as PlayState;
      if (RESTS.has(state)) rests.push({ state, fromMs: at, toMs: null });
      startMs ??= at;
      lastMs = at;
    } else if (frame.type === 'layer_start') {
      const at = Date.parse(frame.data.timestamp);
      change(frame.data.ref, { state: 'RUN', startMs: at });
      startMs ??= at;
      lastMs = Math.max(lastMs ?? at, at);
    } else if (frame.type === 'layer_error') {
      const known = layers.get(frame.data.ref)?.failures ?? [];
      change(frame.data.ref, { failures: [...known, frame.data.error_message] });
    } else if (frame.type === 'layer_complete') {
      const { ref, status, duration_ms, output } = frame.data;
      const start = layers.get(ref)?.startMs ?? null;
      const endMs = start === null ? null : start + duration_ms;
      change(ref, { state: status as LayerState, endMs, output });
      if (endMs !== null) lastMs = Math.max(lastMs ?? endMs, endMs);
    }
  }
  return { state, layers, rests, startMs, lastMs };
}

/** A frame in words, for the slider and for who cannot see it. */
export function frameText(frame: PlayFrame): string {
  switch (frame.type) {
    case 'play_state_change':
      return `the play goes from ${frame.data.old_status} to ${frame.data.new_status}`;
    case 'layer_start':
      return `“${frame.data.ref}” starts`;
    case 'layer_error':
      return `attempt ${frame.data.retry_count + 1} of “${frame.data.ref}” fails: ${frame.data.error_message}`;
    case 'layer_complete':
      return `“${frame.data.ref}” ends ${frame.data.status}`;
    case 'play_complete':
      return `the play ends ${frame.data.final_status}`;
    case 'layer_delta':
      return `“${frame.data.ref}” says: ${frame.data.text}`;
    case 'layer_progress':
      return `“${frame.data.ref}” is at ${frame.data.progress_percent} %`;
  }
}
