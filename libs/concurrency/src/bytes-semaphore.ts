/** The bytes that one holder was admitted with. */
export interface BytesPermit {
  /** The holder needs only this many. */
  resize(bytes: number): void;
  release(): void;
}

interface Waiting {
  readonly companyId: string;
  readonly bytes: number;
  readonly enter: (hold: BytesPermit) => void;
}

/** A company that holds something already leaves this many times as much free: alone, it gets a quarter of the room. */
const LEFT_FREE = 3;

/**
 * Limits the bytes that all holders have in memory at once. One that does not fit waits, first come first served. What one company
 * may hold follows from what is left free, so a few companies never fill the room, and one that holds nothing is admitted at once
 * (ADR 106). There is no deadlock: a holder acquires once, for everything that it reads.
 */
export class BytesSemaphore {
  private readonly waiting: Waiting[] = [];
  private readonly byCompany = new Map<string, number>();
  private held = 0;

  /** The most for one company. */
  private readonly share: number;

  /** @param bytes at least four times what one holder may have */
  constructor(private readonly bytes: number) {
    this.share = bytes / (1 + LEFT_FREE);
  }

  /**
   * Rejects with the signal's reason when it is aborted before there is room.
   *
   * @param bytes of more than a company may have, it waits until the company has all of that
   */
  acquire(companyId: string, bytes: number, signal: AbortSignal): Promise<BytesPermit> {
    const { promise, resolve, reject } = Promise.withResolvers<BytesPermit>();
    if (signal.aborted) reject(signal.reason as Error);
    else {
      const entry: Waiting = { companyId, bytes: Math.min(bytes, this.share), enter: resolve };
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
      this.admitWaiting();
    }
    return promise;
  }

  get isAwaited(): boolean {
    return this.waiting.length > 0;
  }

  private admitWaiting(): void {
    // one that is passed over keeps its turn in its company: smaller ones that came later would go on passing it
    const passedOver = new Set<string>();
    for (let at = 0; at < this.waiting.length;) {
      const next = this.waiting[at] as Waiting;
      const { companyId } = next;
      if (passedOver.has(companyId) || !this.leavesEnough(next)) {
        passedOver.add(companyId);
        at += 1;
        continue;
      }
      if (this.held + next.bytes > this.bytes) return;
      this.waiting.splice(at, 1);
      this.add(companyId, next.bytes);
      next.enter(this.holdOf(next));
    }
  }

  private holdOf({ companyId, bytes }: Waiting): BytesPermit {
    let held = bytes;
    const resize = (kept: number): void => {
      this.add(companyId, kept - held);
      held = kept;
      this.admitWaiting();
    };
    return { resize, release: () => resize(0) };
  }

  private leavesEnough({ companyId, bytes }: Waiting): boolean {
    const held = this.heldBy(companyId);
    return held === 0 || (held + bytes) * LEFT_FREE <= this.bytes - this.held - bytes;
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
