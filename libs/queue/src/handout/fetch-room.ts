/**
 * How many plays a consumer holds, so that it fetches jobs only while it has room for more plays: a job may have several,
 * and its plays may go on after the job has ended.
 */
export class FetchRoom {
  /** Plays that were handed out and have neither ended nor been given back. */
  private held = 0;
  private readonly waiting: (() => void)[] = [];
  private isStopped = false;

  /** @param places the most plays that are held, and fetches under way; a fetch may exceed it by the plays of its job but one */
  constructor(private readonly places: number) {}

  /** Places that are free. */
  get free(): number {
    return Math.max(0, this.places - this.held);
  }

  take(plays: number): void {
    this.held += plays;
  }

  leave(plays: number): void {
    this.held -= plays;
    for (const go of this.waiting.splice(0, this.free)) go();
  }

  /** Resolves when there is room, or when the consumer stops. */
  async some(): Promise<void> {
    if (this.free > 0 || this.isStopped) return;
    await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  stop(): void {
    this.isStopped = true;
    for (const go of this.waiting.splice(0)) go();
  }
}
