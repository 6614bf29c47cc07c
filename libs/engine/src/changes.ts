/**
 * The changes of state in a journal: what a reader of a company's stream is told, of the play itself and of its layers.
 * Numbers are those of `journal`, so they have gaps: a failed attempt and the closing frame change no state.
 */
import { shownOutput, type JournalSource } from './journal.js';
import { isSilent } from './play-log.js';

export interface PlayChange {
  /** Number of the journal's frame that tells the same. */
  readonly seq: number;
  /** Number of the log entry: what `Play.seq` counts. */
  readonly entry: number;
  /** Null: the play's own state. */
  readonly ref: string | null;
  /** Null: told, and no change of a state. Only where all was asked for. */
  readonly state: string | null;
  /** As in the journal: itself while small, else where it lies. Null while there is none. */
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

/**
 * Changes told by log entries after number `after`, in order, as far as their results were read.
 *
 * @param readTo index behind the last result that was read; Infinity when there are no further ones
 * @param all also what tells of no state: one for each frame of `journal`, then
 */
export function playChanges(play: JournalSource, after: number, readTo: number, all = false): PlayChanges {
  const first = play.layersFrom ?? 0;
  const changes: PlayChange[] = [];
  let seq = 0;
  let results = 0;
  for (const entry of play.log) {
    if (entry.type === 'accepted') results += entry.taken ?? 0;
    if (isSilent(entry)) continue;
    seq += 1;
    const index = results;
    if (entry.type === 'complete') results += 1;
    if (entry.seq <= after) continue;
    const told = { seq, entry: entry.seq, at: entry.at, outBytes: 0 };
    switch (entry.type) {
      case 'state':
        changes.push({ ...told, ref: null, state: entry.state, out: null });
        break;
      case 'start':
        changes.push({ ...told, ref: entry.ref, state: 'RUN', out: null });
        break;
      case 'complete': {
        if (index < first || index >= readTo) return { changes, to: entry.seq - 1, missing: index };
        const result = play.layers[index - first];
        const out = result ? shownOutput(play._id, result) : null;
        const outBytes = result && out === result.out ? result.outBytes : 0;
        changes.push({ ...told, ref: result?.ref ?? '', state: entry.state, out, outBytes });
        break;
      }
      default:
        if (all) changes.push({ ...told, ref: null, state: null, out: null });
    }
  }
  return { changes, to: Math.max(after, play.log.at(-1)?.seq ?? 0), missing: null };
}
