import { randomUUID } from 'node:crypto';
import type { PlayJob } from '@weft/contracts';
import type { Doorbell } from './doorbell.js';
import type { RunWindow } from './run-window.js';

/** The plays of a company that wait to be rung, from MongoDB. */
export interface WaitingPlays {
  /** Open NEW plays that nobody owns with an id above `afterId`, in accept order. */
  newAfter(companyId: string, afterId: string, limit: number): Promise<readonly PlayJob[]>;
  /** Gives a fresh epoch to those that may have been handed out before; the jobs to ring for instead. */
  raise(jobs: readonly PlayJob[]): Promise<readonly PlayJob[]>;
}

/** Plays accepted by two replicas at about the same time are stored in another order than their ids: look back that far. */
export const ACCEPT_OVERLAP_MS = 200;

export interface WindowRefillerOptions {
  readonly window: () => number;
  /** An id smaller than every id made from `ms` milliseconds before this id's time on. */
  readonly idBefore: (id: string, ms: number) => string;
  readonly onRefill?: (rung: number, waiting: number) => void;
}

/** Rings the next plays of a company whose window has room: one find for many plays. */
export class WindowRefiller {
  /** Companies that are being refilled here; true: asked for again meanwhile. */
  private readonly refilling = new Map<string, boolean>();

  constructor(
    private readonly window: RunWindow,
    private readonly doorbell: Doorbell,
    private readonly plays: WaitingPlays,
    private readonly options: WindowRefillerOptions,
  ) {}

  /** One refill of a company at a time, here and elsewhere; what is asked for meanwhile here follows it. */
  async refill(companyId: string): Promise<void> {
    if (this.refilling.has(companyId)) {
      this.refilling.set(companyId, true);
      return;
    }
    try {
      do {
        this.refilling.set(companyId, false);
        await this.refillOnce(companyId);
      } while (this.refilling.get(companyId));
    } finally {
      this.refilling.delete(companyId);
    }
  }

  private async refillOnce(companyId: string): Promise<void> {
    const refill = await this.window.beginRefill(companyId, randomUUID());
    if (!refill) return;
    const askedAtMs = performance.now();
    const room = Math.max(0, this.options.window() - refill.rung);
    const rung = new Set(room > 0 ? await this.window.rung(companyId) : []);
    // those that are rung and not taken yet are NEW, too, and lie within the overlap
    const limit = room + rung.size;
    const after = refill.cursor === '' ? '' : this.options.idBefore(refill.cursor, ACCEPT_OVERLAP_MS);
    const found = room > 0 ? await this.plays.newAfter(companyId, after, limit) : [];
    const next = found.filter((job) => !rung.has(job.playId)).slice(0, room);
    const old = next.filter((job) => job.playId <= refill.raiseUpTo);
    const raised = old.length > 0 ? await this.plays.raise(old) : [];
    const jobs = [...raised, ...next.filter((job) => job.playId > refill.raiseUpTo)];
    const exhausted = room > 0 && found.length < limit;
    const waiting = await this.window.endRefill(
      companyId,
      refill,
      next.map((job) => job.playId),
      exhausted,
    );
    if (waiting === null) return;
    await this.doorbell.ring(jobs, askedAtMs);
    this.options.onRefill?.(jobs.length, waiting);
  }
}
