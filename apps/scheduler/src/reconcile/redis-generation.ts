import type { QueueInspector } from '@weft/queue';
import type { Logger } from 'pino';
import type { HealingLoop } from './healing-loop.js';

export interface RedisGenerationDeps {
  readonly queue: Pick<QueueInspector, 'generation' | 'isEmpty'>;
  /** All open plays are to be looked at again. */
  readonly forgetSeen: () => void;
  readonly log: Logger;
}

/** How often everything is looked at again: partial losses of Redis leave no other trace. */
const FULL_LOOK_EVERY_MS = 10 * 60_000;

/**
 * The least time between two full looks that an empty queue causes: its lists may be lost while the jobs are still there.
 */
const EMPTY_LOOK_EVERY_MS = 30_000;

/** Notices that Redis was replaced or lost its data, all of it or a list, and that the jobs of a company are in other queues now. */
export class RedisGeneration implements HealingLoop {
  readonly name = 'generation of Redis';
  private known: string | null = null;
  private lookedAtAllAtMs = performance.now();
  private wasEmpty = true;
  private lookedSinceEmptyAtMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly deps: RedisGenerationDeps) {}

  async pass(): Promise<void> {
    const generation = await this.deps.queue.generation();
    const isAnother = this.known !== null && this.known !== generation;
    const isFullLookDue = performance.now() - this.lookedAtAllAtMs > FULL_LOOK_EVERY_MS;
    this.known = generation;
    const hasEmptied = await this.hasEmptied();
    if (!isAnother && !isFullLookDue && !hasEmptied) return;
    if (isAnother)
      this.deps.log.warn(
        { component: 'reconciler' },
        'Redis is another one or lost data, or a company got another label of workers: all open plays are looked at again',
      );
    this.lookedAtAllAtMs = performance.now();
    this.deps.forgetSeen();
  }

  /** The queue became empty since the last look, and plays may wait for lost jobs. */
  private async hasEmptied(): Promise<boolean> {
    if (!(await this.deps.queue.isEmpty())) {
      this.wasEmpty = false;
      return false;
    }
    if (this.wasEmpty || performance.now() - this.lookedSinceEmptyAtMs < EMPTY_LOOK_EVERY_MS) return false;
    this.wasEmpty = true;
    this.lookedSinceEmptyAtMs = performance.now();
    return true;
  }
}
