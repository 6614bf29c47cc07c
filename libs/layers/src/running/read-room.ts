/** How much of stored outputs the layers of this process may hold at once, however many of them read at the same time. */

/** What one layer was let in for. */
export interface ReadHold {
  /** It turned out to be only so much. */
  keep(bytes: number): void;
  leave(): void;
}

interface Waiting {
  readonly companyId: string;
  readonly bytes: number;
  readonly enter: (hold: ReadHold) => void;
}

/**
 * Whoever does not fit waits, in the order of coming; half of the room is the most that one company has. Nobody waits for
 * somebody who waits: a layer enters once, with all that it reads.
 */
export class ReadRoom {
  private readonly waiting: Waiting[] = [];
  private readonly byCompany = new Map<string, number>();
  private held = 0;

  /** @param bytes at least twice of what one layer may read */
  constructor(private readonly bytes: number) {}

  /** Rejects with the signal's reason when it is aborted before there is room. */
  enter(companyId: string, bytes: number, signal: AbortSignal): Promise<ReadHold> {
    const { promise, resolve, reject } = Promise.withResolvers<ReadHold>();
    if (signal.aborted) reject(signal.reason as Error);
    else {
      const entry: Waiting = { companyId, bytes, enter: resolve };
      const giveUp = (): void => {
        const at = this.waiting.indexOf(entry);
        if (at === -1) return;
        this.waiting.splice(at, 1);
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      this.waiting.push(entry);
      const forget = (): void => signal.removeEventListener('abort', giveUp);
      promise.then(forget, forget);
      this.letIn();
    }
    return promise;
  }

  private letIn(): void {
    for (let at = 0; at < this.waiting.length;) {
      const next = this.waiting[at] as Waiting;
      if (this.held + next.bytes > this.bytes) return;
      if (this.heldBy(next.companyId) + next.bytes > this.bytes / 2) {
        at += 1;
        continue;
      }
      this.waiting.splice(at, 1);
      this.add(next.companyId, next.bytes);
      next.enter(this.holdOf(next));
    }
  }

  private holdOf({ companyId, bytes }: Waiting): ReadHold {
    let held = bytes;
    const keep = (kept: number): void => {
      this.add(companyId, kept - held);
      held = kept;
      this.letIn();
    };
    return { keep, leave: () => keep(0) };
  }

  private heldBy(companyId: string): number {
    return this.byCompany.get(companyId) ?? 0;
  }

  private add(companyId: string, bytes: number): void {
    this.held += bytes;
    const held = this.heldBy(companyId) + bytes;
    if (held === 0) this.byCompany.delete(companyId);
    else this.byCompany.set(companyId, held);
  }
}
