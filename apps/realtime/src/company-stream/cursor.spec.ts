import { describe, expect, it } from 'vitest';
import { CURSOR_PLAYS_MAX, cursorEntry, cursorText, playTag, readCursor } from './cursor.js';

const now = Date.UTC(2026, 10, 21);

describe('a cursor', () => {
  it('gives back its time and positions, the last one of a play', () => {
    const [p1, p2] = [playTag('p1'), playTag('p2')];
    const text = cursorText(now, cursorEntry(p1, 7) + cursorEntry(p2, 1_600_000) + cursorEntry(p1, 9));
    expect(text).toMatch(/^[A-Za-z0-9_-]+$/);
    expect(readCursor(text)).toEqual({
      since: now,
      positions: new Map([
        [p1, 9],
        [p2, 1_600_000],
      ]),
    });
    expect(readCursor(cursorText(now, ''))).toEqual({ since: now, positions: new Map() });
  });

  it('is at most some 260 letters long', () => {
    const entries = Array.from({ length: CURSOR_PLAYS_MAX + 1 }, (_, i) => cursorEntry(playTag(`${i}`), i)).join('');
    const text = cursorText(now, entries);
    expect(text.length).toBeLessThan(265);
    expect(readCursor(text)?.positions.size).toBe(CURSOR_PLAYS_MAX + 1);
    expect(readCursor(text + cursorEntry(playTag('x'), 1))).toBeNull();
  });

  it.each(['', '1', '2mwqpt276y', '1mwqpt276', '1mwqpt276yabc', '1mwqpt276y<script>00', '1mwqpt276.ysnmxcG6y1v00'])(
    'is not %j',
    (text) => {
      expect(readCursor(text)).toBeNull();
    },
  );
});
