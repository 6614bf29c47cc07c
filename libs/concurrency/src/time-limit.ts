/** A process that comes to its timer so much later than it was due stood still: it was frozen, or it had no processor. */
const LATE_MS = 1_000;
/** So often a time limit looks whether the process runs. */
const STEP_MS = 1_000;

/** The clock and the timers of a process; a spec has its own. */
export interface LimitClock {
  /** Monotonic. */
  readonly nowMs: () => number;
  /** Calls once. @returns what prevents it */
  readonly callIn: (ms: number, call: () => void) => () => void;
}

const CLOCK_OF_PROCESS: LimitClock = {
  nowMs: () => performance.now(),
  callIn: (ms, call) => {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
};

/**
 * A time limit on work that others do for this process. It counts only time in which the process runs: a process that stood still
 * for a minute has not waited for an answer. When it goes on, it has a moment to read what has arrived meanwhile before the limit
 * is over. What a process may do itself is a matter of real time, and is not measured with this (docs/protocol.md §3, rule 12).
 */
export class TimeLimit {
  /** Undefined: it is paused, or has ended. */
  private cancel: (() => void) | undefined;
  private steppedAtMs = 0;
  private stepMs = 0;
  private wasLate = false;
  private hasEnded = false;

  /** @param onOver called once, unless `end` is called first */
  constructor(
    private leftMs: number,
    private readonly onOver: () => void,
    private readonly clock: LimitClock = CLOCK_OF_PROCESS,
  ) {
    this.resume();
  }

  /** The process stood still while the limit was running: what failed meanwhile may have failed because of that. */
  get stoodStill(): boolean {
    return this.wasLate || (this.cancel !== undefined && this.isLate());
  }

  pause(): void {
    if (!this.cancel) return;
    this.cancel();
    this.cancel = undefined;
    this.count();
  }

  resume(): void {
    if (!this.cancel && !this.hasEnded) this.step();
  }

  end(): void {
    this.pause();
    this.hasEnded = true;
  }

  private step(): void {
    this.steppedAtMs = this.clock.nowMs();
    this.stepMs = Math.min(STEP_MS, Math.max(0, this.leftMs));
    this.cancel = this.clock.callIn(this.stepMs, () => {
      this.count();
      if (this.leftMs > 0) return this.step();
      this.cancel = undefined;
      this.hasEnded = true;
      this.onOver();
    });
  }

  private count(): void {
    if (!this.isLate()) this.leftMs -= this.clock.nowMs() - this.steppedAtMs;
    else {
      this.wasLate = true;
      this.leftMs = Math.max(this.leftMs - this.stepMs, LATE_MS);
    }
  }

  private isLate(): boolean {
    return this.clock.nowMs() - this.steppedAtMs > this.stepMs + LATE_MS;
  }
}
