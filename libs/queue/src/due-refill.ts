import type { FailedWrite, OpenPlayChange, WriteOutcomes } from '@weft/persistence';
import type { Doorbell } from './doorbell.js';
import { giveBack } from './give-back.js';
import type { AdmissionWindow } from './admission-window.js';
import type { Refill } from './window-parts.js';
import { OpenPlay, PlayWrite } from '@weft/engine';

/** Reads and continues the due plays of a company in MongoDB. */
export interface DueOfCompany {
  /** In the order in which they continue: by priority, then by time. */
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
  /** Publishes what a write added to a play's journal. */
  readonly announce: (play: OpenPlay, write: PlayWrite) => void;
  /** Plays whose documents could not be written. Default: they are left to the scheduler. */
  readonly onRefused?: (failed: readonly FailedWrite[]) => void | Promise<void>;
}

/** The part of a refill for plays that are not new: delayed ones, and those that continue after a pause. */
export class DueRefill {
  /** Companies in which due plays got the odd place the last time. */
  private readonly odd = new Set<string>();

  constructor(
    private readonly window: Pick<AdmissionWindow, 'takeRoom' | 'finish'>,
    private readonly doorbell: Pick<Doorbell, 'ring'>,
    private readonly plays: DueOfCompany,
    private readonly options: DueRefillOptions,
  ) {}

  /**
   * Takes room for each play first, then writes, then rings. A process that dies in between leaves room that is given back
   * when it is needed, or a play that the reconciler rings for.
   *
   * @param size of the window
   * @returns how much room was newly taken
   */
  async goOn(companyId: string, { token, rung, waiting, due }: Refill, size: number, most: number): Promise<number> {
    const room = Math.min(most, size - rung);
    if (due === 0 || room <= 0) return 0;
    const askedAtMs = performance.now();
    const found = await this.plays.due(companyId, new Date(this.options.serverNow()), room);
    const turns = waiting > 0 ? this.besideNew(companyId, found.changes, room) : found.changes;
    const more = found.changes.length - turns.length + (found.isCut ? 1 : 0);
    const ids = turns.map(({ play }) => play._id);
    const taken = (await this.window.takeRoom(size, new Map([[companyId, { ids, more, token }]]))).get(companyId);
    if (!taken || taken.ids.size === 0) return 0;
    const changes = turns.filter(({ play }) => taken.ids.has(play._id));
    const { written, failed } = await this.plays.goOn(changes);
    const gone = new Set(written.map(({ playId }) => playId));
    for (const { play, write } of changes) if (gone.has(play._id)) this.options.announce(play, write);
    await this.doorbell.ring(written, askedAtMs);
    await giveBack(this.window, new Map([[companyId, taken]]), gone);
    if (failed.length > 0) await this.options.onRefused?.(failed);
    return taken.fresh.filter((id) => gone.has(id)).length;
  }

  /**
   * The due plays whose turn it is while new plays wait, too: those with a priority above 0 first; the others get half of
   * the remaining room, where due and new plays get the odd place in turn. Those below 0 continue only when no new play
   * waits.
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
