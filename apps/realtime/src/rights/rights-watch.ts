import type { InvalidationBus } from '@weft/realtime-bus';

const LOOK_EVERY_MS = 1_000;
/** Each is up to three finds: a gateway with very many readers takes longer rather than MongoDB from everybody else. */
const LOOKS_AT_ONCE = 500;

/** What can be looked at again. */
interface Reader {
  look(): Promise<void>;
}

/**
 * What the bus tells of lost rights is a hint that nobody sends while Redis is away. Then every reader is looked at once a
 * second, and once more when the bus is back, for what was said in between.
 */
export class RightsWatch {
  private readonly timer: NodeJS.Timeout;
  private readonly stopListening: () => void;
  private next = 0;

  constructor(
    bus: Pick<InvalidationBus, 'isHeard' | 'onGap'>,
    private readonly readers: ReadonlySet<Reader>,
  ) {
    this.timer = setInterval(() => !bus.isHeard && this.lookAtSome(), LOOK_EVERY_MS).unref();
    this.stopListening = bus.onGap(() => readers.forEach((reader) => void reader.look()));
  }

  stop(): void {
    clearInterval(this.timer);
    this.stopListening();
  }

  private lookAtSome(): void {
    const all = [...this.readers];
    if (this.next >= all.length) this.next = 0;
    const some = all.slice(this.next, this.next + LOOKS_AT_ONCE);
    this.next += some.length;
    for (const reader of some) void reader.look();
  }
}
