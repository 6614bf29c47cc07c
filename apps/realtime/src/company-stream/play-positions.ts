import { lastIdAt } from '@weft/kernel';
import type { StoredJournal } from '@weft/store';
import { CURSOR_PLAYS_MAX, cursorEntry, playTag } from './cursor.js';
import { EVENT_MARGIN_MS, REMEMBER_MS, STORE_MARGIN_MS } from './margins.js';

/** How far a play was delivered. */
export interface PlayPosition {
  readonly playId: string;
  /** The last log entry that was delivered, or need not be. */
  entry: number;
  /** Index of the first result that later frames can show. */
  layersFrom: number;
  /** MongoDB's time of the final write. */
  endedAt: number | null;
  touchedAt: number;
  tag: string | null;
}

const MAX_PLAYS = 20_000;
const MAX_RECENT = 64;

/** How far each play of a company was delivered, as long as it may be delivered again. All times are MongoDB's. */
export class PlayPositions {
  private readonly plays = new Map<string, PlayPosition>();
  /** The plays that moved last: a cursor may need their positions. */
  private recentlyMoved: PlayPosition[] = [];
  /** An unknown play with an id up to this one existed before this feed, or was forgotten. */
  private forgottenUpTo: string;
  private sweptAt: number;

  /**
   * @param now what happens from now on is delivered; the positions of plays that moved shortly before are set by
   * `record`
   */
  constructor(now: number) {
    this.forgottenUpTo = lastIdAt(now - REMEMBER_MS);
    this.sweptAt = now;
  }

  get(playId: string): PlayPosition | undefined {
    return this.plays.get(playId);
  }

  /** The play has this many entries, whoever delivered them. */
  record(playId: string, entry: number, endedAt: number | null, now: number): void {
    this.touch(this.plays.get(playId) ?? this.add(playId, now), entry, endedAt, now);
  }

  /** Where to continue with a play that was just read. */
  positionOf(play: Pick<StoredJournal, '_id' | 'log'>, now: number): PlayPosition {
    const known = this.plays.get(play._id);
    if (known) return known;
    const position = this.add(play._id, now);
    // the play existed before; only the times of its events say which of them are new
    if (play._id <= this.forgottenUpTo) position.entry = entryBefore(play.log, now - EVENT_MARGIN_MS);
    return position;
  }

  touch(position: PlayPosition, entry: number, endedAt: number | null, now: number): void {
    position.entry = Math.max(position.entry, entry);
    position.endedAt = endedAt;
    position.touchedAt = now;
    if (this.recentlyMoved.at(-1) === position) return;
    this.recentlyMoved = this.recentlyMoved.filter((one) => one !== position);
    this.recentlyMoved.push(position);
    if (this.recentlyMoved.length > MAX_RECENT) this.trimRecentlyMoved(now);
  }

  forget(playId: string): void {
    this.plays.delete(playId);
    this.recentlyMoved = this.recentlyMoved.filter((one) => one.playId !== playId);
  }

  /**
   * The play entries of a cursor for readers that have everything up to here; the caller appends that of `except`
   * itself.
   */
  cursorEntries(watermark: number, except: PlayPosition | null): string {
    let entries = '';
    let count = 0;
    for (let i = this.recentlyMoved.length - 1; i >= 0 && count < CURSOR_PLAYS_MAX; i -= 1) {
      const position = this.recentlyMoved[i];
      if (!position || position === except || isSettled(position, watermark)) continue;
      entries += cursorEntry(tagOf(position), position.entry);
      count += 1;
    }
    return entries;
  }

  /**
   * Forgets plays that ended a while ago and, when there are too many, those that have not moved for the longest time.
   */
  sweep(now: number): void {
    if (now - this.sweptAt < REMEMBER_MS / 4) return;
    this.sweptAt = now;
    for (const [id, { endedAt, touchedAt }] of this.plays) {
      if (endedAt !== null && now - touchedAt > REMEMBER_MS) this.plays.delete(id);
    }
    const tooMany = this.plays.size - MAX_PLAYS;
    if (tooMany > 0) {
      const byAge = [...this.plays.values()].sort((a, b) => a.touchedAt - b.touchedAt);
      for (const { playId } of byAge.slice(0, tooMany)) this.plays.delete(playId);
    }
    this.forgottenUpTo = max(this.forgottenUpTo, lastIdAt(now - REMEMBER_MS));
  }

  private add(playId: string, now: number): PlayPosition {
    const position: PlayPosition = { playId, entry: 0, layersFrom: 0, endedAt: null, touchedAt: now, tag: null };
    this.plays.set(playId, position);
    return position;
  }

  private trimRecentlyMoved(now: number): void {
    const open = this.recentlyMoved.filter((one) => !isSettled(one, now - REMEMBER_MS / 4));
    this.recentlyMoved = open.slice(-MAX_RECENT / 2);
  }
}

/** The last entry of a log from before this time; 0 when the log has no such entry. */
export function entryBefore(log: StoredJournal['log'], time: number): number {
  let last = 0;
  for (const entry of log) {
    if (entry.at.getTime() >= time) break;
    last = entry.seq;
  }
  return last;
}

export function tagOf(position: PlayPosition): string {
  return (position.tag ??= playTag(position.playId));
}

/** The play ended so long ago that the cursor's time alone says that its reader has it. */
function isSettled({ endedAt }: PlayPosition, watermark: number): boolean {
  return endedAt !== null && endedAt < watermark - STORE_MARGIN_MS;
}

function max(a: string, b: string): string {
  return a > b ? a : b;
}
