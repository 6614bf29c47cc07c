/**
 * The cursor of a company's stream. Any gateway can read it: it contains a time of MongoDB's clock up to which its
 * reader has everything, and the reader's position in plays for which that time is not enough. Those are few: open
 * plays, and plays that ended a moment ago. What does not fit into the cursor is sent again after a resume, never left
 * out.
 */
import { createHash } from 'node:crypto';

/** Nine characters of time, then twelve for each play: eight of its tag, four of its position. */
const SHAPE = /^1([0-9a-z]{9})((?:[A-Za-z0-9_-]{8}[0-9a-z]{4})*)$/;
const ENTRY_CHARS = 12;
const TAG_CHARS = 8;
export const CURSOR_PLAYS_MAX = 20;

export interface Cursor {
  /** Epoch ms. */
  readonly since: number;
  /** Last log entry that the reader has of a play, by the play's tag. */
  readonly positions: ReadonlyMap<string, number>;
}

/** 48 bits instead of the play's id, since a cursor is part of every message. */
export function playTag(playId: string): string {
  return createHash('sha1').update(playId).digest('base64url').slice(0, TAG_CHARS);
}

export function cursorEntry(tag: string, position: number): string {
  return tag + position.toString(36).padStart(4, '0');
}

/** @param entries of `cursorEntry`; the last one of a play counts */
export function cursorText(since: number, entries: string): string {
  return `1${since.toString(36).padStart(9, '0')}${entries}`;
}

/** Null when the text is not a cursor of this stream. */
export function readCursor(text: string): Cursor | null {
  if (text.length > 10 + ENTRY_CHARS * (CURSOR_PLAYS_MAX + 1)) return null;
  const parts = SHAPE.exec(text);
  if (!parts) return null;
  const [, since = '', entries = ''] = parts;
  const positions = new Map<string, number>();
  for (let i = 0; i < entries.length; i += ENTRY_CHARS) {
    const tag = entries.slice(i, i + TAG_CHARS);
    positions.set(tag, Number.parseInt(entries.slice(i + TAG_CHARS, i + ENTRY_CHARS), 36));
  }
  return { since: Number.parseInt(since, 36), positions };
}
