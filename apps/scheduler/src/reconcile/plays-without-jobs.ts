import type { OpenPlay } from '@weft/engine';

/** The most plays that are kept from the first look until the second. */
const MOST = 20_000;

interface Found {
  readonly play: OpenPlay;
  readonly atMs: number;
}

/** Plays that were found without a job, in the order in which they were found. Bounded. */
export class PlaysWithoutJobs {
  private readonly plays = new Map<string, Found>();

  get isFull(): boolean {
    return this.plays.size >= MOST;
  }

  /** @param atMs monotonic time of the first look */
  add(play: OpenPlay, atMs: number): void {
    const known = this.plays.get(play._id)?.play;
    if (known?.epoch === play.epoch && known.seq === play.seq) return;
    this.plays.delete(play._id);
    this.plays.set(play._id, { play, atMs });
  }

  /** The first ones that were found before `untilMs`. */
  foundBefore(untilMs: number, limit: number): OpenPlay[] {
    const found: OpenPlay[] = [];
    for (const { play, atMs } of this.plays.values()) {
      if (atMs > untilMs || found.length === limit) break;
      found.push(play);
    }
    return found;
  }

  remove(plays: Iterable<OpenPlay>): void {
    for (const { _id } of plays) this.plays.delete(_id);
  }
}
