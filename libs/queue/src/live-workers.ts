import type { Redis } from 'ioredis';
import type { QueueKeys } from './keys.js';

const ALIVE_MS = 20_000;
const LOOK_EVERY_MS = 2_000;
const LEAST_WINDOW = 64;

/** Which workers live and how many plays each takes at once: what the window's size follows from. */
export class LiveWorkers {
  private slots = 0;
  private lookedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly redis: Redis,
    private readonly keys: QueueKeys,
  ) {}

  /** A worker's sign of life; every few seconds. @param nowMs MongoDB's clock */
  async announce(bootId: string, slots: number, nowMs: number): Promise<void> {
    await this.redis.hset(this.keys.workers, bootId, JSON.stringify({ slots, at: Math.round(nowMs) }));
  }

  async leave(bootId: string): Promise<void> {
    await this.redis.hdel(this.keys.workers, bootId);
  }

  /** Twice the live slots, at least 64; what was last known while Redis is away. @param nowMs MongoDB's clock */
  window(fixed: number, nowMs: number): number {
    if (fixed > 0) return fixed;
    if (performance.now() - this.lookedAt > LOOK_EVERY_MS) {
      this.lookedAt = performance.now();
      void this.look(nowMs).catch(() => undefined); // keeps what it knew
    }
    return Math.max(LEAST_WINDOW, 2 * this.slots);
  }

  private async look(nowMs: number): Promise<void> {
    const all = await this.redis.hgetall(this.keys.workers);
    let slots = 0;
    for (const [bootId, text] of Object.entries(all)) {
      const sign = JSON.parse(text) as { slots: number; at: number };
      if (nowMs - sign.at < ALIVE_MS) slots += sign.slots;
      else await this.leave(bootId);
    }
    this.slots = slots;
  }
}
