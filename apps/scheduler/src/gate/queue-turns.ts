import type { Reached } from '@weft/persistence';
import { LRUCache } from 'lru-cache';

/** Of one company in a row. */
const QUEUES_PER_TURN = 100;
/** A company that is forgotten begins with its first queue again. */
const MAX_COMPANIES = 10_000;

/** Gives the queues of all companies a few at a time, so that one with very many does not delay the others. */
export class QueueTurns<Key extends { readonly companyId: string }> {
  private company: string | null = null;
  /** The last queue that was given of each company that has more. */
  private readonly unfinished = new LRUCache<string, Key>({ max: MAX_COMPANIES });

  /** @param next the next queue, in order of company and name; null: all have been given */
  constructor(private readonly next: (reached: Reached<Key>) => Promise<Key | null>) {}

  /**
   * Each company has its turn. Companies with more queues get the room that is left after that.
   *
   * @returns fewer than `most`: the last queue of each company was given, and the next call begins with the first company
   */
  async take(most: number): Promise<readonly Key[]> {
    const taken: Key[] = [];
    let first = await this.nextCompany(this.company);
    while (first && taken.length < most) {
      const { companyId } = first;
      const hasWholeTurn = taken.length === 0 || most - taken.length >= QUEUES_PER_TURN;
      first = await this.turn(first, taken, most);
      // the next call begins with the rest of its turn
      if (!hasWholeTurn && this.unfinished.has(companyId)) return taken;
      this.company = companyId;
    }
    if (first) return taken;
    this.company = null;
    while (taken.length < most && this.unfinished.size > 0) await this.fillUp(taken, most);
    return taken;
  }

  /** @returns the first queue of the next company */
  private async turn(first: Key, taken: Key[], most: number): Promise<Key | null> {
    const { companyId } = first;
    const before = this.unfinished.get(companyId);
    const later = before ? await this.next(before) : first;
    const next = await this.give(later?.companyId === companyId ? later : first, taken, most);
    return next?.companyId === companyId ? this.nextCompany(companyId) : next;
  }

  /** One more turn of each company that has more queues. */
  private async fillUp(taken: Key[], most: number): Promise<void> {
    for (const companyId of [...this.unfinished.rkeys()]) {
      if (taken.length >= most) return;
      const later = await this.next(this.unfinished.get(companyId) ?? { companyId });
      if (later?.companyId === companyId) await this.give(later, taken, most);
      else this.unfinished.delete(companyId);
    }
  }

  /** @returns the queue after those that were given */
  private async give(first: Key, taken: Key[], most: number): Promise<Key | null> {
    const { companyId } = first;
    const end = Math.min(most, taken.length + QUEUES_PER_TURN);
    let key: Key | null = first;
    while (key?.companyId === companyId && taken.length < end) {
      taken.push(key);
      key = await this.next(key);
    }
    const last = taken.at(-1);
    if (last && key?.companyId === companyId) this.unfinished.set(companyId, last);
    else this.unfinished.delete(companyId);
    return key;
  }

  private nextCompany(companyId: string | null): Promise<Key | null> {
    return this.next(companyId === null ? null : { companyId });
  }
}
