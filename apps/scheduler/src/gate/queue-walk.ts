import type { Reached } from '@weft/persistence';
import { inParallel } from '../in-parallel.js';
import { QueueTurns } from './queue-turns.js';

export interface QueueWalkOptions<Key> {
  /** The most queues of one pass. Default: 1,000. */
  readonly most?: number;
  /** Of the queues of a pass, those that need healing, asked for together. Default: all. */
  readonly select?: (queues: readonly Key[]) => Promise<readonly Key[]>;
}

/** Queues that are looked at in parallel: a slow one does not delay the others. */
const AT_ONCE = 8;

/**
 * Walks the queues of all companies in which something waits: those of flows for admission, those of lanes for a turn, those of
 * loops for the ends of their plays. A limited number in a pass, some of each company in turn, and again from the first one.
 */
export class QueueWalk<Key extends { readonly companyId: string }> {
  private readonly turns: QueueTurns<Key>;

  constructor(
    next: (reached: Reached<Key>) => Promise<Key | null>,
    private readonly heal: (queue: Key) => Promise<void>,
    /** A queue could not be healed. The others are not affected. */
    private readonly onFault: (error: unknown) => void,
    private readonly options: QueueWalkOptions<Key> = {},
  ) {
    this.turns = new QueueTurns(next);
  }

  /** @returns how many queues were looked at */
  async pass(): Promise<number> {
    const { most = 1_000, select } = this.options;
    const queues = await this.turns.take(most);
    const wanted = select && queues.length > 0 ? await select(queues) : queues;
    await inParallel(wanted, AT_ONCE, (queue) => this.heal(queue).catch((error: unknown) => this.onFault(error)));
    return queues.length;
  }
}
