/** Numbering: the one place where events get their `seq`, as they are put into a write. */
import type { LogEntry } from './play.js';

/** A log entry before the write that stores it gave it its number. */
export type PlayEvent = LogEntry extends infer Entry ? (Entry extends LogEntry ? Omit<Entry, 'seq'> : never) : never;

/** Entries `seq + 1 … seq + n`. */
export function numbered(seq: number, events: readonly PlayEvent[]): LogEntry[] {
  return events.map((event, i) => ({ seq: seq + 1 + i, ...event }));
}
