import { WeftError } from '@weft/kernel';

/** Open sockets of one user, over all gateways: docs/live.md. */
const SOCKETS_PER_USER = 100;
const RETRY_AFTER_SECONDS = 5;
/** Several times within the lifetime of a published count. */
const REFRESH_MS = 5_000;

/** How many sockets each user has at each gateway. A gateway publishes totals, not differences, and they expire. */
export interface ConnectionCounts {
  /**
   * Publishes the sockets that this gateway has of a user, including the one that is being opened, unless the user
   * would have more than `most` at all gateways.
   *
   * @returns how many are open at other gateways; null when that could not be learned in time
   */
  claim(userId: string, own: number, most: number): Promise<number | null>;
  /** Publishes this gateway's sockets of each user. Never fails: they are published again. */
  publish(counts: ReadonlyMap<string, number>): Promise<void>;
  /** Called when published counts may be lost. Returns the function that stops listening. */
  onLoss(listener: () => void): () => void;
}

/**
 * Limits the open sockets of each user. A gateway that cannot learn the counts of the others enforces the limit on its
 * own.
 */
export class ConnectionQuota {
  private readonly openByUser = new Map<string, number>();
  /** Users that have fewer sockets than was published. */
  private readonly decreased = new Set<string>();
  private readonly timer: NodeJS.Timeout;
  private readonly stopListening: () => void;

  constructor(
    private readonly counts: ConnectionCounts,
    private readonly maxPerUser = SOCKETS_PER_USER,
    refreshMs = REFRESH_MS,
  ) {
    const refresh = (): void => void counts.publish(this.openByUser);
    this.timer = setInterval(refresh, refreshMs).unref();
    this.stopListening = counts.onLoss(refresh);
  }

  /**
   * Reserves a socket that is being opened. Returns the function that releases it; further calls of that do nothing.
   *
   * @throws WeftError `too_many_sockets`
   */
  async reserve(userId: string): Promise<() => void> {
    const own = this.openOf(userId) + 1;
    if (own > this.maxPerUser) throw tooMany(own - 1);
    this.openByUser.set(userId, own); // counted before the query, since another reservation may start meanwhile
    const free = this.releaseOnce(userId);
    const elsewhere = await this.counts.claim(userId, own, this.maxPerUser);
    if (elsewhere === null || elsewhere + own <= this.maxPerUser) return free;
    free();
    throw tooMany(elsewhere + own - 1);
  }

  /** This process has no more sockets. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    this.stopListening();
    for (const userId of this.openByUser.keys()) this.decreased.add(userId);
    this.openByUser.clear();
    await this.publishDecreased();
  }

  private openOf(userId: string): number {
    return this.openByUser.get(userId) ?? 0;
  }

  private releaseOnce(userId: string): () => void {
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const left = this.openOf(userId) - 1;
      if (left > 0) this.openByUser.set(userId, left);
      else this.openByUser.delete(userId);
      // all releases of one turn of the event loop are published together
      if (this.decreased.size === 0) setImmediate(() => void this.publishDecreased());
      this.decreased.add(userId);
    };
  }

  private async publishDecreased(): Promise<void> {
    const counts = new Map([...this.decreased].map((userId) => [userId, this.openOf(userId)]));
    this.decreased.clear();
    await this.counts.publish(counts);
  }
}

function tooMany(open: number): WeftError {
  return new WeftError('too_many_sockets', `You have ${open} open sockets, as many as a user may have. Close one.`, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
