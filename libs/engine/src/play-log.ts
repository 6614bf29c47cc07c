/** Numbering: the one place where events get their `seq`, as they are put into a write. And how many there may be. */
import type { LogEntry } from './play.js';

/** A log entry before the write that stores it gave it its number. */
export type PlayEvent = LogEntry extends infer Entry ? (Entry extends LogEntry ? Omit<Entry, 'seq'> : never) : never;

/** Entries that a watcher is told nothing about: they have no frame, and no number among the frames. */
export type SilentEntry = Extract<LogEntry, { type: 'accepted' | 'resumed' | 'claimed' }>;

/** Beside the start and the end of each layer, a play has at most about this many events: past it no holds, no further tries. */
export const LOG_BOUND = 1_000;

/** Entries `seq + 1 … seq + n`. */
export function numbered(seq: number, events: readonly PlayEvent[]): LogEntry[] {
  return events.map((event, i) => ({ seq: seq + 1 + i, ...event }));
}

export function isSilent(entry: LogEntry): entry is SilentEntry {
  return entry.type === 'accepted' || entry.type === 'resumed' || entry.type === 'claimed';
}

export function mayLogMore({ seq, cursor }: { readonly seq: number; readonly cursor: number }): boolean {
  return seq - 2 * cursor < LOG_BOUND;
}
