import { WeftError, type Clock } from '@weft/kernel';
import { RedisNames, SharedRates, type Redis } from '@weft/redis';
import type { CompanyLimits, CompanyRules } from './company-limits.js';

/** How many seconds of the rate may be taken at once. */
const BURST_SECONDS = 10;
/** Retention may have made room by then. */
const STORAGE_AGAIN_SECONDS = 60;

/** Refuses runs of companies that start more, or store more, than their operators allow. */
export class CompanyRates {
  private readonly shared: SharedRates;
  private readonly names: RedisNames;

  /** @param prefix of the Redis keys; while Redis is unreachable each process counts for itself */
  constructor(
    private readonly limits: CompanyLimits,
    redis: Redis,
    prefix: string,
    clock: Pick<Clock, 'monotonicMs'>,
  ) {
    this.shared = new SharedRates(redis, clock);
    this.names = new RedisNames(prefix);
  }

  /**
   * Counts one more run. A promise only for a company with a rate.
   *
   * @throws WeftError `too_many_runs`, `storage_full`
   */
  take(companyId: string): void | Promise<void> {
    const rules = this.limits.lastKnown(companyId);
    assertBytes(rules, 0);
    if (rules.runsPerSecond !== null) return this.takeRun(companyId, rules.runsPerSecond);
  }

  /** @param more bytes that are to be stored @throws WeftError `storage_full` */
  assertStorage(companyId: string, more = 0): void {
    assertBytes(this.limits.lastKnown(companyId), more);
  }

  private async takeRun(companyId: string, rate: number): Promise<void> {
    const key = this.names.runRate(companyId);
    const waitMs = await this.shared.take([key, key], [rate, rate], BURST_SECONDS);
    if (waitMs <= 0) return;
    const retryAfterSeconds = Math.ceil(waitMs / 1_000);
    const detail = `The company may start ${rate} plays a second, as an operator has set. Try again in ${retryAfterSeconds} s.`;
    throw new WeftError('too_many_runs', detail, { retryAfterSeconds });
  }
}

function assertBytes({ bytesMax, bytesStored }: CompanyRules, more: number): void {
  if (bytesMax === null || bytesStored + more <= bytesMax) return;
  throw new WeftError(
    'storage_full',
    `The company stores ${bytesStored} bytes of plays, files and large values, ${bytesMax} are allowed. Delete plays, shorten their retention ` +
      'or ask the operator of the installation; what was freed counts when it is measured again, most often within a minute.',
    { retryAfterSeconds: STORAGE_AGAIN_SECONDS },
  );
}
