/**
 * Plays that may have killed a worker run one at a time in a process, the others wait before their claim: else the
 * neighbours of a poison play, rung again together with it, would die with it three times (protocol §7).
 */
export class SuspectLane {
  private busy = false;
  private readonly waiting: (() => void)[] = [];

  async enter(): Promise<void> {
    if (!this.busy) {
      this.busy = true;
      return;
    }
    await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  leave(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.busy = false;
  }
}
