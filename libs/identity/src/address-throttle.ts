import type { Clock } from '@weft/kernel';
import { LRUCache } from 'lru-cache';
import { tooManyAttempts } from './login-throttle.js';

const WINDOW_MS = 60_000;
/** The least recently seen are forgotten first. */
const MAX_REMEMBERED = 100_000;

/** Bounds what this process does in a minute for one address, of the network or of e-mail. */
export class AddressThrottle {
  private readonly tallies = new LRUCache<string, { count: number; readonly endsAtMs: number }>({
    max: MAX_REMEMBERED,
  });

  constructor(
    private readonly clock: Pick<Clock, 'monotonicMs'>,
    private readonly limit: number,
    /** Begins the refusal. */
    private readonly tooMany = 'Too many attempts from this address',
  ) {}

  /** @throws WeftError `too_many_attempts` with the seconds until the address's minute is over */
  assertOpen(address: string): void {
    const tally = this.present(address);
    if (!tally || tally.count < this.limit) return;
    throw tooManyAttempts(tally.endsAtMs - this.clock.monotonicMs(), this.tooMany);
  }

  /** One more of what is bounded; the minute begins with the first. */
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
