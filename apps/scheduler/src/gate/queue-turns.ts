import { LRUCache } from 'lru-cache';

/** Of one company in a row. */
const QUEUES_PER_TURN = 100;
/** A company that is forgotten begins with its first queue again. */
const MAX_COMPANIES = 10_000;

/** Gives the queues of all companies a few at a time, so that one with very many does not delay the others. */
export class QueueTurns<Key extends { readonly companyId: string }> {
  private company: string | null = null;
  /** The last queue of each company that was given. */
  private readonly reached = new LRUCache<string, Key>({ max: MAX_COMPANIES });

  /**
   * @param next the next queue, in order of company and name; null: all have been given
   * @param lastOf a key after all queues of a company
   */
  constructor(
    private readonly next: (after: Key | null) => Promise<Key | null>,
    private readonly lastOf: (companyId: string) => Key,
  ) {}

  /** @returns fewer than `most`: all companies have had their turn, and the next call begins with the first one */
  async take(most: number): Promise<readonly Key[]> {
    const taken: Key[] = [];
    while (taken.length < most) {
      const first: Key | null = await this.next(this.company === null ? null : this.lastOf(this.company));
      this.company = first?.companyId ?? null;
      if (!first) break;
      taken.push(...(await this.turn(first, Math.min(QUEUES_PER_TURN, most - taken.length))));
    }
    return taken;
  }

  private async turn(first: Key, most: number): Promise<readonly Key[]> {
    const { companyId } = first;
    const before = this.reached.get(companyId);
    const later = before ? await this.next(before) : first;
    const taken: Key[] = [];
    let key: Key | null = later?.companyId === companyId ? later : first;
    while (key?.companyId === companyId && taken.length < most) {
      taken.push(key);
      key = await this.next(key);
    }
    const last = taken.at(-1);
    if (last && key?.companyId === companyId) this.reached.set(companyId, last);
    else this.reached.delete(companyId);
    return taken;
  }
}
