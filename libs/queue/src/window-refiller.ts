import { randomUUID } from 'node:crypto';
import type { PlayJob } from '@weft/contracts';
import type { ProtocolTimes } from '@weft/engine';
import type { Doorbell } from './doorbell.js';
import type { Refill, RunWindow } from './run-window.js';

/** The plays of a company that wait to be rung, from MongoDB. */
export interface WaitingPlays {
  /** Open NEW plays without priority that nobody owns with an id above `afterId`, in accept order. */
  newAfter(companyId: string, afterId: string, limit: number): Promise<readonly PlayJob[]>;
  /** Open NEW plays that nobody owns with a priority above or below 0: by priority, then in accept order. */
  prioritized(companyId: string, side: 'above' | 'below', limit: number): Promise<readonly PlayJob[]>;
  /** Of these, the NEW plays that nobody owns: `silent`, the ones without a sign of life since `until`. */
  newAmong(companyId: string, ids: readonly string[], until: Date): Promise<NewPlays>;
  /** Gives a fresh epoch to those that may have been handed out before; the jobs to ring for instead. */
  raise(jobs: readonly PlayJob[]): Promise<readonly PlayJob[]>;
}

export interface NewPlays {
  readonly young: readonly PlayJob[];
  readonly silent: readonly PlayJob[];
}

export interface WindowRefillerOptions {
  readonly window: () => number;
  /** MongoDB's clock, epoch ms. */
  readonly serverNow: () => number;
  readonly times: Pick<ProtocolTimes, 'ringByMs' | 'gapMs'>;
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
    const choice = new Choice(Math.max(0, this.options.window() - refill.rung));
    // found by where they lie, not by the cursor: those that are rung already are told apart by the set. After Redis lost
    // its data, that goes for plays behind the cursor, too
    const lanes = refill.lanes || refill.raiseUpTo !== '';
    const rung = new Set(lanes ? await this.window.rung(companyId) : []);
    const find = (look: (limit: number) => Promise<readonly PlayJob[]>) => choice.take(rung, look);

    const above = lanes ? await find((limit) => this.plays.prioritized(companyId, 'above', limit)) : [];
    const slipped = choice.slice(refill.slipped);
    const next = await find((limit) => this.plays.newAfter(companyId, refill.cursor, limit));
    const below =
      lanes && choice.exhausted ? await find((limit) => this.plays.prioritized(companyId, 'below', limit)) : [];

    const jobs = [
      ...(await this.raised(above, refill)),
      ...(await this.late(companyId, slipped)),
      ...(await this.raised(next, refill)),
      ...(await this.raised(below, refill)),
    ];
    const askedAtMs = performance.now();
    const waiting = await this.window.endRefill(companyId, refill, {
      slipped,
      next: next.map(idOf),
      prioritized: [...above, ...below].map(idOf),
      exhausted: choice.exhausted,
    });
    if (waiting === null) return;
    // they are members now: the reconciler looks for their jobs, and a ring behind its second look would meet its own
    await this.doorbell.ring(jobs, askedAtMs, this.options.times.gapMs);
    this.options.onRefill?.(jobs.length, waiting);
  }

  /** Those before the cursor. The reconciler looks after them, too, when they have waited for long: they are raised. */
  private async late(companyId: string, slipped: readonly string[]): Promise<readonly PlayJob[]> {
    if (slipped.length === 0) return [];
    const { serverNow, times } = this.options;
    const { young, silent } = await this.plays.newAmong(companyId, slipped, new Date(serverNow() - times.ringByMs));
    return silent.length === 0 ? young : [...young, ...(await this.plays.raise(silent))];
  }

  private async raised(jobs: readonly PlayJob[], { raiseUpTo }: Refill): Promise<readonly PlayJob[]> {
    const old = jobs.filter((job) => job.playId <= raiseUpTo);
    if (old.length === 0) return jobs;
    return [...(await this.plays.raise(old)), ...jobs.filter((job) => job.playId > raiseUpTo)];
  }
}

/** What one refill takes, as long as there is room. */
class Choice {
  /** All that was looked for was found and taken: nobody else waits. */
  exhausted = true;

  constructor(private room: number) {}

  /** @param rung those that are found and count as rung are passed over */
  async take(
    rung: ReadonlySet<string>,
    look: (limit: number) => Promise<readonly PlayJob[]>,
  ): Promise<readonly PlayJob[]> {
    const limit = this.room === 0 ? 0 : this.room + rung.size;
    const found = limit > 0 ? await look(limit) : [];
    const unrung = found.filter((job) => !rung.has(job.playId));
    const taken = unrung.slice(0, this.room);
    this.room -= taken.length;
    if (limit === 0 || found.length === limit || taken.length < unrung.length) this.exhausted = false;
    return taken;
  }

  slice(ids: readonly string[]): readonly string[] {
    const taken = ids.slice(0, this.room);
    this.room -= taken.length;
    return taken;
  }
}

function idOf(job: PlayJob): string {
  return job.playId;
}
