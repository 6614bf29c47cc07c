/** A refused write and the read after it that shows no reason for it: reads of a majority may be behind by a little. */
const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 1_000;
/** Some 13 s: whatever the reason is then, the next hand-out of the play begins without it. */
const MOST = 20;

/** The pauses between such reads of one play; not for ever. */
export class StalledReads {
  private seq: number | null = null;
  private count = 0;

  /** @returns false when the play has been at this `seq` often enough */
  async pause(seq: number, pause: (ms: number) => Promise<void>): Promise<boolean> {
    if (seq !== this.seq) this.count = 0;
    this.seq = seq;
    if (this.count === MOST) return false;
    await pause(Math.min(FIRST_PAUSE_MS * 2 ** this.count, LONGEST_PAUSE_MS));
    this.count += 1;
    return true;
  }
}
