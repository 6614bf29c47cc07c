import { TimeLimit } from '@weft/concurrency';
import { GRACE_MS } from './limits.js';

/** Between two looks at a program that gets little of a processor. */
const LOOK_AGAIN_MS = 50;

/**
 * The time limit of a program. It counts the time for which the program had a processor, so that a busy machine fails nobody's
 * program; what passes altogether has a limit of its own. Where nobody says what it had, all that passes counts.
 */
export class ProgramLimit {
  private readonly whole: TimeLimit;
  private timer: NodeJS.Timeout | undefined;

  /**
   * @param longestMs for all that passes
   * @param usedMs for how long the process has had a processor so far; null: unknown
   * @param onOver called once, with the limit in ms, unless `end` is called first
   */
  constructor(
    private readonly timeoutMs: number,
    longestMs: number,
    private readonly usedMs: () => number | null,
    private readonly onOver: (limitMs: number) => void,
  ) {
    const before = usedMs();
    const longest = before === null ? timeoutMs : longestMs;
    this.whole = new TimeLimit(longest + GRACE_MS, () => this.over(longest));
    if (before !== null) this.lookIn(timeoutMs + GRACE_MS, before);
  }

  end(): void {
    clearTimeout(this.timer);
    this.whole.end();
  }

  private lookIn(ms: number, before: number): void {
    this.timer = setTimeout(() => {
      // unknown now: the process has ended
      const leftMs = this.timeoutMs + GRACE_MS - ((this.usedMs() ?? before) - before);
      if (leftMs > 0) this.lookIn(Math.max(LOOK_AGAIN_MS, leftMs), before);
      else this.over(this.timeoutMs);
    }, ms);
  }

  private over(limitMs: number): void {
    this.end();
    this.onOver(limitMs);
  }
}
