import { CoalescingRunner } from '@weft/concurrency';
import { randomUUID } from 'node:crypto';
import type { PlayJob } from '@weft/contracts';
import type { ProtocolTimes } from '@weft/engine';
import type { Doorbell } from './doorbell.js';
import { DueRefill, type DueOfCompany, type DueRefillOptions } from './due-refill.js';
import { FIRST_EPOCH } from './group-jobs.js';
import { RefillChoice, type PrioritizedJob, type WaitingPage } from './refill-choice.js';
import type { AdmissionWindow } from './admission-window.js';
import type { Refill } from './window-parts.js';

/** The plays of a company that wait to be rung for, from MongoDB. */
export interface WaitingPlays extends DueOfCompany {
  /**
   * NEW plays without priority and without an owner, with an id above `afterId`, in accept order.
   *
   * @param isSparse the page before showed that hardly any of the company's plays in this range wait
   */
  newAfter(companyId: string, afterId: string, limit: number, isSparse: boolean): Promise<WaitingPage>;
  /** NEW plays without an owner and with a priority above or below 0, after this one: by priority, then in accept order. */
  prioritized(
    companyId: string,
    side: 'above' | 'below',
    limit: number,
    after: PrioritizedJob | null,
  ): Promise<readonly PrioritizedJob[]>;
  /** Of these, the NEW plays without an owner. `silent`: those without a heartbeat since `until`. */
  newAmong(companyId: string, ids: readonly string[], until: Date): Promise<NewPlays>;
  /** Gives a new epoch to those that may have been handed out before. Returns the jobs to ring for instead. */
  reissue(jobs: readonly PlayJob[]): Promise<readonly PlayJob[]>;
}

export interface NewPlays {
  readonly young: readonly PlayJob[];
  readonly silent: readonly PlayJob[];
}

/** Handles what refills find. */
export interface RefillWatch {
  readonly onRefused?: DueRefillOptions['onRefused'];
  readonly onRefill?: (rung: number, waiting: number) => void;
}

export interface WindowRefillerOptions extends Omit<DueRefillOptions, 'onRefused'> {
  readonly window: () => number;
  readonly times: Pick<ProtocolTimes, 'ringByMs'>;
}

interface Taken {
  /** How many plays were taken. */
  readonly ids: number;
  /** The next refill will find other plays. */
  readonly hasMoved: boolean;
  /** Null: another refill has the lock. */
  readonly waiting: number | null;
}

/** The most plays that one refill takes up: few enough that it ends long before its lock expires. */
const PIECE = 500;

/** Rings for the next plays of a company whose window has room: one query for many plays. */
export class WindowRefiller {
  /** By company. */
  private readonly refills = new CoalescingRunner<string, 'refill'>();
  private readonly due: DueRefill;
  private watch: RefillWatch = {};

  constructor(
    private readonly window: AdmissionWindow,
    private readonly doorbell: Doorbell,
    private readonly plays: WaitingPlays,
    private readonly options: WindowRefillerOptions,
  ) {
    const onRefused: DueRefillOptions['onRefused'] = (failed) => this.watch.onRefused?.(failed);
    this.due = new DueRefill(window, doorbell, plays, { ...options, onRefused });
  }

  /** Default: nothing watches; plays that could not be written are left to the scheduler. */
  watchedBy(watch: RefillWatch): void {
    this.watch = watch;
  }

  /**
   * One refill of a company at a time, in all processes. A refill that this process requests meanwhile follows the current
   * one.
   */
  refill(companyId: string): Promise<void> {
    return this.refills.run(companyId, 'refill', async () => {
      const isMoreToTake = await this.refillOnce(companyId);
      if (isMoreToTake) await this.refill(companyId); // requests one more pass
    });
  }

  /** @returns whether the window has room for more plays that wait */
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
    const end = await this.window.endRefill(companyId, refill, none);
    return { ids: 0, hasMoved: false, waiting: end?.waiting ?? null };
  }

  private async takeNew(companyId: string, refill: Refill, room: number): Promise<Taken> {
    // these are found by their own order, not by the cursor: the set of rung plays tells which of them were rung for
    // already. After Redis lost its data, that goes for plays after the cursor, too
    const lanes = refill.hasPriorities || refill.reissueUpTo !== '';
    const rung = new Set(lanes ? await this.window.rung(companyId) : []);
    const choice = new RefillChoice(Math.min(room, PIECE), rung);
    const side = (which: 'above' | 'below') =>
      choice.takeByPriority((limit, after) => this.plays.prioritized(companyId, which, limit, after));

    const above = lanes ? await side('above') : [];
    const slipped = choice.takeOutOfOrder(refill.outOfOrder);
    const next = await choice.takeInOrder(refill.cursor, (after, limit, isSparse) =>
      this.plays.newAfter(companyId, after, limit, isSparse),
    );
    const below = lanes && choice.exhausted ? await side('below') : [];

    const byId = await this.rungFor([...above, ...next.jobs, ...below], refill);
    const as = (jobs: readonly PlayJob[]) => jobs.flatMap(({ playId }) => byId.get(playId) ?? []);
    const jobs = [...as(above), ...(await this.late(companyId, slipped)), ...as(next.jobs), ...as(below)];
    const askedAtMs = performance.now();
    const ids = [...above, ...next.jobs, ...below].map(({ playId }) => playId);
    const end = await this.window.endRefill(companyId, refill, {
      ids: [...slipped, ...ids],
      cursor: next.cursor,
      exhausted: choice.exhausted,
    });
    const taken = { ids: ids.length + slipped.length, waiting: end?.waiting ?? null };
    if (end === null) return { ...taken, hasMoved: false };
    // whatever put a play into the window made its first ring: a job of several plays does not tell that one of them has another
    const rings = jobs.filter(({ playId, epoch }) => epoch > FIRST_EPOCH || !end.known.has(playId));
    await this.doorbell.ring(rings, askedAtMs);
    this.watch.onRefill?.(rings.length, end.waiting);
    return { ...taken, hasMoved: taken.ids > 0 || next.cursor > refill.cursor };
  }

  /** Plays before the cursor. Those that have waited for long are reissued, because the reconciler looks after them, too. */
  private async late(companyId: string, slipped: readonly string[]): Promise<readonly PlayJob[]> {
    if (slipped.length === 0) return [];
    const { serverNow, times } = this.options;
    const { young, silent } = await this.plays.newAmong(companyId, slipped, new Date(serverNow() - times.ringByMs));
    return silent.length === 0 ? young : [...young, ...(await this.plays.reissue(silent))];
  }

  /** The jobs to ring for, by play. Plays that may have been handed out before are reissued. */
  private async rungFor(jobs: readonly PlayJob[], { reissueUpTo }: Refill): Promise<ReadonlyMap<string, PlayJob>> {
    const { old = [], young = [] } = Object.groupBy(jobs, ({ playId }) => (playId <= reissueUpTo ? 'old' : 'young'));
    const raised = old.length === 0 ? [] : await this.plays.reissue(old);
    return new Map([...young, ...raised].map((job) => [job.playId, job]));
  }
}
