/** Answers that the estimate rests on: at one in two seconds, a clock that was set back is followed within 16 s. */
const SAMPLES = 8;
/** A step back of MongoDB's clock by more than this is followed; smaller ones are waited out. */
const STEP_BACK_MS = 10_000;

/**
 * The clock of MongoDB's primary, as far as this process can tell: what each answer said, plus monotonic time since. An answer is never
 * from the future, but it may have waited (this process was frozen, or busy): so the largest offset of the last answers is
 * the nearest to the truth. It does not run backwards, and this machine's wall clock has no part in it.
 */
export class ServerClock {
  private readonly offsets: number[] = [];
  private offset: number | null = null;
  private last = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly monotonicMs: () => number,
    private readonly wallMs: () => number,
  ) {}

  /** @param serverMs what MongoDB's clock showed when it answered, epoch ms */
  heard(serverMs: number): void {
    this.offsets.push(serverMs - this.monotonicMs());
    if (this.offsets.length > SAMPLES) this.offsets.shift();
    this.offset = Math.max(...this.offsets);
  }

  /** What is heard from now on is another server's clock; until then, time goes on as before. */
  forget(): void {
    this.offsets.length = 0;
  }

  /** Epoch ms; the machine's own clock until MongoDB was heard. */
  now(): number {
    const estimate = this.offset === null ? this.wallMs() : this.monotonicMs() + this.offset;
    if (estimate < this.last && this.last - estimate < STEP_BACK_MS) return this.last;
    this.last = estimate;
    return estimate;
  }
}
