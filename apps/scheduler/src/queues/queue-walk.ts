import { CompanyRounds, type CompanyStep } from '@weft/concurrency';
import type { Reached } from '@weft/store';
import { LRUCache } from 'lru-cache';
import { inParallel } from '../in-parallel.js';

export interface QueueWalkOptions<Key> {
  /** The most queues of one pass. Default: 1,000. */
  readonly most?: number;
  /** Of the queues of a pass, those that need healing, asked for together. Default: all. */
  readonly select?: (queues: readonly Key[]) => Promise<readonly Key[]>;
}

/** Of one company in a row. */
const QUEUES_PER_STEP = 100;
/** Queues that are looked at in parallel: a slow one does not delay the others. */
const AT_ONCE = 8;
/** A company that is forgotten begins with its first queue again. */
const MAX_COMPANIES = 10_000;

/**
 * Walks the queues of all companies in which something waits: those for turns, those of loops for the ends of their plays. A limited number in a pass, some of each company in turn, and again from the first one.
 */
export class QueueWalk<Key extends { readonly companyId: string }> {
  private readonly rounds: CompanyRounds<Key>;
  private taken: Key[] = [];
  /** The last queue that was taken of each company that has more. */
  private readonly unfinished = new LRUCache<string, Key>({ max: MAX_COMPANIES });

  constructor(
    private readonly next: (reached: Reached<Key>) => Promise<Key | null>,
    private readonly heal: (queue: Key) => Promise<void>,
    /** A queue could not be healed. The others are not affected. */
    private readonly onFault: (error: unknown) => void,
    private readonly options: QueueWalkOptions<Key> = {},
  ) {
    this.rounds = new CompanyRounds({
      next: (after) => next(after === '' ? null : { companyId: after }),
      step: (first, atMost) => this.take(first, atMost),
      stepSize: QUEUES_PER_STEP,
      most: options.most ?? 1_000,
    });
  }

  /** @returns how many queues were looked at */
  async pass(): Promise<number> {
    const { select } = this.options;
    this.taken = [];
    await this.rounds.pass();
    const queues = this.taken;
    const wanted = select && queues.length > 0 ? await select(queues) : queues;
    await inParallel(wanted, AT_ONCE, (queue) => this.heal(queue).catch((error: unknown) => this.onFault(error)));
    return queues.length;
  }

  private async take(first: Key, atMost: number): Promise<CompanyStep> {
    const { companyId } = first;
    const isOfCompany = (key: Key | null): key is Key => key?.companyId === companyId;
    const before = this.unfinished.get(companyId);
    const later = before ? await this.next(before) : first;
    let key: Key | null = isOfCompany(later) ? later : first;
    const taken: Key[] = [];
    while (isOfCompany(key) && taken.length < atMost) {
      taken.push(key);
      key = await this.next(key);
    }
    this.taken.push(...taken);
    const last = taken.at(-1);
    const more = isOfCompany(key);
    if (more && last) this.unfinished.set(companyId, last);
    else this.unfinished.delete(companyId);
    return { did: taken.length, more };
  }
}
