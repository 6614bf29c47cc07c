/** Calls of one play that run beside each other, and the rest until something happens to it. */
export class RunningCalls {
  private readonly calls = new Set<Promise<void>>();
  private wake: (() => void) | null = null;
  private fault: { readonly error: unknown } | null = null;

  /** What a call rejects with is told by the next `rest` or `end`. */
  add(call: Promise<void>): void {
    const running = call
      .catch((error: unknown) => void (this.fault ??= { error }))
      .finally(() => {
        this.calls.delete(running);
        this.nudge();
      });
    this.calls.add(running);
  }

  /** Until the next call ends or somebody nudges, at the latest after that many milliseconds. */
  async rest(ms: number | null): Promise<void> {
    if (!this.fault) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
        if (ms !== null) timer = setTimeout(resolve, Math.min(Math.max(0, ms), LONGEST_REST_MS));
      });
      clearTimeout(timer);
      this.wake = null;
    }
    if (this.fault) throw this.fault.error;
  }

  nudge(): void {
    this.wake?.();
  }

  /** Resolves when no call runs any more. */
  async end(): Promise<void> {
    while (this.calls.size > 0) await Promise.allSettled(this.calls);
    if (this.fault) throw this.fault.error;
  }
}

/** A timer cannot be longer than 24 days; who rests longer looks again in between. */
const LONGEST_REST_MS = 60_000;
