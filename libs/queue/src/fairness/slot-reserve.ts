import { GivenBackJobs } from '../handout/given-back-jobs.js';

export interface SlotReserveOptions {
  readonly slots: number;
  /** Ends the delay of a job that was given back. Resolves with whether the job was still delayed. */
  readonly promote: (jobId: string) => Promise<boolean>;
}

/** A hand-out that waits for a slot. */
interface Waiting {
  readonly companyId: string;
  readonly sinceMs: number;
  readonly answer: (delayMs: number | null) => void;
}

/** Size of the reserve, as a share of the slots; it has at least one place. */
const RESERVE_SHARE = 1 / 10;
/**
 * A hand-out that has waited for a slot for this long is given back. If one company has all slots, its hand-outs wait for a
 * tenth of the time that its plays take; meanwhile the jobs of others are reached in the order of the queue.
 */
const PATIENCE_MS = 250;
/** Plays end fast while a reserve full of hand-outs would get slots within this time. */
const FAST_MS = PATIENCE_MS / 2;

/**
 * Decides which hand-outs of a worker begin at once, which wait for a slot, and which are given back to the queue, so that
 * long plays of one company do not stop the plays of the others. A worker takes a tenth more jobs than it has slots. The
 * places above the slots are the reserve: companies that hold few slots may use it while all slots are taken. Only the plays
 * of this worker, and of one shard, are counted. See ADR 54.
 */
export class SlotReserve {
  /** Slots and reserve: how many jobs the worker takes from the queue at a time. */
  readonly handOuts: number;
  private readonly givenBack = new GivenBackJobs();
  /** Number of running plays, by company. */
  private readonly runningOf = new Map<string, number>();
  private running = 0;
  private waiting: Waiting[] = [];
  /** A hand-out waited in vain, and plays have not ended fast since then. Meanwhile no hand-out waits: it is given back at once. */
  private isSaturated = false;
  private readonly ends: RecentEnds;
  private patience?: NodeJS.Timeout;
  private isStopped = false;

  constructor(private readonly options: SlotReserveOptions) {
    const reserve = Math.max(1, Math.ceil(options.slots * RESERVE_SHARE));
    this.handOuts = options.slots + reserve;
    this.ends = new RecentEnds(reserve);
  }

  /**
   * Decides about a job that was handed out. The caller has at most `handOuts` jobs at a time.
   *
   * @returns null: the play begins now, and the caller calls `end` when it has ended. A number: the caller gives the job back
   * for this many ms. A promise of one of the two: the hand-out waits for a slot.
   */
  ask(jobId: string, companyId: string): Promise<number | null> | number | null {
    this.givenBack.remove(jobId);
    if (this.isStopped) return 0;
    if (this.mayBegin(companyId)) return this.begin(companyId);
    if (this.isSaturated) return this.givenBack.nextDelayMs();
    const { promise, resolve: answer } = Promise.withResolvers<number | null>();
    this.waiting.push({ companyId, sinceMs: performance.now(), answer });
    this.patience ??= setTimeout(() => this.losePatience(), PATIENCE_MS);
    return promise;
  }

  /** A play that had begun has ended, or its job is delayed for another reason. */
  end(companyId: string): void {
    this.count(companyId, -1);
    if (this.ends.add(FAST_MS)) this.isSaturated = false;
    this.waiting = this.waiting.filter((one) => {
      if (!this.mayBegin(one.companyId)) return true;
      one.answer(this.begin(one.companyId));
      return false;
    });
    this.promoteNext();
  }

  /** The caller has given the job back. */
  wasGivenBack(jobId: string, companyId: string, delayMs: number): void {
    this.givenBack.add(jobId, companyId, delayMs);
    if (this.isStopped && delayMs > 0) this.leaveToOthers();
    // a play may have ended since the decision
    if (this.mayBegin(companyId)) this.promoteNext();
  }

  /**
   * From now on no play begins: hand-outs that wait are given back, and so are those that still come. What was given back before is
   * there for others at once: its delay was for this worker, and is by its clock.
   */
  stop(): void {
    this.isStopped = true;
    this.giveBackWaiting(0);
    this.leaveToOthers();
  }

  private mayBegin(companyId: string): boolean {
    return this.running < this.options.slots || this.mayUseReserve(companyId);
  }

  /** A company may take half of the free places: so several companies share them, and the last one is for a company without plays. */
  private mayUseReserve(companyId: string): boolean {
    const free = this.handOuts - this.running;
    return free > 0 && (this.runningOf.get(companyId) ?? 0) < Math.max(1, free / 2);
  }

  private begin(companyId: string): null {
    this.count(companyId, 1);
    return null;
  }

  private count(companyId: string, more: 1 | -1): void {
    this.running += more;
    const held = (this.runningOf.get(companyId) ?? 0) + more;
    if (held === 0) this.runningOf.delete(companyId);
    else this.runningOf.set(companyId, held);
  }

  private losePatience(): void {
    this.patience = undefined;
    const [first] = this.waiting;
    if (!first) return;
    const leftMs = first.sinceMs + PATIENCE_MS - performance.now();
    if (leftMs > 0) {
      this.patience = setTimeout(() => this.losePatience(), leftMs);
      return;
    }
    this.isSaturated = true;
    // all of them: while they wait, BullMQ fetches no jobs of other companies
    this.giveBackWaiting(this.givenBack.nextDelayMs());
  }

  private giveBackWaiting(delayMs: number): void {
    clearTimeout(this.patience);
    this.patience = undefined;
    for (const { answer } of this.waiting.splice(0)) answer(delayMs);
  }

  /** Ends the delay of one job that may begin now, so that no slot is idle until the delay is over. */
  private promoteNext(): void {
    if (this.isStopped) return;
    const jobId = this.givenBack.takeOf((companyId) => this.mayUseReserve(companyId)) ?? this.takeForFreeSlot();
    if (jobId === undefined) return;
    void this.options.promote(jobId).then(
      (found) => !found && this.promoteNext(),
      () => undefined, // Redis is unreachable: the delay ends by itself
    );
  }

  private leaveToOthers(): void {
    for (let jobId = this.givenBack.takeAny(); jobId !== undefined; jobId = this.givenBack.takeAny()) {
      this.options.promote(jobId).catch(() => undefined); // Redis is unreachable: the delay ends by itself
    }
  }

  private takeForFreeSlot(): string | undefined {
    return this.running < this.options.slots ? this.givenBack.takeAny() : undefined;
  }
}

/** When the last plays ended. */
class RecentEnds {
  private readonly atMs: number[];
  private oldest = 0;

  constructor(private readonly most: number) {
    this.atMs = Array.from({ length: most }, () => Number.NEGATIVE_INFINITY);
  }

  /** Records an end. @returns whether this one and the `most` before it came within `withinMs` */
  add(withinMs: number): boolean {
    const now = performance.now();
    const before = this.atMs[this.oldest] ?? Number.NEGATIVE_INFINITY;
    this.atMs[this.oldest] = now;
    this.oldest = (this.oldest + 1) % this.most;
    return now - before <= withinMs;
  }
}
