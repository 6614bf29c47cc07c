import { WeftError } from '@weft/kernel';

/** How often a full company is looked at again. */
const LOOK_AGAIN_MS = 1_000;
const RETRY_AFTER_SECONDS = 5;
const MAX_COMPANIES = 10_000;
/** Queued plays are counted again after that part of the bound was accepted: nobody says when one is let in. */
const LOOKS_PER_BACKLOG = 20;

/** What waits of a company. */
export interface Waiting {
  /** Behind its window. */
  readonly behind: number;
  /** In flows with a concurrency limit, for their admission. */
  readonly queued: number;
}

interface Known {
  behind: number;
  queued: number;
  queuedSinceLook: number;
  lookedAtMs: number;
}

/**
 * How many plays of a company wait to be run, as far as this replica knows: what the queue and MongoDB last said, and what
 * was accepted since. Bounds the backlog without asking anybody on the run path; replicas may overshoot by what they accept
 * between two answers.
 */
export class Backlog {
  private readonly known = new Map<string, Known>();

  /** @param look asks how many wait */
  constructor(
    private readonly max: number,
    private readonly look: (companyId: string) => Promise<Waiting>,
  ) {}

  /** @throws WeftError `backlog_full` */
  assertRoom(companyId: string): void {
    const known = this.known.get(companyId);
    if (!known || known.behind + known.queued < this.max) return;
    this.lookAgain(companyId, known);
    throw new WeftError(
      'backlog_full',
      `${known.behind + known.queued} plays of the company wait to be run, ${this.max} may. ` +
        'Try again when workers have caught up.',
      { retryAfterSeconds: RETRY_AFTER_SECONDS },
    );
  }

  /** The queue said how many wait behind the window. */
  learn(companyId: string, behind: number): void {
    const known = this.known.get(companyId);
    if (known) known.behind = behind;
    else if (behind > 0) this.enter(companyId, behind, 0);
    this.forgetIdle(companyId);
  }

  /** One more was accepted behind a full window. */
  add(companyId: string): void {
    const known = this.known.get(companyId);
    if (known) known.behind += 1;
  }

  /** One more was accepted that waits for its admission. */
  addQueued(companyId: string): void {
    const known = this.known.get(companyId) ?? this.enter(companyId, 0, Number.POSITIVE_INFINITY);
    known.queued += 1;
    known.queuedSinceLook += 1;
    if (known.queuedSinceLook * LOOKS_PER_BACKLOG >= this.max) this.lookAgain(companyId, known);
  }

  private enter(companyId: string, behind: number, queuedSinceLook: number): Known {
    const known = { behind, queued: 0, queuedSinceLook, lookedAtMs: Number.NEGATIVE_INFINITY };
    this.known.set(companyId, known);
    if (this.known.size > MAX_COMPANIES) {
      const oldest = this.known.keys().next().value;
      if (oldest !== undefined) this.known.delete(oldest);
    }
    return known;
  }

  private lookAgain(companyId: string, known: Known): void {
    if (performance.now() - known.lookedAtMs <= LOOK_AGAIN_MS) return;
    known.lookedAtMs = performance.now();
    this.look(companyId).then(
      ({ behind, queued }) => {
        Object.assign(known, { behind, queued, queuedSinceLook: 0 });
        this.forgetIdle(companyId);
      },
      () => undefined, // a store is away: what is known stays
    );
  }

  private forgetIdle(companyId: string): void {
    const known = this.known.get(companyId);
    if (known && known.behind + known.queued === 0) this.known.delete(companyId);
  }
}
