/** What one process counts of a rate limit itself: at most `count` calls in any period of `periodMs`. */
export class OwnRate {
  /** Monotonic ms of the newest calls, oldest first. */
  private calls: number[] = [];

  /** The call was made, whoever allowed it. */
  add(nowMs: number, keptMs: number): void {
    const first = this.calls.findIndex((at) => at > nowMs - keptMs);
    this.calls = first === -1 ? [] : this.calls.slice(first);
    this.calls.push(nowMs);
  }

  /** @returns ms until there is room; 0: there is */
  waitMs(nowMs: number, count: number, periodMs: number): number {
    const oldest = this.calls[this.calls.length - count];
    return oldest === undefined ? 0 : Math.max(0, oldest + periodMs - nowMs);
  }
}
