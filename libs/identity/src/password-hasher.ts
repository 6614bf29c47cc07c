import { availableParallelism } from 'node:os';
import { WeftError } from '@weft/kernel';
import bcrypt from 'bcrypt';
import { assertHashable } from './password-policy.js';

/** Specification §8. About a third of a second on the machines of 2026. */
const DEFAULT_COST = 12;

/** Nobody's password: compared with where there is no hash, so that a missing account costs what a present one does. */
const NOBODYS_HASH = '$2b$12$5dArFlhE/qqZtL.42qRN1eJ2OZibWFIdrPQaiRDOu/Ny2jYu.UtPe';

const ROUGH_SECONDS_PER_HASH = 0.4;

export interface PasswordHasherOptions {
  /** Hashes at once; default: the machine's cores. */
  readonly concurrency?: number;
  /** Callers that wait for their turn; one more gets 429. Default: 16 for each hash at once. */
  readonly maxWaiting?: number;
  /** bcrypt's cost of new hashes, a power of two; less than the default is for specs. */
  readonly cost?: number;
}

/**
 * bcrypt on its own threads, never more at once than cores: a flood of sign-ins takes no more from the rest of the process
 * than what the machine has to spare, and no memory.
 */
export class PasswordHasher {
  private readonly concurrency: number;
  private readonly maxWaiting: number;
  private readonly cost: number;
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(options: PasswordHasherOptions = {}) {
    this.concurrency = options.concurrency ?? availableParallelism();
    this.maxWaiting = options.maxWaiting ?? 16 * this.concurrency;
    this.cost = options.cost ?? DEFAULT_COST;
  }

  /** @throws WeftError `password_too_long`, `invalid_body`, `too_many_attempts` when the queue is full */
  async hash(password: string): Promise<string> {
    assertHashable(password);
    return this.inTurn(() => bcrypt.hash(password, this.cost));
  }

  /**
   * @param hash null where there is none: takes the same time, and is false
   * @throws WeftError as `hash`
   */
  async verify(password: string, hash: string | null): Promise<boolean> {
    assertHashable(password);
    const matches = await this.inTurn(() => bcrypt.compare(password, hash ?? NOBODYS_HASH));
    return hash !== null && matches;
  }

  private async inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.running < this.concurrency) this.running += 1;
    else await this.waitForTurn();
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.running -= 1;
    }
  }

  private waitForTurn(): Promise<void> {
    if (this.waiting.length >= this.maxWaiting) {
      const seconds = Math.ceil((this.maxWaiting / this.concurrency) * ROUGH_SECONDS_PER_HASH);
      throw new WeftError('too_many_attempts', 'Too many sign-ins are waiting. Try again in a few seconds.', {
        retryAfterSeconds: seconds,
      });
    }
    return new Promise((resolve) => this.waiting.push(resolve));
  }
}
