import type { Settings } from '@weft/config';
import { WeftError, type Clock } from '@weft/kernel';
import { RedisNames, SharedRates, type Redis } from '@weft/redis';

/** How many seconds of a rate may be taken at once. */
const BURST_SECONDS = 10;

/** Limits the deliveries of each trigger, and those of all triggers of a company, over all replicas. */
export class DeliveryThrottle {
  private readonly shared: SharedRates;
  private readonly names: RedisNames;

  /** @param prefix of the Redis keys; processes with another prefix count separately */
  constructor(
    private readonly rates: Settings['triggers'],
    redis: Redis,
    prefix: string,
    clock: Pick<Clock, 'monotonicMs'>,
  ) {
    this.shared = new SharedRates(redis, clock);
    this.names = new RedisNames(prefix);
  }

  /** @throws WeftError `too_many_deliveries` with the seconds until there is room */
  async take(companyId: string, triggerId: string): Promise<void> {
    const { rate, companyRate } = this.rates;
    const keys = this.names.deliveryRates(companyId, triggerId);
    const waitMs = await this.shared.take(keys, [rate, companyRate], BURST_SECONDS);
    if (waitMs <= 0) return;
    throw new WeftError(
      'too_many_deliveries',
      'The trigger gets more deliveries than it may. Send this one again later.',
      {
        retryAfterSeconds: Math.ceil(waitMs / 1_000),
      },
    );
  }
}
