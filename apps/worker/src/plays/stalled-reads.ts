/** After a write that is not stored, a read may show no reason: MongoDB failed to execute it, again and again. */
const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 1_000;
/** About 13 s. After that, this worker gives the play up, and its next hand-out starts afresh. */
const MOST = 20;

/** The pauses between such reads of one play, up to a limit. */
export class StalledReads {
  private seq: number | null = null;
  private count = 0;

  /** @returns false when the play has been read often enough at this `seq` */
  async pause(seq: number, pause: (ms: number) => Promise<void>): Promise<boolean> {
    if (seq !== this.seq) this.count = 0;
    this.seq = seq;
    if (this.count === MOST) return false;
    await pause(Math.min(FIRST_PAUSE_MS * 2 ** this.count, LONGEST_PAUSE_MS));
    this.count += 1;
    return true;
  }
}
