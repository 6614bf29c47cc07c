import { inParallel } from '../in-parallel.js';

/** The most queues of one pass. */
const QUEUES_PER_PASS = 1_000;
/** Queues that are looked at in parallel: a slow one does not delay the others. */
const AT_ONCE = 8;

/**
 * Walks the queues in which plays wait, those of flows for their admission or those of lanes for their turn: a limited number in a
 * pass, and starts again at the end.
 */
export class QueueWalk<Key> {
  private after: Key | null = null;

  constructor(
    private readonly next: (after: Key | null) => Promise<Key | null>,
    private readonly heal: (queue: Key) => Promise<void>,
    /** A queue could not be healed. The others are not affected. */
    private readonly onFault: (error: unknown) => void,
    private readonly most = QUEUES_PER_PASS,
  ) {}

  /** @returns how many queues were looked at */
  async pass(): Promise<number> {
    const queues: Key[] = [];
    let reached = this.after;
    do {
      reached = await this.next(reached);
      if (reached) queues.push(reached);
    } while (reached && queues.length < this.most);
    this.after = reached;
    await inParallel(queues, AT_ONCE, (queue) => this.heal(queue).catch((error: unknown) => this.onFault(error)));
    return queues.length;
  }
}
