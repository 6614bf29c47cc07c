import type { Redis } from 'ioredis';
import type { QueueKeys } from './keys.js';

const ALIVE_MS = 20_000;
const LOOK_EVERY_MS = 2_000;
const LEAST_WINDOW = 64;

/** What a worker tells of itself. One of an earlier version tells its slots only. */
export interface WorkerSign {
  readonly slots: number;
  readonly version?: string;
  /** Epoch ms. */
  readonly startedAt?: number;
  /** Plays that it executes. */
  readonly running?: number;
}

export interface LiveWorker extends WorkerSign {
  readonly id: string;
  /** Epoch ms, by MongoDB's clock. */
  readonly at: number;
}

/** Which workers live and how many plays each takes at once: what the window's size follows from. */
export class LiveWorkers {
  private slots = 0;
  private lookedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly redis: Redis,
    private readonly keys: QueueKeys,
  ) {}

  /** A worker's sign of life; every few seconds. @param nowMs MongoDB's clock */
  async announce(bootId: string, sign: WorkerSign, nowMs: number): Promise<void> {
    await this.redis.hset(this.keys.workers, bootId, JSON.stringify({ ...sign, at: Math.round(nowMs) }));
  }

  /** Those that live, in order of their start. @param nowMs MongoDB's clock */
  async list(nowMs: number): Promise<LiveWorker[]> {
    const all = Object.entries(await this.redis.hgetall(this.keys.workers));
    return all
      .map(([id, text]) => ({ id, ...(JSON.parse(text) as WorkerSign & { readonly at: number }) }))
      .filter(({ at }) => nowMs - at < ALIVE_MS)
      .sort((a, b) => (a.startedAt ?? 0) - (b.startedAt ?? 0));
  }

  async leave(bootId: string): Promise<void> {
    await this.redis.hdel(this.keys.workers, bootId);
  }

  /** Twice the live slots, at least 64; what was last known while Redis is away. @param nowMs MongoDB's clock */
  window(fixed: number, nowMs: number): number {
    if (fixed > 0) return fixed;
    if (performance.now() - this.lookedAt > LOOK_EVERY_MS) {
      void this.look(nowMs).catch(() => undefined); // keeps what it knew
    }
    return Math.max(LEAST_WINDOW, 2 * this.slots);
  }

  /** The same as of now. @throws while Redis is away */
  async windowNow(fixed: number, nowMs: number): Promise<number> {
    if (fixed === 0) await this.look(nowMs);
    return this.window(fixed, nowMs);
  }

  private async look(nowMs: number): Promise<void> {
    this.lookedAt = performance.now();
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
