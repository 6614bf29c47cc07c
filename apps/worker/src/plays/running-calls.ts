/** The calls of one play that run in parallel, and waiting until something happens to the play. */
export class RunningCalls {
  private readonly calls = new Set<Promise<void>>();
  private wake: (() => void) | null = null;
  private leaving = new AbortController();
  private fault: { readonly error: unknown } | null = null;

  /** The next `waitForChange` or `waitForAll` rejects with the error of a rejected call. */
  add(call: Promise<void>): void {
    const running = call
      .catch((error: unknown) => void (this.fault ??= { error }))
      .finally(() => {
        this.calls.delete(running);
        this.wakeUp();
      });
    this.calls.add(running);
  }

  /** Resolves when a call ends or `wakeUp` is called, at the latest after `ms` milliseconds. */
  async waitForChange(ms: number | null): Promise<void> {
    if (!this.fault) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
        if (ms !== null) timer = setTimeout(resolve, Math.min(Math.max(0, ms), MAX_WAIT_MS));
      });
      clearTimeout(timer);
      this.wake = null;
    }
    if (this.fault) throw this.fault.error;
  }

  /** @param leaves calls that wait for a rate limit end, and are made later */
  wakeUp(leaves = false): void {
    if (leaves) this.leaving.abort();
    this.wake?.();
  }

  /** For a call that begins now. */
  readonly leave = (): AbortSignal => {
    if (this.leaving.signal.aborted) this.leaving = new AbortController();
    return this.leaving.signal;
  };

  /** Resolves when no call is running. */
  async waitForAll(): Promise<void> {
    while (this.calls.size > 0) await Promise.allSettled(this.calls);
    if (this.fault) throw this.fault.error;
  }
}

/** A timer cannot be longer than 24 days, so a longer wait is divided. */
const MAX_WAIT_MS = 60_000;
