import { lastIdAt } from '@weft/kernel';
import type { StoredJournal } from '@weft/persistence';
import { CURSOR_PLAYS_MAX, cursorEntry, playTag } from './cursor.js';
import { EVENT_MARGIN_MS, REMEMBER_MS, STORE_MARGIN_MS } from './margins.js';

/** How far a play was told. */
export interface Position {
  readonly playId: string;
  /** The last log entry that was told, or needs no telling. */
  entry: number;
  /** Index of the first result that later frames can show. */
  layersFrom: number;
  /** MongoDB's time of the final write. */
  endedAt: number | null;
  touchedAt: number;
  tag: string | null;
}

const PLAYS_MAX = 20_000;
const RECENT_MAX = 64;

/** How far each play of a company was told that may be told of again. All times are MongoDB's. */
export class Positions {
  private readonly plays = new Map<string, Position>();
  /** Those that moved last: what a cursor may have to say. */
  private recent: Position[] = [];
  /** What is unknown and has an id up to this one was there before us, or was forgotten. */
  private knownAbove: string;
  private sweptAt: number;

  /** @param now the company's plays are told from here on; those that moved just before are made known by `learn` */
  constructor(now: number) {
    this.knownAbove = lastIdAt(now - REMEMBER_MS);
    this.sweptAt = now;
  }

  get(playId: string): Position | undefined {
    return this.plays.get(playId);
  }

  /** The play is that far, whoever told it. */
  learn(playId: string, entry: number, endedAt: number | null, now: number): void {
    this.touch(this.plays.get(playId) ?? this.add(playId, now), entry, endedAt, now);
  }

  /** Where to go on with a play that was just read. */
  of(play: Pick<StoredJournal, '_id' | 'log'>, now: number): Position {
    const known = this.plays.get(play._id);
    if (known) return known;
    const position = this.add(play._id, now);
    // it was there before; what of it is new follows from the times of its events alone
    if (play._id <= this.knownAbove) position.entry = entryBefore(play.log, now - EVENT_MARGIN_MS);
    return position;
  }

  touch(position: Position, entry: number, endedAt: number | null, now: number): void {
    position.entry = Math.max(position.entry, entry);
    position.endedAt = endedAt;
    position.touchedAt = now;
    if (this.recent.at(-1) === position) return;
    this.recent = this.recent.filter((one) => one !== position);
    this.recent.push(position);
    if (this.recent.length > RECENT_MAX) this.dropRecent(now);
  }

  drop(playId: string): void {
    this.plays.delete(playId);
    this.recent = this.recent.filter((one) => one.playId !== playId);
  }

  /** The entries of a cursor for readers who were told all this; `except` is added by who tells of it. */
  cursorEntries(watermark: number, except: Position | null): string {
    let entries = '';
    let count = 0;
    for (let i = this.recent.length - 1; i >= 0 && count < CURSOR_PLAYS_MAX; i -= 1) {
      const position = this.recent[i];
      if (!position || position === except || isSettled(position, watermark)) continue;
      entries += cursorEntry(tagOf(position), position.entry);
      count += 1;
    }
    return entries;
  }

  /** Forgets what ended a while ago, and, when there are very many, what did not move for the longest time. */
  sweep(now: number): void {
    if (now - this.sweptAt < REMEMBER_MS / 4) return;
    this.sweptAt = now;
    for (const [id, { endedAt, touchedAt }] of this.plays) {
      if (endedAt !== null && now - touchedAt > REMEMBER_MS) this.plays.delete(id);
    }
    const tooMany = this.plays.size - PLAYS_MAX;
    if (tooMany > 0) {
      const byAge = [...this.plays.values()].sort((a, b) => a.touchedAt - b.touchedAt);
      for (const { playId } of byAge.slice(0, tooMany)) this.plays.delete(playId);
    }
    this.knownAbove = max(this.knownAbove, lastIdAt(now - REMEMBER_MS));
  }

  private add(playId: string, now: number): Position {
    const position: Position = { playId, entry: 0, layersFrom: 0, endedAt: null, touchedAt: now, tag: null };
    this.plays.set(playId, position);
    return position;
  }

  private dropRecent(now: number): void {
    const open = this.recent.filter((one) => !isSettled(one, now - REMEMBER_MS / 4));
    this.recent = open.slice(-RECENT_MAX / 2);
  }
}

/** The last entry of a log that happened before then; 0 when there is none. */
export function entryBefore(log: StoredJournal['log'], time: number): number {
  let last = 0;
  for (const entry of log) {
    if (entry.at.getTime() >= time) break;
    last = entry.seq;
  }
  return last;
}

export function tagOf(position: Position): string {
  return (position.tag ??= playTag(position.playId));
}

/** Final, and so long before that the time alone says that its readers know it. */
function isSettled({ endedAt }: Position, watermark: number): boolean {
  return endedAt !== null && endedAt < watermark - STORE_MARGIN_MS;
}

function max(a: string, b: string): string {
  return a > b ? a : b;
}
