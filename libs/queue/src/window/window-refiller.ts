import { CoalescingRunner } from '@weft/concurrency';
import type { PlayJob } from '@weft/contracts';
import type { OpenPlay, PlayWrite } from '@weft/engine';
import type { FailedWrite, OpenPlayChange, WriteOutcomes } from '@weft/store';
import type { AdmissionWindow, WindowSizeOf } from './admission-window.js';
import type { Doorbell } from '../handout/doorbell.js';
import { giveBack } from '../handout/give-back.js';
import { ShareRoom } from './share-room.js';

/** The plays of a company that wait for room in its window, in MongoDB. */
export interface WaitingPlays {
  /** NEW plays that are marked, in the order in which they are rung for: by priority, then in accept order. */
  waiting(companyId: string, limit: number): Promise<readonly PlayJob[]>;
  /** Removes their marks. Returns those whose mark this call has removed: they are rung for by nobody else. */
  takeUp(companyId: string, jobs: readonly PlayJob[]): Promise<readonly PlayJob[]>;
  /** Plays whose time has come, in the order in which they continue: by priority, then by time. */
  due(
    companyId: string,
    at: Date,
    limit: number,
  ): Promise<{ readonly changes: readonly OpenPlayChange[]; readonly isCut: boolean }>;
  goOn(changes: readonly OpenPlayChange[]): Promise<WriteOutcomes>;
}

export interface WindowRefillerOptions {
  readonly sizeOf: WindowSizeOf;
  /** MongoDB's clock, epoch ms. */
  readonly serverNow: () => number;
  /** Publishes what a write added to a play's journal. */
  readonly announce: (play: OpenPlay, write: PlayWrite) => void;
  /** A refill that nobody waits for has failed. */
  readonly onFault: (error: unknown) => void;
}

/** Handles what refills find. */
export interface RefillWatch {
  /** Plays whose documents could not be written. Default: they are left to the scheduler. */
  readonly onRefused?: (failed: readonly FailedWrite[]) => void | Promise<void>;
  readonly onRefill?: (rung: number) => void;
}

/** The most plays that one look takes up: few enough that a refill ends long before its lock expires. */
const PIECE = 500;

/** Rings for the next plays of a company whose window has room, many at a time. */
export class WindowRefiller {
  /** By company. */
  private readonly refills = new CoalescingRunner<string, 'refill'>();
  private readonly sharing = new ShareRoom();
  private readonly started = new Set<Promise<void>>();
  private watch: RefillWatch = {};

  constructor(
    private readonly window: AdmissionWindow,
    private readonly doorbell: Pick<Doorbell, 'ring'>,
    private readonly plays: WaitingPlays,
    private readonly options: WindowRefillerOptions,
  ) {}

  watchedBy(watch: RefillWatch): void {
    this.watch = watch;
  }

  /**
   * Fills the window, or takes up all that wait. One refill of a company at a time, in all processes, for the sake of
   * efficiency only. A refill that this process requests meanwhile follows the current one.
   */
  refill(companyId: string): Promise<void> {
    return this.refills.run(companyId, 'refill', async () => {
      while (await this.locked(companyId));
    });
  }

  /** The same, without waiting for it. */
  refillSoon(companyId: string): void {
    const refill = this.refill(companyId).catch(this.options.onFault);
    this.started.add(refill);
    void refill.then(() => this.started.delete(refill));
  }

  /** Resolves when the refills that nobody waits for have ended. */
  async settled(): Promise<void> {
    await Promise.all(this.started);
  }

  private async locked(companyId: string): Promise<boolean> {
    if (!(await this.window.lockRefill(companyId))) return false;
    try {
      return await this.take(companyId);
    } finally {
      await this.window.unlockRefill(companyId);
    }
  }

  /** @returns whether to look again: there is room left, and others may wait */
  private async take(companyId: string): Promise<boolean> {
    if (await this.window.isStopped(companyId)) return false;
    const size = this.options.sizeOf(companyId);
    const { rung, waits } = (await this.window.fill([companyId])).get(companyId) ?? { rung: size, waits: true };
    const room = Math.min(size - rung, PIECE);
    if (room <= 0) return false;
    const askedAtMs = performance.now();
    const [{ changes, isCut }, marked] = await Promise.all([
      this.plays.due(companyId, new Date(this.options.serverNow()), room),
      this.plays.waiting(companyId, room + 1),
    ]);
    const isAll = !isCut && changes.length + marked.length <= room;
    // then it looks again, at what was marked before new plays could take room
    if (isAll && waits) await this.window.openTo(companyId);
    // what is due may be plays that first join a queue: the scheduler does that, and a look at once would find them again
    if (changes.length + marked.length === 0) return waits && isAll;
    const share = this.sharing.share(
      companyId,
      changes.map((change) => ({ change, priority: change.play.priority })),
      marked,
      room,
    );
    const due = share.due.map(({ change }) => change);
    const ids = [...due.map(({ play }) => play._id), ...share.fresh.map(({ playId }) => playId)];
    const asked = { ids, more: isAll ? 0 : 1, isRefill: true };
    const taken = (await this.window.takeRoom(() => size, new Map([[companyId, asked]]))).get(companyId);
    if (!taken || taken.ids.size === 0) return false;
    const goneOn = await this.goOn(due.filter(({ play }) => taken.ids.has(play._id)));
    const begun = await this.plays.takeUp(
      companyId,
      share.fresh.filter(({ playId }) => taken.ids.has(playId)),
    );
    const jobs = [...goneOn, ...begun];
    await this.doorbell.ring(jobs, askedAtMs);
    const used = new Set(jobs.map(({ playId }) => playId));
    await giveBack(this.window, new Map([[companyId, taken]]), used);
    this.watch.onRefill?.(jobs.length);
    return jobs.length > 0 && taken.room > 0;
  }

  private async goOn(changes: readonly OpenPlayChange[]): Promise<readonly PlayJob[]> {
    if (changes.length === 0) return [];
    const { written, failed } = await this.plays.goOn(changes);
    const gone = new Set(written.map(({ playId }) => playId));
    for (const { play, write } of changes) if (gone.has(play._id)) this.options.announce(play, write);
    if (failed.length > 0) await this.watch.onRefused?.(failed);
    return written;
  }
}
