import type { Reached } from '@weft/persistence';
import { inParallel } from '../in-parallel.js';
import { QueueTurns } from './queue-turns.js';

export interface QueueWalkOptions {
  /** The most queues of one pass. Default: 1,000. */
  readonly most?: number;
  /** Queues that are looked at in parallel: a slow one does not delay the others. Default: 8. */
  readonly atOnce?: number;
}

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
    private readonly options: QueueWalkOptions = {},
  ) {
    this.turns = new QueueTurns(next);
  }

  /** @returns how many queues were looked at */
  async pass(): Promise<number> {
    const { most = 1_000, atOnce = 8 } = this.options;
    const queues = await this.turns.take(most);
    await inParallel(queues, atOnce, (queue) => this.heal(queue).catch((error: unknown) => this.onFault(error)));
    return queues.length;
  }
}
