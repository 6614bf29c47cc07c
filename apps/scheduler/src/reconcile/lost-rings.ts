import type { OpenPlay, ProtocolTimes } from '@weft/engine';
import type { OpenPlaysRepository, WaitingAfter } from '@weft/persistence';
import type { QueueInspector } from '@weft/queue';
import { HeartbeatScan, type ReadSilent } from './heartbeat-scan.js';
import { PAGE, type HealingLoop } from './healing-loop.js';
import type { PlaysWithoutJobs } from './plays-without-jobs.js';
import { isUnowned } from './unowned.js';
import type { Standings, WindowKeeper } from './window-keeper.js';

export interface LostRingsDeps {
  readonly plays: Pick<OpenPlaysRepository, 'silent'>;
  readonly queue: Pick<QueueInspector, 'missing'>;
  readonly windows: Pick<WindowKeeper, 'look' | 'expect'>;
  readonly withoutJobs: PlaysWithoutJobs;
  readonly times: Pick<ProtocolTimes, 'unownedMs'>;
  /** MongoDB's clock, epoch ms. */
  readonly serverNow: () => number;
  readonly stopping: AbortSignal;
}

/** From this many plays of one company on a page, the next pages leave out the company's plays that need nothing. */
const MANY = 100;
/** The most companies that a page leaves out. */
const MOST_LEFT_OUT = 100;

/**
 * Walks the plays that have no owner and no recent heartbeat, and looks for their jobs. A play that should have a job and
 * has none is looked at again later by `SecondLooks`.
 */
export class LostRings implements HealingLoop {
  readonly name = 'lost rings';
  private readonly scan: HeartbeatScan;
  private members: readonly OpenPlay[] = [];
  /** Redis may have lost a list of jobs and kept the jobs. This is checked whenever all plays are looked at. */
  private sureBy: 'record' | 'lists' = 'lists';

  constructor(private readonly deps: LostRingsDeps) {
    const read: ReadSilent = (after, until, but) => deps.plays.silent(after, until, PAGE, but);
    this.scan = new HeartbeatScan(read, deps.times.unownedMs);
  }

  /** All plays are looked at again. */
  forgetSeen(): void {
    this.scan.forget();
    this.sureBy = 'lists';
  }

  /** The next pass looks for these, wherever the walk is. */
  lookFor(plays: readonly OpenPlay[]): void {
    this.members = plays;
  }

  async pass(): Promise<void> {
    const { members } = this;
    this.members = [];
    const leftOut = new Map<string, string>();
    await this.lookAt(members, leftOut);
    const nowMs = this.deps.serverNow();
    while (!this.deps.stopping.aborted && !this.deps.withoutJobs.isFull) {
      const but = [...leftOut].map(([companyId, playId]): WaitingAfter => ({ companyId, playId }));
      if (!(await this.scan.next(nowMs, (page) => this.lookAt(page.filter(isUnowned), leftOut), but))) continue;
      this.sureBy = 'record';
      return;
    }
  }

  /** Plays without an owner and without a heartbeat since then are looked for in Redis. */
  silentSince(): Date {
    return new Date(this.deps.serverNow() - this.deps.times.unownedMs);
  }

  private async lookAt(plays: readonly OpenPlay[], leftOut: Map<string, string>): Promise<void> {
    if (plays.length === 0) return;
    const { windows, queue, withoutJobs } = this.deps;
    const standings = await windows.look(plays);
    const { waits = [], turns = [] } = Object.groupBy(plays, (play) =>
      standings.standingOf(play) === 'waits' ? 'waits' : 'turns',
    );
    await windows.expect(waits);
    const jobs = turns.map((play) => ({ playId: play._id, epoch: play.epoch, play }));
    const lost = await queue.missing(jobs, this.sureBy);
    const atMs = performance.now();
    for (const { play } of lost) withoutJobs.add(play, standings.standingOf(play) === 'unknown', atMs);
    this.leaveOut(plays, standings, leftOut);
  }

  /**
   * A backlog may be long, and its plays need nothing here: they wait in order, or their window is rebuilt from one of the
   * plays that were already found without a job, and the later ones wait in order.
   */
  private leaveOut(plays: readonly OpenPlay[], standings: Standings, leftOut: Map<string, string>): void {
    for (const [companyId, of] of Map.groupBy(plays, ({ company_id }) => company_id)) {
      if (of.length < MANY || leftOut.size >= MOST_LEFT_OUT) continue;
      const unknown = this.deps.withoutJobs.unknownOf(companyId);
      const view = standings.viewOf(companyId);
      if (unknown?.isCut) leftOut.set(companyId, unknown.oldest);
      else if (view && view.waiting > 0) leftOut.set(companyId, view.cursor);
    }
  }
}
