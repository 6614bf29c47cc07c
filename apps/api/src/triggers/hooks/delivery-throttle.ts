import type { Settings } from '@weft/config';
import { WeftError, type Clock } from '@weft/kernel';
import { RedisNames, Scripts, type Redis } from '@weft/redis';
import { LRUCache } from 'lru-cache';

/** How many seconds of a rate may be taken at once. */
const BURST_SECONDS = 10;
const MAX_KNOWN = 20_000;

/**
 * Limits the deliveries of each trigger, and those of all triggers of a company, over all replicas. While Redis is
 * unreachable each replica counts for itself, so that a limit is exceeded at most by the factor of the number of replicas.
 */
export class DeliveryThrottle {
  private readonly scripts: Scripts;
  private readonly names: RedisNames;
  /** What this replica counts itself: monotonic ms at which everything taken is paid off. */
  private readonly own = new LRUCache<string, number>({ max: MAX_KNOWN });

  /** @param prefix of the Redis keys; processes with another prefix count separately */
  constructor(
    private readonly rates: Settings['triggers'],
    redis: Redis,
    prefix: string,
    private readonly clock: Pick<Clock, 'monotonicMs'>,
  ) {
    this.scripts = new Scripts(redis);
    this.names = new RedisNames(prefix);
  }

  /** @throws WeftError `too_many_deliveries` with the seconds until there is room */
  async take(companyId: string, triggerId: string): Promise<void> {
    const { rate, companyRate } = this.rates;
    const keys = this.names.deliveryRates(companyId, triggerId);
    const args = [rate, companyRate, BURST_SECONDS] as const;
    const waitMs = await this.scripts.one('takeDelivery', { keys, args }).catch(() => this.takeOwn(keys));
    if (waitMs <= 0) return;
    throw new WeftError(
      'too_many_deliveries',
      'The trigger gets more deliveries than it may. Send this one again later.',
      {
        retryAfterSeconds: Math.ceil(waitMs / 1_000),
      },
    );
  }

  private takeOwn(keys: readonly [string, string]): number {
    const now = this.clock.monotonicMs();
    const rates = [this.rates.rate, this.rates.companyRate];
    const paidOff = keys.map((key, i) => Math.max(this.own.get(key) ?? 0, now) + 1_000 / (rates[i] as number));
    const waitMs = Math.max(...paidOff) - now - BURST_SECONDS * 1_000;
    if (waitMs <= 0) keys.forEach((key, i) => this.own.set(key, paidOff[i]));
    return waitMs;
  }
}
