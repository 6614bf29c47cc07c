import type { QueueInspector } from '@weft/queue';
import type { Logger } from 'pino';
import type { HealingLoop } from './healing-loop.js';

export interface RedisGenerationDeps {
  readonly queue: Pick<QueueInspector, 'generation'>;
  /** All open plays are to be looked at again. */
  readonly forgetSeen: () => void;
  readonly log: Logger;
}

/** Everything is looked at again that often: partial losses of Redis leave no other trace. */
const FULL_LOOK_EVERY_MS = 10 * 60_000;

/** Notices that Redis is another one or lost its data. */
export class RedisGeneration implements HealingLoop {
  readonly name = 'generation of Redis';
  private known: string | null = null;
  private lookedAtAllAtMs = performance.now();

  constructor(private readonly deps: RedisGenerationDeps) {}

  async pass(): Promise<void> {
    const generation = await this.deps.queue.generation();
    const isAnother = this.known !== null && this.known !== generation;
    const isFullLookDue = performance.now() - this.lookedAtAllAtMs > FULL_LOOK_EVERY_MS;
    this.known = generation;
    if (!isAnother && !isFullLookDue) return;
    if (isAnother)
      this.deps.log.warn(
        { component: 'reconciler' },
        'Redis is another one or lost data: all open plays are looked at again',
      );
    this.lookedAtAllAtMs = performance.now();
    this.deps.forgetSeen();
  }
}
