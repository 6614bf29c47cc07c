import type { InvalidationBus } from '@weft/realtime-bus';

const RECHECK_EVERY_MS = 1_000;
/**
 * A recheck is up to three queries: with very many readers a full pass takes longer, instead of overloading MongoDB.
 */
const READERS_PER_RECHECK = 500;

interface RecheckableReader {
  recheck(): Promise<void>;
}

/**
 * Lost rights are published as hints over Redis, so nothing arrives while Redis is unreachable. Then every reader is
 * rechecked once a second, and once more when the connection is back, for what was published in between.
 */
export class OutageRechecks {
  private readonly timer: NodeJS.Timeout;
  private readonly stopListening: () => void;
  private next = 0;

  constructor(
    bus: Pick<InvalidationBus, 'isConnected' | 'onGap'>,
    private readonly readers: ReadonlySet<RecheckableReader>,
  ) {
    this.timer = setInterval(() => !bus.isConnected && this.recheckNextBatch(), RECHECK_EVERY_MS).unref();
    this.stopListening = bus.onGap(() => readers.forEach((reader) => void reader.recheck()));
  }

  stop(): void {
    clearInterval(this.timer);
    this.stopListening();
  }

  private recheckNextBatch(): void {
    const all = [...this.readers];
    if (this.next >= all.length) this.next = 0;
    const some = all.slice(this.next, this.next + READERS_PER_RECHECK);
    this.next += some.length;
    for (const reader of some) void reader.recheck();
  }
}
