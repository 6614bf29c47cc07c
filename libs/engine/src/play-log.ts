/** Numbers the events of a write (the only place where entries get their `seq`), and limits how many a play may have. */
import type { LogEntry } from './play.js';

/** A log entry without its number, which the write that stores it assigns. */
export type PlayEvent = LogEntry extends infer Entry ? (Entry extends LogEntry ? Omit<Entry, 'seq'> : never) : never;

/** Entries without a frame: watchers do not see them, and they have no frame number. */
export type FramelessEntry = Extract<LogEntry, { type: 'accepted' | 'resumed' | 'claimed' }>;

/**
 * Events of a play besides the start and the end of each layer. Beyond that its loops store nothing while they run, the play pauses
 * for a rate limit only late, and rounds do not pause.
 */
export const LOG_BOUND = 1_000;
/** Events that these leave to holds and to further attempts, which end beyond this, and to late pauses. */
export const LOG_RESERVE = 1_250;
/** Events of the reserve after which the play does not pause for a rate limit at all: the rest is for holds and attempts. */
const LATE_PAUSES = 1_000;
/** Before a late pause a call waits this long in the slot of its play, so that the play pauses at most once in that time. */
const LATE_PAUSE_MS = 60_000;

/**
 * Events beyond which a loop does not wait for its plays again. One of 10,000 plays needs fewer; one that starts its plays singly,
 * because its company has no room for them, would go on for ever.
 */
const LOOP_OF_PLAYS_BOUND = 4 * LOG_BOUND;

/** The entries with the numbers `seq + 1 … seq + n`. */
export function numberEvents(seq: number, events: readonly PlayEvent[]): LogEntry[] {
  return events.map((event, i) => ({ seq: seq + 1 + i, ...event }));
}

/** An entry that watchers see. */
export interface NumberedFrame {
  /** Counts the entries with a frame from 1. */
  readonly frameSeq: number;
  readonly entry: Exclude<LogEntry, FramelessEntry>;
  /** Index in `Play.layers` of the result that a `complete` shows; of the next one at any other entry. */
  readonly resultIndex: number;
}

/** The entries with a frame, in order. */
export function* framesOf(log: readonly LogEntry[]): Generator<NumberedFrame> {
  let frameSeq = 0;
  let resultIndex = 0;
  for (const entry of log) {
    if (entry.type === 'accepted') resultIndex += entry.taken ?? 0;
    if (hasNoFrame(entry)) continue;
    frameSeq += 1;
    yield { frameSeq, entry, resultIndex };
    if (entry.type === 'complete') resultIndex += 1;
  }
}

function hasNoFrame(entry: LogEntry): entry is FramelessEntry {
  return entry.type === 'accepted' || entry.type === 'resumed' || entry.type === 'claimed';
}

interface LogSize {
  readonly seq: number;
  readonly cursor: number;
}

/** For what a loop stores while it runs, and for a pause between rounds. */
export function hasLogRoom({ seq, cursor }: LogSize): boolean {
  return seq - 2 * cursor < LOG_BOUND;
}

/**
 * For how long a call waits for a rate limit in the slot of its play, before the play pauses; null: for a moment. Each pause adds
 * to the log, which must have room for holds and attempts.
 */
export function slotWaitMs({ seq, cursor }: LogSize): number | null {
  const events = seq - 2 * cursor;
  if (events < LOG_BOUND) return null;
  return events < LOG_BOUND + LATE_PAUSES ? LATE_PAUSE_MS : Number.POSITIVE_INFINITY;
}

/** For a further wait of a loop for the plays that it has started. */
export function hasLogRoomForPlays({ seq, cursor }: LogSize): boolean {
  return seq - 2 * cursor < LOOP_OF_PLAYS_BOUND;
}

/** For a hold, or for another attempt. */
export function hasLogReserve({ seq, cursor }: LogSize): boolean {
  return seq - 2 * cursor < LOG_BOUND + LOG_RESERVE;
}
