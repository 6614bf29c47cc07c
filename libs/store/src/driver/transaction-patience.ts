import { isStoreUnavailable } from './store-unavailable.js';

/**
 * How long a caller waits for a transaction. The driver restarts it and commits again for two minutes while its server does
 * not answer, and sends an abort first, which is not answered either: the caller does not wait for that.
 */
export class TransactionPatience {
  private readonly startedAtMs = performance.now();
  private readonly unreachable = Promise.withResolvers<never>();
  private timer?: NodeJS.Timeout;
  private isOver = false;

  constructor(private readonly forMs: number) {
    this.unreachable.promise.catch(() => undefined); // `with` reports it
  }

  /** One attempt; after an attempt that succeeds comes its commit. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    clearTimeout(this.timer);
    try {
      const result = await work();
      if (this.isOver) throw new Error('the transaction was given up');
      this.timer = setTimeout(
        () => this.giveUp(new DOMException('the commit was not answered', 'TimeoutError')),
        this.forMs,
      );
      return result;
    } catch (error) {
      const isTooLate = this.isOver || performance.now() - this.startedAtMs >= this.forMs || isTimeout(error);
      if (isTooLate && isStoreUnavailable(error)) this.giveUp(error);
      throw error;
    }
  }

  /** The transaction, or the error after which the caller no longer waits. */
  async with<T>(done: Promise<T>): Promise<T> {
    try {
      return await Promise.race([done, this.unreachable.promise]);
    } finally {
      clearTimeout(this.timer);
    }
  }

  private giveUp(error: unknown): void {
    this.isOver = true;
    this.unreachable.reject(error);
  }
}

/** Of the whole time that an operation may take. */
function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError';
}
