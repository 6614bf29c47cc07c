import type { FailedWrite, OpenPlayChange, WriteOutcomes } from '@weft/persistence';
import type { Doorbell } from './doorbell.js';
import { giveBack } from './give-back.js';
import type { RunWindow } from './run-window.js';
import type { Refill } from './window-parts.js';

/** What of a company is due, from MongoDB. */
export interface DueOfCompany {
  /** In the order in which it goes on: by priority, then by time. */
  due(
    companyId: string,
    at: Date,
    limit: number,
  ): Promise<{ readonly changes: readonly OpenPlayChange[]; readonly isCut: boolean }>;
  goOn(changes: readonly OpenPlayChange[]): Promise<WriteOutcomes>;
}

export interface DueRefillOptions {
  /** MongoDB's clock, epoch ms. */
  readonly serverNow: () => number;
  readonly announce: (companyId: string, playId: string, seq: number) => void;
  /** Plays whose documents could not be written. Default: they are left to whoever comes by. */
  readonly onRefused?: (failed: readonly FailedWrite[]) => void | Promise<void>;
}

/** The part of a refill for plays that are no new ones: delayed ones, and those that go on after a pause. */
export class DueRefill {
  /** Companies in which the odd place of a room went to what is due the last time. */
  private readonly odd = new Set<string>();

  constructor(
    private readonly window: Pick<RunWindow, 'takeUp' | 'finish'>,
    private readonly doorbell: Pick<Doorbell, 'ring'>,
    private readonly plays: DueOfCompany,
    private readonly options: DueRefillOptions,
  ) {}

  /**
   * First a place for each, then the write, then the ring: who dies in between leaves a place that is taken back when
   * somebody needs it, or a play that the reconciler rings for.
   *
   * @param size of the window
   * @returns how many places were taken
   */
  async goOn(companyId: string, { token, rung, waiting, due }: Refill, size: number, most: number): Promise<number> {
    const room = Math.min(most, size - rung);
    if (due === 0 || room <= 0) return 0;
    const askedAtMs = performance.now();
    const found = await this.plays.due(companyId, new Date(this.options.serverNow()), room);
    const turns = waiting > 0 ? this.besideNew(companyId, found.changes, room) : found.changes;
    const more = found.changes.length - turns.length + (found.isCut ? 1 : 0);
    const ids = turns.map(({ play }) => play._id);
    const taken = (await this.window.takeUp(size, new Map([[companyId, { ids, more, token }]]))).get(companyId);
    if (!taken || taken.ids.size === 0) return 0;
    const changes = turns.filter(({ play }) => taken.ids.has(play._id));
    const { written, failed } = await this.plays.goOn(changes);
    const gone = new Set(written.map(({ playId }) => playId));
    for (const { play, write } of changes)
      if (gone.has(play._id)) this.options.announce(companyId, play._id, write.set.seq ?? play.seq);
    await this.doorbell.ring(written, askedAtMs);
    await giveBack(this.window, new Map([[companyId, taken]]), gone);
    if (failed.length > 0) await this.options.onRefused?.(failed);
    return taken.fresh.filter((id) => gone.has(id)).length;
  }

  /**
   * Whose turn it is while new plays wait, too: those with a priority above 0, and of what is left half; a room of one goes to
   * both in turn. Those below 0 come when no new play waits.
   */
  private besideNew(companyId: string, due: readonly OpenPlayChange[], room: number): readonly OpenPlayChange[] {
    const above = due.filter(({ play }) => play.priority > 0);
    const plain = due.filter(({ play }) => play.priority === 0);
    const left = room - above.length;
    const getsOdd = left % 2 === 1 && !this.odd.delete(companyId);
    if (getsOdd) this.odd.add(companyId);
    return [...above, ...plain.slice(0, Math.floor(left / 2) + (getsOdd ? 1 : 0))];
  }
}
