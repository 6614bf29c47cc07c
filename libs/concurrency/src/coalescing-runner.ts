/**
 * Runs one pass at a time for each key. Requests that arrive during a pass are merged into one, and one more pass follows it:
 * the pass in progress may have read the state from before them. When callers wait for a result, take `SingleFlight`.
 */
export class CoalescingRunner<Key, Request> {
  /** Keys with a pass in progress, and what was requested since it began. */
  private readonly requestedSince = new Map<Key, Request | null>();

  /** @param merge of two requests, one that serves both; default: the later one */
  constructor(private readonly merge: (earlier: Request, later: Request) => Request = (_earlier, later) => later) {}

  /**
   * Resolves when the passes that this call began have ended, and at once when it only requested one more. A failed pass ends
   * all of them.
   */
  async run(key: Key, request: Request, pass: (request: Request) => Promise<void>): Promise<void> {
    const requested = this.requestedSince.get(key);
    if (requested !== undefined) {
      this.requestedSince.set(key, requested === null ? request : this.merge(requested, request));
      return;
    }
    try {
      for (let next: Request | null = request; next !== null; next = this.requestedSince.get(key) ?? null) {
        this.requestedSince.set(key, null);
        await pass(next);
      }
    } finally {
      this.requestedSince.delete(key);
    }
  }
}
