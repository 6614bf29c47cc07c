import { randomUUID } from 'node:crypto';
import type { PlayJob } from '@weft/contracts';
import type { Doorbell } from './doorbell.js';
import type { Refill, RunWindow } from './run-window.js';

/** The plays of a company that wait to be rung, from MongoDB. */
export interface WaitingPlays {
  /** Open NEW plays that nobody owns with an id above `afterId`, in accept order. */
  newAfter(companyId: string, afterId: string, limit: number): Promise<readonly PlayJob[]>;
  /** Of these, the NEW plays that nobody owns. */
  newAmong(companyId: string, ids: readonly string[]): Promise<readonly PlayJob[]>;
  /** Gives a fresh epoch to those that may have been handed out before; the jobs to ring for instead. */
  raise(jobs: readonly PlayJob[]): Promise<readonly PlayJob[]>;
}

export interface WindowRefillerOptions {
  readonly window: () => number;
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
    const slipped = await this.slipped(companyId, refill, room);
    // after Redis lost its data, plays behind the cursor may have been rung since
    const rung = new Set(refill.raiseUpTo === '' ? [] : await this.window.rung(companyId));
    const limit = room === 0 ? 0 : room - slipped.ids.length + rung.size;
    const found = limit > 0 ? await this.plays.newAfter(companyId, refill.cursor, limit) : [];
    const unrung = found.filter((job) => !rung.has(job.playId));
    const next = unrung.slice(0, room - slipped.ids.length);
    const old = next.filter((job) => job.playId <= refill.raiseUpTo);
    const raised = old.length > 0 ? await this.plays.raise(old) : [];
    const jobs = [...slipped.jobs, ...raised, ...next.filter((job) => job.playId > refill.raiseUpTo)];
    const waiting = await this.window.endRefill(companyId, refill, [...slipped.ids, ...next.map((job) => job.playId)], {
      slipped: slipped.ids.length,
      exhausted: limit > 0 && found.length < limit && next.length === unrung.length,
    });
    if (waiting === null) return;
    await this.doorbell.ring(jobs, askedAtMs);
    this.options.onRefill?.(jobs.length, waiting);
  }

  private async slipped(companyId: string, refill: Refill, room: number) {
    const ids = refill.slipped.slice(0, room);
    return { ids, jobs: ids.length > 0 ? await this.plays.newAmong(companyId, ids) : [] };
  }
}
