import type { LayerState } from '@weft/contracts';
import type { Journal, LayerTrack, Rest } from './journal';
import { timeScale, type Fold, type Span } from './time-scale';

export interface Segment {
  /** Percent of the whole width. */
  readonly at: number;
  readonly width: number;
  /** True where the layer waited: for its next attempt, an answer, a time. */
  readonly isRest: boolean;
  readonly span: Span;
}

export interface Bar {
  readonly ref: string;
  readonly state: LayerState;
  readonly segments: readonly Segment[];
  /** From its start to its end, or to now. */
  readonly tookMs: number | null;
}

export interface Timeline {
  readonly bars: ReadonlyMap<string, Bar>;
  readonly folds: readonly Fold[];
  readonly span: Span | null;
}

/** @param nowMs where layers end that have not ended */
export function timelineOf(journal: Journal, nowMs: number): Timeline {
  const tracks = [...journal.layers.values()];
  const starts = tracks.flatMap(({ startMs }) => (startMs === null ? [] : [startMs]));
  if (starts.length === 0) return { bars: new Map(), folds: [], span: null };
  const isOpen = tracks.some(({ startMs, endMs }) => startMs !== null && endMs === null);
  const last = Math.max(...starts, journal.lastMs ?? 0, ...(isOpen ? [nowMs] : []));
  const span = { fromMs: Math.min(...starts, journal.startMs ?? Infinity), toMs: last };
  const pieces = new Map(tracks.map((track) => [track.ref, piecesOf(track, journal.rests, last)]));
  const active = [...pieces.values()].flat().filter(({ isRest }) => !isRest);
  const scale = timeScale(span, active);
  const bars = tracks.map((track): [string, Bar] => {
    const segments = (pieces.get(track.ref) ?? []).map(({ fromMs, toMs, isRest }) => {
      const at = scale.place(fromMs);
      return { at, width: scale.place(toMs) - at, isRest, span: { fromMs, toMs } };
    });
    const { ref, state, startMs, endMs } = track;
    return [ref, { ref, state, segments, tookMs: startMs === null ? null : (endMs ?? last) - startMs }];
  });
  return { bars: new Map(bars), folds: scale.folds, span };
}

type Piece = Span & { readonly isRest: boolean };

/** Cuts a layer's time where the play rested. */
function piecesOf({ startMs, endMs }: LayerTrack, rests: readonly Rest[], lastMs: number): Piece[] {
  if (startMs === null) return [];
  const to = endMs ?? lastMs;
  const pieces: Piece[] = [];
  let reached = startMs;
  for (const rest of rests) {
    const from = Math.max(rest.fromMs, reached);
    const until = Math.min(rest.toMs ?? lastMs, to);
    if (until <= from) continue;
    if (from > reached) pieces.push({ fromMs: reached, toMs: from, isRest: false });
    pieces.push({ fromMs: from, toMs: until, isRest: true });
    reached = until;
  }
  if (to > reached || pieces.length === 0) pieces.push({ fromMs: reached, toMs: Math.max(to, reached), isRest: false });
  return pieces;
}
