import { WeftError } from '@weft/kernel';

/** Contract §6, over all gateways. */
const SOCKETS_PER_USER = 100;
const RETRY_AFTER_SECONDS = 5;
/** Several times within the time that a count is good for. */
const REFRESH_MS = 5_000;

/** How many sockets each user has at which gateway. A count is whole, not a difference, and good for a while. */
export interface PlaceCensus {
  /**
   * Tells of the sockets that this gateway has of a user, the one that is being opened among them; unless they are, with those
   * of the other gateways, more than `most`.
   *
   * @returns how many are open elsewhere; null when nobody can tell in time
   */
  enter(userId: string, own: number, most: number): Promise<number | null>;
  /** Tells this gateway's sockets of each user. Never fails: they are told again. */
  tell(counts: ReadonlyMap<string, number>): Promise<void>;
  /** Called when what was told may be lost. Gives the way to stop listening. */
  onLoss(listener: () => void): () => void;
}

/** A bound on the open sockets of each user. A gateway that cannot learn of the others' counts its own. */
export class UserPlaces {
  private readonly taken = new Map<string, number>();
  /** Users who have fewer than was told. */
  private readonly left = new Set<string>();
  private readonly timer: NodeJS.Timeout;
  private readonly stopListening: () => void;

  constructor(
    private readonly census: PlaceCensus,
    private readonly perUser = SOCKETS_PER_USER,
    refreshMs = REFRESH_MS,
  ) {
    const refresh = (): void => void census.tell(this.taken);
    this.timer = setInterval(refresh, refreshMs).unref();
    this.stopListening = census.onLoss(refresh);
  }

  /**
   * A place for a socket that is being opened; gives the way to free it, which may be called again.
   *
   * @throws WeftError `too_many_sockets`
   */
  async reserve(userId: string): Promise<() => void> {
    const own = this.at(userId) + 1;
    if (own > this.perUser) throw tooMany(own - 1);
    this.taken.set(userId, own); // before the question: the next one may come meanwhile
    const free = this.freeing(userId);
    const elsewhere = await this.census.enter(userId, own, this.perUser);
    if (elsewhere === null || elsewhere + own <= this.perUser) return free;
    free();
    throw tooMany(elsewhere + own - 1);
  }

  /** This process has no sockets any more. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    this.stopListening();
    for (const userId of this.taken.keys()) this.left.add(userId);
    this.taken.clear();
    await this.tellOfThoseWhoLeft();
  }

  private at(userId: string): number {
    return this.taken.get(userId) ?? 0;
  }

  private freeing(userId: string): () => void {
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const left = this.at(userId) - 1;
      if (left > 0) this.taken.set(userId, left);
      else this.taken.delete(userId);
      // those who leave in one turn of the loop are told together
      if (this.left.size === 0) setImmediate(() => void this.tellOfThoseWhoLeft());
      this.left.add(userId);
    };
  }

  private async tellOfThoseWhoLeft(): Promise<void> {
    const counts = new Map([...this.left].map((userId) => [userId, this.at(userId)]));
    this.left.clear();
    await this.census.tell(counts);
  }
}

function tooMany(open: number): WeftError {
  return new WeftError('too_many_sockets', `You have ${open} open sockets, as many as a user may have. Close one.`, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
