import type { Clock } from '@weft/kernel';
import type { Redis } from './redis.js';
import { Scripts } from './scripts.js';
import { LRUCache } from 'lru-cache';

const MAX_KNOWN = 20_000;

/** Two rates that a thing takes of at once: its own, and the one of its company; a second. */
export type RatePair = readonly [own: number, company: number];

/**
 * Counts what is taken of rates, over all replicas. While Redis is unreachable each replica counts for itself, so that a rate is
 * exceeded at most by the factor of the number of replicas.
 */
export class SharedRates {
  private readonly scripts: Scripts;
  /** What this replica counts itself: monotonic ms at which everything taken is paid off. */
  private readonly own = new LRUCache<string, number>({ max: MAX_KNOWN });

  constructor(
    redis: Redis,
    private readonly clock: Pick<Clock, 'monotonicMs'>,
  ) {
    this.scripts = new Scripts(redis);
  }

  /**
   * Takes one of both rates, if both have room.
   *
   * @param keys in one hash slot
   * @param burstSeconds of a rate that may be taken at once
   * @returns ms until there is room; 0 or less when it was taken
   */
  take(keys: readonly [string, string], rates: RatePair, burstSeconds: number): Promise<number> {
    const args = [rates[0], rates[1], burstSeconds] as const;
    return this.scripts.one('takeDelivery', { keys, args }).catch(() => this.takeOwn(keys, rates, burstSeconds));
  }

  private takeOwn(keys: readonly [string, string], rates: RatePair, burstSeconds: number): number {
    const now = this.clock.monotonicMs();
    const paidOff = keys.map((key, i) => Math.max(this.own.get(key) ?? 0, now) + 1_000 / (rates[i] as number));
    // parts of a millisecond are what rounding has added: the last of a burst must not be refused for them
    const waitMs = Math.floor(Math.max(...paidOff) - now - burstSeconds * 1_000);
    if (waitMs <= 0) keys.forEach((key, i) => this.own.set(key, paidOff[i]));
    return waitMs;
  }
}
