import { WeftError, type Clock } from '@weft/kernel';
import { LRUCache } from 'lru-cache';

/** docs/http-api.md §2: failures a minute, after which the rest of the minute is closed, also for the right password. */
export const LOGIN_LIMITS = { pair: 5, account: 50, address: 100 } as const;
export const LOGIN_WINDOW_MS = 60_000;
/** The least recently used ones are dropped first; an attacker who fills this has already reached the limit of the address. */
const MAX_TALLIES = 100_000;
const MAX_WAITING = 200;

type Kind = keyof typeof LOGIN_LIMITS;

interface Tally {
  failures: number;
  /** Attempts that have not ended yet. */
  pending: number;
  /** Monotonic ms; the window begins with its first failure. */
  endsAtMs: number;
}

/** One attempt to sign in. The caller ends it exactly once. */
export interface LoginAttempt {
  /** @param failed true only for a wrong credential: nothing else counts as a failure */
  end(failed: boolean): void;
}

/**
 * Limits failed sign-ins in this process. Attempts that could together exceed a limit are admitted one after the other: of 50
 * parallel guesses at most 5 are checked, and 50 parallel sign-ins with the right password all succeed.
 */
export class LoginThrottle {
  private readonly tallies = new LRUCache<string, Tally>({ max: MAX_TALLIES });
  private waiting: (() => void)[] = [];

  constructor(private readonly clock: Clock) {}

  /**
   * @param account normalized, whether it exists or not: the answer must not reveal that
   * @throws WeftError `too_many_attempts` with the seconds until the limit's minute is over
   */
  async begin(account: string, address: string): Promise<LoginAttempt> {
    const keys: readonly (readonly [Kind, string])[] = [
      ['pair', `p ${address} ${account}`],
      ['address', `i ${address}`],
      ['account', `a ${account}`],
    ];
    for (;;) {
      const tallies = keys.map(([kind, key]) => ({ kind, tally: this.tallyOf(key) }));
      const closed = tallies.filter(({ kind, tally }) => tally.failures >= LOGIN_LIMITS[kind]);
      if (closed.length > 0) throw this.refusal(Math.max(...closed.map(({ tally }) => tally.endsAtMs)));
      if (tallies.every(({ kind, tally }) => tally.failures + tally.pending < LOGIN_LIMITS[kind])) {
        return this.admit(tallies.map(({ tally }) => tally));
      }
      await this.waitForAnEnd();
    }
  }

  private admit(tallies: readonly Tally[]): LoginAttempt {
    for (const tally of tallies) tally.pending += 1;
    return {
      end: (failed) => {
        for (const tally of tallies) {
          tally.pending -= 1;
          if (failed) this.countFailure(tally);
        }
        const woken = this.waiting;
        this.waiting = [];
        for (const wake of woken) wake();
      },
    };
  }

  private countFailure(tally: Tally): void {
    const now = this.clock.monotonicMs();
    if (now >= tally.endsAtMs) {
      tally.failures = 0;
      tally.endsAtMs = now + LOGIN_WINDOW_MS;
    }
    tally.failures += 1;
  }

  private tallyOf(key: string): Tally {
    let tally = this.tallies.get(key);
    if (!tally) {
      tally = { failures: 0, pending: 0, endsAtMs: 0 };
      this.tallies.set(key, tally);
    }
    if (this.clock.monotonicMs() >= tally.endsAtMs) tally.failures = 0;
    return tally;
  }

  private waitForAnEnd(): Promise<void> {
    if (this.waiting.length >= MAX_WAITING) throw this.refusal(this.clock.monotonicMs() + 1_000);
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  private refusal(untilMs: number): WeftError {
    return tooManyAttempts(untilMs - this.clock.monotonicMs());
  }
}

/** @param ms until it may be tried again */
export function tooManyAttempts(ms: number, what = 'Too many failed sign-ins'): WeftError {
  const seconds = Math.max(1, Math.ceil(ms / 1000));
  return new WeftError('too_many_attempts', `${what}. Try again in ${seconds} s.`, {
    retryAfterSeconds: seconds,
  });
}
