import { randomUUID } from 'node:crypto';
import type { PlayJob } from '@weft/contracts';
import type { ProtocolTimes } from '@weft/engine';
import type { Doorbell } from './doorbell.js';
import { DueRefill, type DueOfCompany, type DueRefillOptions } from './due-refill.js';
import { RefillChoice, type PrioritizedJob, type WaitingPage } from './refill-choice.js';
import type { RunWindow } from './run-window.js';
import type { Refill } from './window-parts.js';

/** The plays of a company that wait to be rung, from MongoDB. */
export interface WaitingPlays extends DueOfCompany {
  /**
   * Open NEW plays without priority that nobody owns with an id above `afterId`, in accept order.
   *
   * @param isSparse the page before showed that hardly any of the company's plays there wait
   */
  newAfter(companyId: string, afterId: string, limit: number, isSparse: boolean): Promise<WaitingPage>;
  /** Open NEW plays that nobody owns with a priority above or below 0, after this one: by priority, then in accept order. */
  prioritized(
    companyId: string,
    side: 'above' | 'below',
    limit: number,
    after: PrioritizedJob | null,
  ): Promise<readonly PrioritizedJob[]>;
  /** Of these, the NEW plays that nobody owns: `silent`, the ones without a sign of life since `until`. */
  newAmong(companyId: string, ids: readonly string[], until: Date): Promise<NewPlays>;
  /** Gives a fresh epoch to those that may have been handed out before; the jobs to ring for instead. */
  raise(jobs: readonly PlayJob[]): Promise<readonly PlayJob[]>;
}

export interface NewPlays {
  readonly young: readonly PlayJob[];
  readonly silent: readonly PlayJob[];
}

export interface WindowRefillerOptions extends DueRefillOptions {
  readonly window: () => number;
  readonly times: Pick<ProtocolTimes, 'ringByMs'>;
  readonly onRefill?: (rung: number, waiting: number) => void;
}

interface Taken {
  /** How many. */
  readonly ids: number;
  /** The next refill will find others. */
  readonly hasMoved: boolean;
  /** Null: another refill has the lock. */
  readonly waiting: number | null;
}

/** Plays that one refill takes up: few enough that it is over long before its lock. */
const PIECE = 500;

/** Rings the next plays of a company whose window has room: one find for many plays. */
export class WindowRefiller {
  /** Companies that are being refilled here; true: asked for again meanwhile. */
  private readonly refilling = new Map<string, boolean>();
  private readonly due: DueRefill;

  constructor(
    private readonly window: RunWindow,
    private readonly doorbell: Doorbell,
    private readonly plays: WaitingPlays,
    private readonly options: WindowRefillerOptions,
  ) {
    this.due = new DueRefill(window, doorbell, plays, options);
  }

  /** One refill of a company at a time, here and elsewhere; what is asked for meanwhile here follows it. */
  async refill(companyId: string): Promise<void> {
    if (this.refilling.has(companyId)) {
      this.refilling.set(companyId, true);
      return;
    }
    try {
      let isMoreToTake: boolean;
      do {
        this.refilling.set(companyId, false);
        isMoreToTake = await this.refillOnce(companyId);
      } while (isMoreToTake || this.refilling.get(companyId));
    } finally {
      this.refilling.delete(companyId);
    }
  }

  /** @returns whether the window has room for more that wait */
  private async refillOnce(companyId: string): Promise<boolean> {
    const refill = await this.window.beginRefill(companyId, randomUUID());
    if (!refill) return false;
    const keeping = setInterval(
      () => void this.window.keepRefill(companyId, refill).catch(() => undefined),
      this.window.refillLockMs / 4,
    );
    try {
      return await this.take(companyId, refill);
    } finally {
      clearInterval(keeping);
    }
  }

  private async take(companyId: string, refill: Refill): Promise<boolean> {
    const size = this.options.window();
    const goneOn = await this.due.goOn(companyId, refill, size, PIECE);
    const room = Math.max(0, size - refill.rung - goneOn);
    const { ids, hasMoved, waiting } =
      refill.waiting > 0 ? await this.takeNew(companyId, refill, room) : await this.takeNone(companyId, refill);
    return waiting !== null && waiting > 0 && room > ids && (hasMoved || goneOn > 0);
  }

  private async takeNone(companyId: string, refill: Refill): Promise<Taken> {
    const none = { ids: [], cursor: refill.cursor, exhausted: true };
    return { ids: 0, hasMoved: false, waiting: await this.window.endRefill(companyId, refill, none) };
  }

  private async takeNew(companyId: string, refill: Refill, room: number): Promise<Taken> {
    // found by where they lie, not by the cursor: those that are rung already are told apart by the set. After Redis lost
    // its data, that goes for plays behind the cursor, too
    const lanes = refill.lanes || refill.raiseUpTo !== '';
    const rung = new Set(lanes ? await this.window.rung(companyId) : []);
    const choice = new RefillChoice(Math.min(room, PIECE), rung);
    const side = (which: 'above' | 'below') =>
      choice.takeByPriority((limit, after) => this.plays.prioritized(companyId, which, limit, after));

    const above = lanes ? await side('above') : [];
    const slipped = choice.takeSlipped(refill.slipped);
    const next = await choice.takeInOrder(refill.cursor, (after, limit, isSparse) =>
      this.plays.newAfter(companyId, after, limit, isSparse),
    );
    const below = lanes && choice.exhausted ? await side('below') : [];

    const byId = await this.rungFor([...above, ...next.jobs, ...below], refill);
    const as = (jobs: readonly PlayJob[]) => jobs.flatMap(({ playId }) => byId.get(playId) ?? []);
    const jobs = [...as(above), ...(await this.late(companyId, slipped)), ...as(next.jobs), ...as(below)];
    const askedAtMs = performance.now();
    const ids = [...above, ...next.jobs, ...below].map(({ playId }) => playId);
    const waiting = await this.window.endRefill(companyId, refill, {
      ids: [...slipped, ...ids],
      cursor: next.cursor,
      exhausted: choice.exhausted,
    });
    const taken = { ids: ids.length + slipped.length, waiting };
    if (waiting === null) return { ...taken, hasMoved: false };
    await this.doorbell.ring(jobs, askedAtMs);
    this.options.onRefill?.(jobs.length, waiting);
    return { ...taken, hasMoved: taken.ids > 0 || next.cursor > refill.cursor };
  }

  /** Those before the cursor. The reconciler looks after them, too, when they have waited for long: they are raised. */
  private async late(companyId: string, slipped: readonly string[]): Promise<readonly PlayJob[]> {
    if (slipped.length === 0) return [];
    const { serverNow, times } = this.options;
    const { young, silent } = await this.plays.newAmong(companyId, slipped, new Date(serverNow() - times.ringByMs));
    return silent.length === 0 ? young : [...young, ...(await this.plays.raise(silent))];
  }

  /** The jobs to ring for, by play: raised where they may have been handed out before. */
  private async rungFor(jobs: readonly PlayJob[], { raiseUpTo }: Refill): Promise<ReadonlyMap<string, PlayJob>> {
    const { old = [], young = [] } = Object.groupBy(jobs, ({ playId }) => (playId <= raiseUpTo ? 'old' : 'young'));
    const raised = old.length === 0 ? [] : await this.plays.raise(old);
    return new Map([...young, ...raised].map((job) => [job.playId, job]));
  }
}
