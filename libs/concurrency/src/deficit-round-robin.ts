import { RoundRobinQueue } from './round-robin-queue.js';

/** What one sender may send before the next one's turn. */
export const QUANTUM_BYTES = 16 * 1024;
/** After this many bytes the event loop continues: reads, pings and upgrades are handled in between. */
const ROUND_BYTES = 256 * 1024;

/** What a sender may still send in its turn, in bytes. The last message may make it negative. */
export interface Deficit {
  bytesLeft: number;
}

/** A reader's side that has messages to send. */
export interface Sender {
  readonly companyId: string;
  /** @returns whether only the deficit stopped it, so that it needs another turn */
  sendSome(deficit: Deficit): boolean;
}

/**
 * Decides which sender of this process sends next, by deficit round robin: companies take turns, and within a company
 * its senders do. A turn is one quantum, so a message waits for one quantum of each company that has something to send,
 * and not for everything that a company has to send. While little is sent, a sender starts at once. Take it when the waiting
 * items have a size in bytes; for items of about the same cost, `RoundRobinQueue` is enough.
 */
export class DeficitRoundRobin {
  private readonly queue = new RoundRobinQueue<Sender>();
  private spentBytes = 0;
  private nextRoundScheduled = false;
  private serving = false;
  private readonly deficit: Deficit = { bytesLeft: 0 };

  constructor(private readonly roundBytes = ROUND_BYTES) {}

  /** These senders have something to send; as much as this round allows is sent at once. */
  enqueue(senders: Iterable<Sender>): void {
    for (const one of senders) this.queue.add(one.companyId, one);
    this.serveRound();
  }

  /** Resolves at the company's turn: the caller may then send `QUANTUM_BYTES`. */
  waitForTurn(companyId: string): Promise<void> {
    return new Promise((resolve) => {
      const sendSome = (deficit: Deficit): boolean => {
        deficit.bytesLeft = 0;
        resolve();
        return false;
      };
      this.enqueue([{ companyId, sendSome }]);
    });
  }

  private serveRound(): void {
    if (this.serving) return;
    this.serving = true;
    try {
      while (this.spentBytes < this.roundBytes) {
        const next = this.queue.shift();
        if (!next) break;
        this.serveSender(next.item);
      }
    } finally {
      this.serving = false;
      if (this.spentBytes > 0 || this.queue.size > 0) this.scheduleNextRound();
    }
  }

  private serveSender(one: Sender): void {
    const { deficit } = this;
    deficit.bytesLeft = QUANTUM_BYTES;
    if (one.sendSome(deficit)) this.queue.add(one.companyId, one);
    this.spentBytes += QUANTUM_BYTES - deficit.bytesLeft;
  }

  /** Continues in a new round after the event loop has handled other work. */
  private scheduleNextRound(): void {
    if (this.nextRoundScheduled) return;
    this.nextRoundScheduled = true;
    setImmediate(() => {
      this.nextRoundScheduled = false;
      this.spentBytes = 0;
      this.serveRound();
    });
  }
}
