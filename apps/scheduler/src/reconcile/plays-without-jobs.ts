import type { OpenPlay } from '@weft/engine';

/** The most plays that are kept from the first look until the second. */
const MOST = 20_000;
/** The most of them that a company's window does not know: one is enough for the window to be rebuilt. */
const MOST_UNKNOWN = 100;

interface Found {
  readonly play: OpenPlay;
  readonly atMs: number;
  readonly isUnknown: boolean;
}

/** Plays of a company that its window does not know. */
interface Unknown {
  readonly count: number;
  /** The smallest id of those that are kept. */
  readonly oldest: string;
  /** More were found than are kept. */
  readonly isCut: boolean;
}

/** Plays that were found without a job, in the order in which they were found. Bounded. */
export class PlaysWithoutJobs {
  private readonly plays = new Map<string, Found>();
  private readonly unknown = new Map<string, Unknown>();

  get isFull(): boolean {
    return this.plays.size >= MOST;
  }

  /** @param atMs monotonic time of the first look */
  add(play: OpenPlay, isUnknown: boolean, atMs: number): void {
    const known = this.plays.get(play._id);
    if (known?.play.epoch === play.epoch && known.play.seq === play.seq) return;
    if (known) this.remove([known.play]);
    if (isUnknown && !this.count(play)) return;
    this.plays.set(play._id, { play, atMs, isUnknown });
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
    for (const { _id, company_id } of plays) {
      const suspect = this.plays.get(_id);
      this.plays.delete(_id);
      const unknown = suspect?.isUnknown ? this.unknown.get(company_id) : undefined;
      if (!unknown) continue;
      if (unknown.count === 1) this.unknown.delete(company_id);
      else this.unknown.set(company_id, { ...unknown, count: unknown.count - 1 });
    }
  }

  /** Whether its window did not know it at the first look. */
  isUnknown(playId: string): boolean {
    return this.plays.get(playId)?.isUnknown === true;
  }

  /** The kept plays of the company that its window does not know, if there are any. */
  unknownOf(companyId: string): Unknown | undefined {
    return this.unknown.get(companyId);
  }

  /** @returns false when enough plays of the company are kept */
  private count({ _id, company_id }: OpenPlay): boolean {
    const unknown = this.unknown.get(company_id) ?? { count: 0, oldest: _id, isCut: false };
    if (unknown.count >= MOST_UNKNOWN) {
      this.unknown.set(company_id, { ...unknown, isCut: true });
      return false;
    }
    const oldest = _id < unknown.oldest ? _id : unknown.oldest;
    this.unknown.set(company_id, { ...unknown, count: unknown.count + 1, oldest });
    return true;
  }
}
