/**
 * The changes of state in a journal, of the play and of its layers: what a reader of a company's stream gets.
 * `frameSeq` is the number in `journal`, so it has gaps: a failed attempt and the last frame change no state.
 */
import type { PlayState } from '@weft/contracts';
import { isReferred, shownOutput, type JournalSource } from './journal.js';
import { framesOf } from './play-log.js';
import type { LogEntry, Play } from './play.js';

export interface PlayChange {
  /** The number of the journal's frame for the same change; 0: the acceptance of the play, which has no frame. */
  readonly frameSeq: number;
  /** The number of the log entry, as `Play.seq` counts them. */
  readonly logSeq: number;
  /** Null: the play's own state. */
  readonly ref: string | null;
  /** Null: not a change of state. Only where all frames were requested. */
  readonly state: string | null;
  /** Of the play, the state before; null: it was accepted in `state`, or this is not about the play's own state. */
  readonly oldState: PlayState | null;
  /** As in the journal: the output itself while small, else a reference to it. Null while there is no output. */
  readonly out: unknown;
  /** About the length of `out` as text. */
  readonly outBytes: number;
  readonly at: Date;
}

export interface PlayChanges {
  readonly changes: readonly PlayChange[];
  /** The changes are given up to here: the entry that must be asked after next. */
  readonly to: number;
  /** Index of the result that the next change shows and that was not read; null when nothing is missing. */
  readonly missing: number | null;
}

export type ChangesSource = JournalSource & Pick<Play, 'state'>;

/**
 * Changes of the log entries after number `after`, in order, as far as their results were read.
 *
 * @param readTo index of the first result that was not read; Infinity when all were read
 * @param all also what tells of no state: one for each frame of `journal`, then
 */
export function playChanges(play: ChangesSource, afterLogSeq: number, readTo: number, all = false): PlayChanges {
  const first = play.layersFrom ?? 0;
  const changes: PlayChange[] = [];
  const [accepted] = play.log;
  if (accepted?.type === 'accepted' && afterLogSeq < accepted.seq) changes.push(acceptance(play, accepted));
  for (const { frameSeq, entry, resultIndex: index } of framesOf(play.log)) {
    if (entry.seq <= afterLogSeq) continue;
    const change = { frameSeq, logSeq: entry.seq, at: entry.at, oldState: null, outBytes: 0 };
    switch (entry.type) {
      case 'state':
        changes.push({ ...change, ref: null, state: entry.state, oldState: entry.from, out: null });
        break;
      case 'start':
        changes.push({ ...change, ref: entry.ref, state: 'RUN', out: null });
        break;
      case 'complete': {
        if (index < first || index >= readTo) return { changes, to: entry.seq - 1, missing: index };
        const result = play.layers[index - first];
        const out = result ? shownOutput(play._id, result) : null;
        const outBytes = result && !isReferred(result) ? result.outBytes : 0;
        changes.push({ ...change, ref: result?.ref ?? '', state: entry.state, out, outBytes });
        break;
      }
      default:
        if (all) changes.push({ ...change, ref: null, state: null, out: null });
    }
  }
  return { changes, to: Math.max(afterLogSeq, play.log.at(-1)?.seq ?? 0), missing: null };
}

/** The state that a play was accepted in is the one that it has left first, if it has left any. */
function acceptance({ log, state }: ChangesSource, { seq, at }: LogEntry): PlayChange {
  const first = log.find((entry) => entry.type === 'state');
  return {
    frameSeq: 0,
    logSeq: seq,
    ref: null,
    state: first?.from ?? state,
    oldState: null,
    out: null,
    outBytes: 0,
    at,
  };
}
