import { WeftError } from '@weft/kernel';

/** The plays of a company are counted again at most this often. */
const RECOUNT_EVERY_MS = 1_000;
const RETRY_AFTER_SECONDS = 5;
const MAX_COMPANIES = 10_000;
/**
 * Queued and delayed plays are counted again after this part of the bound was accepted, because nothing notifies this process
 * when they continue.
 */
const RECOUNTS_PER_BACKLOG = 20;

/** How many plays of a company wait, by what they wait for. */
export interface WaitingCounts {
  /** For room in the company's admission window. */
  readonly outsideWindow: number;
  /** For admission to a flow with a concurrency limit. */
  readonly queued: number;
  /** Delayed plays that are due, and others that continue when there is room. */
  readonly due: number;
  /** Delayed plays that are not due yet. */
  readonly delayed: number;
}

interface KnownCounts extends WaitingCounts {
  acceptedSinceCount: number;
  countedAtMs: number;
  /** What was accepted while the stores are counting: their counts may or may not include it. Null: no count is under way. */
  acceptedDuringCount: WaitingCounts | null;
}

const NONE: WaitingCounts = { outsideWindow: 0, queued: 0, due: 0, delayed: 0 };

/**
 * Bounds how many plays of a company wait to be run, without a query on the run path. It adds what this replica accepted to
 * the last counts of the queue and MongoDB; the bound may be exceeded by what other replicas accept between two counts. Delayed
 * plays that are not due yet have the same bound on their own, so that any number of them leaves room for other runs.
 */
export class Backlog {
  private readonly known = new Map<string, KnownCounts>();

  /**
   * @param maxOf how many plays of a company may wait
   * @param countWaiting counts the waiting plays of a company in the stores
   */
  constructor(
    private readonly maxOf: (companyId: string) => number,
    private readonly countWaiting: (companyId: string) => Promise<WaitingCounts>,
  ) {}

  /**
   * @param isDelayed true for a run that starts later
   * @throws WeftError `backlog_full`
   */
  assertRoom(companyId: string, isDelayed = false): void {
    const known = this.known.get(companyId);
    if (!known) return;
    const waiting = known.outsideWindow + known.queued + known.due;
    const max = this.maxOf(companyId);
    if (waiting >= max) {
      this.recount(companyId, known);
      throw full(`${waiting} plays of the company wait to be run, ${max} may. Try again when workers have caught up.`);
    }
    if (isDelayed && known.delayed >= max) {
      this.recount(companyId, known);
      throw full(
        `${known.delayed} plays of the company are to start later, ${max} may. ` +
          'Try again when some of them have started; runs without delayMs and runAt are accepted.',
      );
    }
  }

  /** Takes over the queue's count of plays that wait for room in the window. */
  setOutsideWindow(companyId: string, outsideWindow: number): void {
    const known = this.known.get(companyId);
    if (known) this.set(companyId, { ...known, outsideWindow });
    else if (outsideWindow > 0) this.remember(companyId, { outsideWindow }, 0);
    this.forgetIdle(companyId);
  }

  /** One more play was accepted while the window is full. */
  addOutsideWindow(companyId: string): void {
    const known = this.known.get(companyId);
    if (known) this.count(companyId, known, 'outsideWindow', known.due + known.delayed > 0);
  }

  /** One more play was accepted that waits for admission to its flow. */
  addQueued(companyId: string): void {
    const known = this.known.get(companyId) ?? this.remember(companyId, {}, Number.POSITIVE_INFINITY);
    this.count(companyId, known, 'queued', true);
  }

  /** One more play was accepted that starts later. */
  addDelayed(companyId: string): void {
    const known = this.known.get(companyId) ?? this.remember(companyId, {}, Number.POSITIVE_INFINITY);
    this.count(companyId, known, 'delayed', true);
  }

  private count(companyId: string, known: KnownCounts, waitsFor: keyof WaitingCounts, drifts: boolean): void {
    const during = known.acceptedDuringCount;
    const counted = {
      ...known,
      [waitsFor]: known[waitsFor] + 1,
      acceptedSinceCount: known.acceptedSinceCount + (drifts ? 1 : 0),
      acceptedDuringCount: during && { ...during, [waitsFor]: during[waitsFor] + 1 },
    };
    this.set(companyId, counted);
    if (counted.acceptedSinceCount * RECOUNTS_PER_BACKLOG >= this.maxOf(companyId)) this.recount(companyId, counted);
  }

  private set(companyId: string, known: KnownCounts): void {
    this.known.set(companyId, known);
  }

  private remember(companyId: string, waiting: Partial<WaitingCounts>, acceptedSinceCount: number): KnownCounts {
    const known = {
      ...NONE,
      ...waiting,
      acceptedSinceCount,
      countedAtMs: Number.NEGATIVE_INFINITY,
      acceptedDuringCount: null,
    };
    this.known.set(companyId, known);
    if (this.known.size > MAX_COMPANIES) {
      const oldest = this.known.keys().next().value;
      if (oldest !== undefined) this.known.delete(oldest);
    }
    return known;
  }

  private recount(companyId: string, known: KnownCounts): void {
    if (performance.now() - known.countedAtMs <= RECOUNT_EVERY_MS) return;
    const countedAtMs = performance.now();
    this.set(companyId, { ...known, acceptedSinceCount: 0, countedAtMs, acceptedDuringCount: NONE });
    this.countWaiting(companyId).then(
      (waiting) => {
        // added, so that the bound holds whichever of them the stores have counted: the next count corrects what counted twice
        const now = this.known.get(companyId);
        const during = now?.acceptedDuringCount ?? NONE;
        this.set(companyId, {
          outsideWindow: waiting.outsideWindow + during.outsideWindow,
          queued: waiting.queued + during.queued,
          due: waiting.due + during.due,
          delayed: waiting.delayed + during.delayed,
          acceptedSinceCount: now?.acceptedSinceCount ?? 0,
          countedAtMs,
          acceptedDuringCount: null,
        });
        this.forgetIdle(companyId);
      },
      () => {
        // a store is unreachable: the last counts stay, and the next run asks again
        const now = this.known.get(companyId);
        if (now)
          this.set(companyId, { ...now, acceptedSinceCount: Number.POSITIVE_INFINITY, acceptedDuringCount: null });
      },
    );
  }

  private forgetIdle(companyId: string): void {
    const known = this.known.get(companyId);
    if (known && known.outsideWindow + known.queued + known.due + known.delayed === 0) this.known.delete(companyId);
  }
}

function full(message: string): WeftError {
  return new WeftError('backlog_full', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
