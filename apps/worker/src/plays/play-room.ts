import type { BytesPermit, BytesSemaphore } from '@weft/concurrency';

/**
 * What large plays take in memory together: as MongoDB stores them, decoded up to several times that, of the 512 MB that a worker
 * has. A company that is alone gets a quarter, two plays of the largest size.
 */
export const LARGE_PLAYS_BYTES = 128 * 1024 * 1024;

/** Called with the bytes of a large play before it is read. */
export type AskRoom = (bytes: number) => void | Promise<void>;

/** The room of one play in the memory of this worker: a large one waits for it before it is read (ADR 106). */
export class PlayRoom {
  private permit?: BytesPermit;
  private readonly waiting = new AbortController();

  constructor(
    private readonly memory: Pick<BytesSemaphore, 'acquire'>,
    private readonly companyId: string,
  ) {}

  /** Waits until there is room for a large play, or nobody waits any more. */
  readonly take = async (bytes: number): Promise<void> => {
    if (this.permit) return this.grow(bytes);
    try {
      this.permit = await this.memory.acquire(this.companyId, bytes, this.waiting.signal);
    } catch (error) {
      if (!this.waiting.signal.aborted) throw error;
    }
  };

  /** The play is at work, and waits for nothing: what it has more now counts for those that come. */
  readonly grow = (bytes: number): void => {
    this.permit?.resize(bytes);
  };

  /** Reads without room: the play is handed back at once. */
  waitNoMore(): void {
    this.waiting.abort();
  }

  release(): void {
    this.permit?.release();
    this.permit = undefined;
  }
}
