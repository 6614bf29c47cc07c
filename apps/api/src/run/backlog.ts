import { WeftError } from '@weft/kernel';

/** How often a full company is looked at again. */
const LOOK_AGAIN_MS = 1_000;
const RETRY_AFTER_SECONDS = 5;
const MAX_COMPANIES = 10_000;

interface Known {
  waiting: number;
  lookedAtMs: number;
}

/**
 * How many plays of a company wait behind its window, as far as this replica knows: what the queue last said, and what was
 * accepted since. Bounds the backlog without asking anybody on the run path; replicas may overshoot by what they accept
 * between two answers.
 */
export class Backlog {
  private readonly known = new Map<string, Known>();

  /** @param look asks the queue how many wait */
  constructor(
    private readonly max: number,
    private readonly look: (companyId: string) => Promise<number>,
  ) {}

  /** @throws WeftError `backlog_full` */
  assertRoom(companyId: string): void {
    const known = this.known.get(companyId);
    if (!known || known.waiting < this.max) return;
    if (performance.now() - known.lookedAtMs > LOOK_AGAIN_MS) {
      known.lookedAtMs = performance.now();
      this.look(companyId).then(
        (waiting) => this.learn(companyId, waiting),
        () => undefined, // Redis is away: what is known stays
      );
    }
    throw new WeftError(
      'backlog_full',
      `${known.waiting} plays of the company wait to be run, ${this.max} may. Try again when workers have caught up.`,
      { retryAfterSeconds: RETRY_AFTER_SECONDS },
    );
  }

  learn(companyId: string, waiting: number): void {
    this.known.delete(companyId);
    if (waiting === 0) return;
    this.known.set(companyId, { waiting, lookedAtMs: performance.now() });
    if (this.known.size > MAX_COMPANIES) {
      const oldest = this.known.keys().next().value;
      if (oldest !== undefined) this.known.delete(oldest);
    }
  }

  /** One more was accepted behind a full window. */
  add(companyId: string): void {
    const known = this.known.get(companyId);
    if (known) known.waiting += 1;
  }
}
