import type { OpenPlay, ProtocolTimes } from '@weft/engine';
import type { OpenPlaysRepository, WaitingAfter } from '@weft/persistence';
import type { QueueInspector } from '@weft/queue';
import { BeatWalk } from './beat-walk.js';
import type { HealingLoop } from './healing-loop.js';
import type { Suspects } from './suspects.js';
import { isUnowned } from './unowned.js';
import type { Standings, WindowKeeper } from './window-keeper.js';

export interface LostRingsDeps {
  readonly plays: Pick<OpenPlaysRepository, 'silent'>;
  readonly queue: Pick<QueueInspector, 'missing'>;
  readonly windows: Pick<WindowKeeper, 'look' | 'expect'>;
  readonly suspects: Suspects;
  readonly times: Pick<ProtocolTimes, 'unownedMs'>;
  /** MongoDB's clock, epoch ms. */
  readonly serverNow: () => number;
  readonly stopping: AbortSignal;
}

/** Plays of one company on a page that are not its business: the next pages leave such plays of the company out. */
const MANY = 100;
/** Companies that a page leaves out. */
const MOST_LEFT_OUT = 100;

/**
 * Walks the plays that nobody owns and that gave no sign of life for a while, and looks for their jobs: whose turn it was
 * and who has none is looked at again later, see `SecondLooks`.
 */
export class LostRings implements HealingLoop {
  readonly name = 'lost rings';
  private readonly walk: BeatWalk;
  private members: readonly OpenPlay[] = [];
  /** Redis may have lost a list of jobs and kept the jobs, which is looked into when all plays are looked at. */
  private sureBy: 'record' | 'lists' = 'lists';

  constructor(private readonly deps: LostRingsDeps) {
    this.walk = new BeatWalk(deps.plays, deps.times.unownedMs);
  }

  /** All plays are looked at again. */
  forgetSeen(): void {
    this.walk.forget();
    this.sureBy = 'lists';
  }

  /** These are looked for in the next pass, wherever the walk is. */
  lookFor(plays: readonly OpenPlay[]): void {
    this.members = plays;
  }

  async pass(): Promise<void> {
    const { members } = this;
    this.members = [];
    const leftOut = new Map<string, string>();
    await this.lookAt(members, leftOut);
    const nowMs = this.deps.serverNow();
    while (!this.deps.stopping.aborted && !this.deps.suspects.isFull) {
      const but = [...leftOut].map(([companyId, playId]): WaitingAfter => ({ companyId, playId }));
      if (!(await this.walk.next(nowMs, (page) => this.lookAt(page.filter(isUnowned), leftOut), but))) continue;
      this.sureBy = 'record';
      return;
    }
  }

  /** Who nobody owns and who gave no sign of life since then is looked for in Redis. */
  silentSince(): Date {
    return new Date(this.deps.serverNow() - this.deps.times.unownedMs);
  }

  private async lookAt(plays: readonly OpenPlay[], leftOut: Map<string, string>): Promise<void> {
    if (plays.length === 0) return;
    const { windows, queue, suspects } = this.deps;
    const standings = await windows.look(plays);
    const { waits = [], turns = [] } = Object.groupBy(plays, (play) =>
      standings.standingOf(play) === 'waits' ? 'waits' : 'turns',
    );
    await windows.expect(waits);
    const jobs = turns.map((play) => ({ playId: play._id, epoch: play.epoch, play }));
    const lost = await queue.missing(jobs, this.sureBy);
    const atMs = performance.now();
    for (const { play } of lost) suspects.add(play, standings.standingOf(play) === 'unknown', atMs);
    this.leaveOut(plays, standings, leftOut);
  }

  /**
   * A backlog may be long, and nothing of it is to be done here: it waits in order, or its window begins anew with one of
   * those that are suspects already, from which on the others wait in order.
   */
  private leaveOut(plays: readonly OpenPlay[], standings: Standings, leftOut: Map<string, string>): void {
    for (const [companyId, of] of Map.groupBy(plays, ({ company_id }) => company_id)) {
      if (of.length < MANY || leftOut.size >= MOST_LEFT_OUT) continue;
      const unknown = this.deps.suspects.unknownOf(companyId);
      const view = standings.viewOf(companyId);
      if (unknown?.isCut) leftOut.set(companyId, unknown.oldest);
      else if (view && view.waiting > 0) leftOut.set(companyId, view.cursor);
    }
  }
}
