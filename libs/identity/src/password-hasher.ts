import { timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { WeftError } from '@weft/kernel';
import bcrypt from 'bcrypt';
import { assertHashable } from './password-policy.js';

/** Promised in docs/http-api.md §2. About a third of a second on the machines of 2026. */
const DEFAULT_COST = 12;

/** The hash of nobody's password: compared with when there is no hash, so that an unknown account takes as long as a known one. */
const NOBODYS_HASH = '$2b$12$5dArFlhE/qqZtL.42qRN1eJ2OZibWFIdrPQaiRDOu/Ny2jYu.UtPe';

/** Version, cost and 22 characters of salt. */
const SALT_LENGTH = 29;
const SALT = /^\$2[ab]\$\d\d\$[./A-Za-z0-9]{22}/;

const ROUGH_SECONDS_PER_HASH = 0.4;

export interface PasswordHasherOptions {
  /** Hashes computed in parallel; default: the machine's cores. */
  readonly concurrency?: number;
  /** Callers that may wait; one more gets 429. Default: 16 for each parallel hash. */
  readonly maxWaiting?: number;
  /** bcrypt's cost of new hashes: the binary logarithm of the rounds. Less than the default is for specs. */
  readonly cost?: number;
}

/**
 * Runs bcrypt on its own threads, at most as many in parallel as there are cores, so that a flood of sign-ins takes no memory
 * and little time from the rest of the process.
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

  /**
   * @param others hashes of accounts with the same address: they share a salt, so that a sign-in computes one hash however
   *   many accounts it is compared with
   * @throws WeftError `password_too_long`, `invalid_body`, `too_many_attempts` when the queue is full
   */
  async hash(password: string, others: readonly (string | null)[] = []): Promise<string> {
    assertHashable(password);
    const start = `$2b$${String(this.cost).padStart(2, '0')}$`;
    const salt = others.map(saltOf).find((each) => each?.startsWith(start));
    return this.inTurn(() => bcrypt.hash(password, salt ?? this.cost));
  }

  /**
   * @param hash null when the account has no password: takes the same time and returns false
   * @throws WeftError as `hash`
   */
  async verify(password: string, hash: string | null): Promise<boolean> {
    assertHashable(password);
    const matches = await this.inTurn(() => bcrypt.compare(password, hash ?? NOBODYS_HASH));
    return hash !== null && matches;
  }

  /**
   * Which of the hashes match the password. Takes as long for none as for one.
   *
   * @throws WeftError as `hash`
   */
  async matching(password: string, hashes: readonly (string | null)[]): Promise<ReadonlySet<string>> {
    assertHashable(password);
    const salts = new Set(hashes.map(saltOf).filter((salt) => salt !== null));
    const [own, nobodys] = [[...salts], NOBODYS_HASH.slice(0, SALT_LENGTH)];
    const made: string[] = [];
    for (const salt of own.length > 0 ? own : [nobodys]) {
      made.push(await this.inTurn(() => bcrypt.hash(password, salt)));
    }
    return new Set(hashes.filter((hash) => hash !== null && made.some((each) => isSame(each, hash))) as string[]);
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

/** Null when the text is not a bcrypt hash. */
function saltOf(hash: string | null): string | null {
  return hash !== null && SALT.test(hash) ? hash.slice(0, SALT_LENGTH) : null;
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
