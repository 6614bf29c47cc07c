import type { Clock } from '@weft/kernel';
import { LRUCache } from 'lru-cache';
import { tooManyAttempts } from './login-throttle.js';

const WINDOW_MS = 60_000;
/** The least recently used ones are dropped first. */
const MAX_TALLIES = 100_000;

/** Limits how often in a minute this process does something for one network or e-mail address. */
export class AddressThrottle {
  private readonly tallies = new LRUCache<string, { count: number; readonly endsAtMs: number }>({
    max: MAX_TALLIES,
  });

  constructor(
    private readonly clock: Pick<Clock, 'monotonicMs'>,
    private readonly limit: number,
    /** The beginning of the error message. */
    private readonly tooMany = 'Too many attempts from this address',
  ) {}

  /** @throws WeftError `too_many_attempts` with the seconds until the address's minute is over */
  assertOpen(address: string): void {
    const tally = this.present(address);
    if (!tally || tally.count < this.limit) return;
    throw tooManyAttempts(tally.endsAtMs - this.clock.monotonicMs(), this.tooMany);
  }

  /** Counts one attempt; the minute begins with the first one. */
  count(address: string): void {
    const tally = this.present(address);
    if (tally) tally.count += 1;
    else this.tallies.set(address, { count: 1, endsAtMs: this.clock.monotonicMs() + WINDOW_MS });
  }

  private present(address: string): { count: number; readonly endsAtMs: number } | undefined {
    const tally = this.tallies.get(address);
    return tally && this.clock.monotonicMs() < tally.endsAtMs ? tally : undefined;
  }
}
