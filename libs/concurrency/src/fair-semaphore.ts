import { RoundRobinQueue } from './round-robin-queue.js';

/**
 * Admits a limited number of holders at once; others wait, and companies take turns. When companies should share time instead of
 * turns, or the queue must be limited, take `FairTaskRunner`.
 */
export class FairSemaphore {
  private available: number;
  private readonly waiting = new RoundRobinQueue<() => void>();

  /** @param atOnce the most holders at a time */
  constructor(atOnce: number) {
    this.available = atOnce;
  }

  /** Resolves when the holder is admitted; gives the function that releases. */
  async acquire(companyId: string): Promise<() => void> {
    if (this.available > 0) this.available -= 1;
    else await new Promise<void>((resolve) => this.waiting.add(companyId, resolve));
    return () => {
      const next = this.waiting.shift();
      if (next) next.item();
      else this.available += 1;
    };
  }
}
