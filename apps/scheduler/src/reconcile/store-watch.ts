/**
 * How long MongoDB has answered this process without a gap. After an outage the owners of plays renew their leases first: a
 * reaper that acted at once would take their plays because of the outage (docs/protocol.md §6).
 */
export class StoreWatch {
  private answeringSinceMs: number | null = null;
  private lastAnswerMs = 0;

  /** @param maxGapMs a silence that counts as a gap: this process may have been frozen, too */
  constructor(private readonly maxGapMs: number) {}

  answered(nowMs: number): void {
    if (this.answeringSinceMs === null || nowMs - this.lastAnswerMs > this.maxGapMs) this.answeringSinceMs = nowMs;
    this.lastAnswerMs = nowMs;
  }

  failed(): void {
    this.answeringSinceMs = null;
  }

  steadyForMs(nowMs: number): number {
    return this.answeringSinceMs === null || nowMs - this.lastAnswerMs > this.maxGapMs
      ? 0
      : nowMs - this.answeringSinceMs;
  }
}
