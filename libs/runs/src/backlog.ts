import { WeftError } from '@weft/kernel';
import { LRUCache } from 'lru-cache';

/** The plays of a company are counted again at most this often. */
const RECOUNT_EVERY_MS = 1_000;
/** Nor is more than this part of the time spent on counting. */
const MOST_COUNTING = 1 / 20;
const RETRY_AFTER_SECONDS = 5;
const MAX_COMPANIES = 10_000;
/**
 * Plays are counted again after this part of the bound was accepted, because nothing notifies this process when they
 * continue, or come to rest.
 */
const RECOUNTS_PER_BACKLOG = 20;
/** Of what rests, as much as may wait may be in queues for turns, as much delayed, and as much by what its layers wait for. */
const RESTING_PER_BACKLOG = 3;

/** How many plays of a company wait. */
export interface WaitingCounts {
  /** For room in the company's window, for turns of their lanes and flows, or until there is room to continue. */
  readonly waiting: number;
  /** Delayed plays that are not due yet. */
  readonly delayed: number;
  /** All plays that are WAIT, DEFERRED or ON_HOLD, also those above. Retention deletes none of them. */
  readonly resting: number;
}

/** What a new play does first. */
type FirstStep = 'begins' | 'waits' | 'isDelayed';

/** What matters of a play that is to be accepted. */
export interface NewPlay {
  /** It starts later. */
  readonly isDelayed?: boolean;
  /** A play that rests waits for its end, and would rest for ever without it. */
  readonly isAwaited?: boolean;
}

interface KnownCounts extends WaitingCounts {
  acceptedSinceCount: number;
  /** Not before this monotonic time. */
  nextCountAtMs: number;
  /** What was accepted while MongoDB is counting: its counts may or may not include it. Null: no count is under way. */
  acceptedDuringCount: WaitingCounts | null;
}

const NONE: WaitingCounts = { waiting: 0, delayed: 0, resting: 0 };

/**
 * Bounds how many plays of a company wait to be run, without a query on the run path. It adds what this replica accepted to
 * the last counts of MongoDB; the bound may be exceeded by what other replicas accept between two counts. Delayed plays that are
 * not due yet have the same bound on their own, so that any number of them leaves room for other runs. What rests has three times that
 * bound: nothing else ends plays that wait for what never comes.
 */
export class Backlog {
  private readonly known = new LRUCache<string, KnownCounts>({ max: MAX_COMPANIES });

  /**
   * @param maxOf how many plays of a company may wait
   * @param countWaiting counts the waiting plays of a company
   * @param waitingHere how many more wait in this process, where MongoDB does not know of them
   */
  constructor(
    private readonly maxOf: (companyId: string) => number,
    private readonly countWaiting: (companyId: string) => Promise<WaitingCounts>,
    private readonly waitingHere: (companyId: string) => number = () => 0,
  ) {}

  /** @throws WeftError `backlog_full` */
  assertRoom(companyId: string, { isDelayed = false, isAwaited = false }: NewPlay = {}): void {
    const here = this.waitingHere(companyId);
    const known = this.known.get(companyId) ?? (here === 0 ? undefined : this.remember(companyId));
    if (!known) return;
    const { delayed, resting } = known;
    const waiting = known.waiting + here;
    const max = this.maxOf(companyId);
    const mostResting = restingMax(max);
    if (waiting >= max) {
      this.recount(companyId, known);
      throw full(`${waiting} plays of the company wait to be run, ${max} may. Try again when workers have caught up.`);
    }
    if (isDelayed && delayed >= max) {
      this.recount(companyId, known);
      throw full(
        `${delayed} plays of the company are to start later, ${max} may. ` +
          'Try again when some of them have started; runs without delayMs and runAt are accepted.',
      );
    }
    if (!isAwaited && resting >= mostResting) {
      this.recount(companyId, known);
      throw full(
        `${resting} plays of the company rest (WAIT, DEFERRED, ON_HOLD), ${mostResting} may. Answer, release or cancel some of them; ` +
          'a time limit (settings.timeoutMs of a flow) ends those that nobody answers.',
      );
    }
  }

  /** More plays were accepted. */
  add(companyId: string, first: FirstStep, plays = 1): void {
    const known = this.known.get(companyId) ?? this.remember(companyId);
    const during = known.acceptedDuringCount;
    const counted = {
      ...withMore(known, first, plays),
      acceptedSinceCount: known.acceptedSinceCount + plays,
      acceptedDuringCount: during && withMore(during, first, plays),
    };
    this.known.set(companyId, counted);
    if (counted.acceptedSinceCount * RECOUNTS_PER_BACKLOG >= this.maxOf(companyId)) this.recount(companyId, counted);
  }

  private remember(companyId: string): KnownCounts {
    const known = {
      ...NONE,
      acceptedSinceCount: Number.POSITIVE_INFINITY,
      nextCountAtMs: Number.NEGATIVE_INFINITY,
      acceptedDuringCount: null,
    };
    this.known.set(companyId, known);
    return known;
  }

  private recount(companyId: string, known: KnownCounts): void {
    const beganAtMs = performance.now();
    if (known.acceptedDuringCount || beganAtMs < known.nextCountAtMs) return;
    this.known.set(companyId, { ...known, acceptedSinceCount: 0, acceptedDuringCount: NONE });
    this.countWaiting(companyId).then(
      ({ waiting, delayed, resting }) => {
        // added, so that the bound holds whichever of them were counted: the next count corrects what counted twice
        const now = this.known.get(companyId);
        const during = now?.acceptedDuringCount ?? NONE;
        const tookMs = performance.now() - beganAtMs;
        this.known.set(companyId, {
          waiting: waiting + during.waiting,
          delayed: delayed + during.delayed,
          resting: resting + during.resting,
          acceptedSinceCount: now?.acceptedSinceCount ?? 0,
          nextCountAtMs: beganAtMs + Math.max(RECOUNT_EVERY_MS, tookMs / MOST_COUNTING),
          acceptedDuringCount: null,
        });
      },
      () => {
        // MongoDB is unreachable: the last counts stay, and the next run asks again
        const now = this.known.get(companyId);
        if (!now) return;
        const nextCountAtMs = beganAtMs + RECOUNT_EVERY_MS;
        const again = { acceptedSinceCount: Number.POSITIVE_INFINITY, nextCountAtMs, acceptedDuringCount: null };
        this.known.set(companyId, { ...now, ...again });
      },
    );
  }
}

/** How many plays of a company may rest. @param backlogMax how many plays of the company may wait */
export function restingMax(backlogMax: number): number {
  return backlogMax * RESTING_PER_BACKLOG;
}

function withMore<T extends WaitingCounts>(counts: T, first: FirstStep, plays: number): T {
  const { waiting, delayed, resting } = counts;
  if (first === 'waits') return { ...counts, waiting: waiting + plays };
  return first === 'begins' ? counts : { ...counts, delayed: delayed + plays, resting: resting + plays };
}

function full(message: string): WeftError {
  return new WeftError('backlog_full', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
