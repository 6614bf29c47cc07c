/**
 * What one reconciler has seen of owners that gave no sign of life for a while, by its own monotonic clock. The times in
 * documents are another machine's, whose clock may be set: they say whom to watch, and never that somebody is dead.
 */
import type { ProtocolTimes } from '../times.js';
import type { OpenPlay } from './reconcile.js';

/** What tells one sign of life of an owner from the next. */
type OwnerSign = Pick<OpenPlay, '_id' | 'owner' | 'heartbeatAt'>;

interface Sighting {
  readonly owner: string;
  readonly beatAtMs: number;
  readonly sinceMs: number;
}

export class Sightings {
  private readonly seen = new Map<string, Sighting>();

  /**
   * Begins to watch an owner, or goes on while it gives no new sign of life. One that owns nothing is forgotten.
   *
   * @param nowMs monotonic time after the play was read: what it showed was stored by then
   */
  observe({ _id, owner, heartbeatAt }: OwnerSign, nowMs: number): void {
    if (owner === undefined || !heartbeatAt) return this.forget(_id);
    if (this.sinceMs({ _id, owner, heartbeatAt }) === null)
      this.seen.set(_id, { owner, beatAtMs: heartbeatAt.getTime(), sinceMs: nowMs });
  }

  /** Since when exactly this sign of life is the last one that was seen; null when it is new. */
  sinceMs({ _id, owner, heartbeatAt }: OwnerSign): number | null {
    const seen = this.seen.get(_id);
    return seen?.owner === owner && seen?.beatAtMs === heartbeatAt?.getTime() ? (seen?.sinceMs ?? null) : null;
  }

  /** Plays whose owners gave no sign of life that was seen, since `untilMs` or longer. */
  silentSince(untilMs: number): string[] {
    return [...this.seen].filter(([, { sinceMs }]) => sinceMs <= untilMs).map(([id]) => id);
  }

  forget(id: string): void {
    this.seen.delete(id);
  }
}

/** A reconciler's clocks. */
interface ReconcilerClocks {
  readonly monotonicMs: number;
  /** MongoDB's clock as the reconciler knows it. */
  readonly serverMs: number;
}

/**
 * Whether a play may be taken from its owner, whose last sign of life was read again just so. The owner starts no effect
 * on a proof older than the lease less its margin, so by now it has stopped, whatever any wall clock shows.
 *
 * @param sinceMs see `Sightings`
 */
export function isOwnerDead(
  _play: OwnerSign,
  sinceMs: number | null,
  { monotonicMs }: ReconcilerClocks,
  { leaseMs }: Pick<ProtocolTimes, 'leaseMs'>,
): boolean {
  return sinceMs !== null && monotonicMs - sinceMs >= leaseMs;
}

/** By MongoDB's clock: an owner that has not renewed for that long is watched. */
export function watchAfterMs({ renewMs }: Pick<ProtocolTimes, 'renewMs'>): number {
  return renewMs * 1.25;
}
