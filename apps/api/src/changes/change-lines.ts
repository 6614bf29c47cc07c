import type { FrameType, PlayFrame } from '@weft/contracts';
import { journal, playChanges, type PlayChange } from '@weft/engine';
import { RESULTS_PER_READ, type PlayChangeRange, type StoredJournal } from '@weft/store';

/** One line of the feed without its cursor: docs/http-api.md §5. */
export interface ChangeLine {
  readonly playId: string;
  readonly flowId: string;
  /** Number of the frame in the play's own stream. */
  readonly seq: number;
  readonly type: FrameType;
  /** The state that the play or the layer has now; null where no state changed. */
  readonly state: string | null;
  /** Null: about the play itself. */
  readonly ref: string | null;
  readonly timestamp: string;
  readonly data: PlayFrame['data'];
}

export interface LinesOfPlay {
  readonly lines: readonly { readonly entry: number; readonly line: ChangeLine }[];
  /** Index of the first result that is missing for the remaining lines; null: none is missing. */
  readonly missingFrom: number | null;
}

/**
 * The lines of one play: its frames for the log entries of a range.
 *
 * @param layersFrom index of the first result that was read
 */
export function linesOfPlay(
  play: StoredJournal,
  { from, to }: Pick<PlayChangeRange, 'from' | 'to'>,
  layersFrom: number,
): LinesOfPlay {
  const source = { ...play, layersFrom };
  const readTo = play.layers.length < RESULTS_PER_READ ? Infinity : layersFrom + play.layers.length;
  const { changes: all, missing } = playChanges(source, from, readTo, true);
  // that a play was accepted has no frame
  const changes = all.filter(({ frameSeq }) => frameSeq > 0);
  const frames = changes[0] ? journal(source, changes[0].frameSeq) : [];
  const lines = changes.flatMap((change, i) => {
    const frame = frames[i];
    return frame && change.logSeq <= to ? [{ entry: change.logSeq, line: lineOf(play, change, frame) }] : [];
  });
  const isCovered = missing === null || (lines.at(-1)?.entry ?? 0) >= to;
  return { lines, missingFrom: isCovered ? null : missing };
}

function lineOf({ _id: playId, flowId }: StoredJournal, change: PlayChange, { type, data }: PlayFrame): ChangeLine {
  return {
    playId,
    flowId,
    seq: change.frameSeq,
    type,
    state: change.state,
    ref: 'ref' in data ? data.ref : null,
    timestamp: change.at.toISOString(),
    data,
  };
}
