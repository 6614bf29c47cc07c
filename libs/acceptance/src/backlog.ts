import { WeftError } from '@weft/kernel';

/** How often a full company is looked at again. */
const LOOK_AGAIN_MS = 1_000;
const RETRY_AFTER_SECONDS = 5;
const MAX_COMPANIES = 10_000;
/** Queued and delayed plays are counted again after that part of the bound was accepted: nobody says when one goes on. */
const LOOKS_PER_BACKLOG = 20;

/** What waits of a company. */
export interface Waiting {
  /** Behind its window. */
  readonly behind: number;
  /** In flows with a concurrency limit, for their admission. */
  readonly queued: number;
  /** Delayed ones whose time has come, and others that go on when there is room. */
  readonly due: number;
  /** Delayed ones whose time has not come. */
  readonly delayed: number;
}

interface Known extends Waiting {
  sinceLook: number;
  lookedAtMs: number;
}

const NOBODY: Waiting = { behind: 0, queued: 0, due: 0, delayed: 0 };

/**
 * How many plays of a company wait to be run, as far as this replica knows: what the queue and MongoDB last said, and what
 * was accepted since. Bounds the backlog without asking anybody on the run path; replicas may overshoot by what they accept
 * between two answers. Delayed plays whose time has not come have the same bound for themselves: however many there are,
 * others run.
 */
export class Backlog {
  private readonly known = new Map<string, Known>();

  /** @param look asks how many wait */
  constructor(
    private readonly max: number,
    private readonly look: (companyId: string) => Promise<Waiting>,
  ) {}

  /**
   * @param isDelayed the run is to start later
   * @throws WeftError `backlog_full`
   */
  assertRoom(companyId: string, isDelayed = false): void {
    const known = this.known.get(companyId);
    if (!known) return;
    const waiting = known.behind + known.queued + known.due;
    if (waiting >= this.max) {
      this.lookAgain(companyId, known);
      throw full(
        `${waiting} plays of the company wait to be run, ${this.max} may. Try again when workers have caught up.`,
      );
    }
    if (isDelayed && known.delayed >= this.max) {
      this.lookAgain(companyId, known);
      throw full(
        `${known.delayed} plays of the company are to start later, ${this.max} may. ` +
          'Try again when some of them have started; runs without delayMs and runAt are accepted.',
      );
    }
  }

  /** The queue said how many wait behind the window. */
  learn(companyId: string, behind: number): void {
    const known = this.known.get(companyId);
    if (known) this.set(companyId, { ...known, behind });
    else if (behind > 0) this.enter(companyId, { behind }, 0);
    this.forgetIdle(companyId);
  }

  /** One more was accepted behind a full window. */
  add(companyId: string): void {
    const known = this.known.get(companyId);
    if (known) this.count(companyId, { ...known, behind: known.behind + 1 }, known.due + known.delayed > 0);
  }

  /** One more was accepted that waits for its admission. */
  addQueued(companyId: string): void {
    const known = this.known.get(companyId) ?? this.enter(companyId, {}, Number.POSITIVE_INFINITY);
    this.count(companyId, { ...known, queued: known.queued + 1 }, true);
  }

  /** One more was accepted that is to start later. */
  addDelayed(companyId: string): void {
    const known = this.known.get(companyId) ?? this.enter(companyId, {}, Number.POSITIVE_INFINITY);
    this.count(companyId, { ...known, delayed: known.delayed + 1 }, true);
  }

  private count(companyId: string, known: Known, drifts: boolean): void {
    const counted = drifts ? { ...known, sinceLook: known.sinceLook + 1 } : known;
    this.set(companyId, counted);
    if (counted.sinceLook * LOOKS_PER_BACKLOG >= this.max) this.lookAgain(companyId, counted);
  }

  private set(companyId: string, known: Known): void {
    this.known.set(companyId, known);
  }

  private enter(companyId: string, waiting: Partial<Waiting>, sinceLook: number): Known {
    const known = { ...NOBODY, ...waiting, sinceLook, lookedAtMs: Number.NEGATIVE_INFINITY };
    this.known.set(companyId, known);
    if (this.known.size > MAX_COMPANIES) {
      const oldest = this.known.keys().next().value;
      if (oldest !== undefined) this.known.delete(oldest);
    }
    return known;
  }

  private lookAgain(companyId: string, known: Known): void {
    if (performance.now() - known.lookedAtMs <= LOOK_AGAIN_MS) return;
    const lookedAtMs = performance.now();
    this.set(companyId, { ...known, lookedAtMs });
    this.look(companyId).then(
      (waiting) => {
        this.set(companyId, { ...waiting, sinceLook: 0, lookedAtMs });
        this.forgetIdle(companyId);
      },
      () => undefined, // a store is away: what is known stays
    );
  }

  private forgetIdle(companyId: string): void {
    const known = this.known.get(companyId);
    if (known && known.behind + known.queued + known.due + known.delayed === 0) this.known.delete(companyId);
  }
}

function full(message: string): WeftError {
  return new WeftError('backlog_full', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
