import type { OpenPlay, ProtocolTimes } from '@weft/engine';
import { idBefore, lastIdAt } from '@weft/kernel';
import type { OpenPlaysRepository } from '@weft/persistence';
import type { AdmissionWindow, WindowRefiller, WindowView } from '@weft/queue';
import { inParallel } from '../in-parallel.js';
import { PAGE } from './healing-loop.js';
import { isUnowned } from './unowned.js';
import { standingOf, type WindowStanding } from './window-standing.js';

export interface WindowKeeperDeps {
  readonly window: AdmissionWindow;
  readonly refiller: Pick<WindowRefiller, 'refill'>;
  readonly plays: Pick<OpenPlaysRepository, 'byIds'>;
  readonly windowSize: () => number;
  readonly serverNow: () => number;
  readonly times: Pick<ProtocolTimes, 'ringByMs'>;
}

export interface Standings {
  readonly standingOf: (play: OpenPlay) => WindowStanding;
  readonly viewOf: (companyId: string) => WindowView | undefined;
}

/** Companies that are looked at in parallel: a slow one does not delay the others. */
const COMPANIES_AT_ONCE = 16;

/**
 * Keeps the companies' windows true: Redis holds only a cache of them (docs/protocol.md §12). Refills those that have room
 * and no running play whose end would refill them, removes members that have ended, and rebuilds a window whose cache is
 * lost.
 */
export class WindowKeeper {
  private readonly seenWaiting = new Set<string>();
  /** Companies that had plays waiting, until all plays that were taken up have begun or ended. */
  private readonly watched = new Set<string>();

  constructor(private readonly deps: WindowKeeperDeps) {}

  /** What the windows say of plays that nobody owns. */
  async look(plays: readonly OpenPlay[]): Promise<Standings> {
    const views = await this.deps.window.look(idsByCompany(plays));
    return {
      viewOf: (companyId) => views.get(companyId),
      standingOf: (play) => {
        const view = views.get(play.company_id);
        return view ? standingOf(play, view) : 'waits';
      },
    };
  }

  /**
   * These wait outside their windows: the process whose request for room was refused may have died before it listed the
   * company.
   */
  async expect(waiting: readonly OpenPlay[]): Promise<void> {
    for (const { company_id } of waiting) this.seenWaiting.add(company_id);
    const uncounted = new Set(waiting.filter(({ priority }) => priority !== 0).map(({ company_id }) => company_id));
    for (const companyId of uncounted) await this.deps.window.expectPrioritized(companyId);
  }

  /** These are rung for outside their windows, and take up room there from now on. */
  async occupy(plays: readonly OpenPlay[]): Promise<void> {
    for (const [companyId, ids] of idsByCompany(plays.filter(({ state }) => state === 'NEW')))
      await this.deps.window.occupy(companyId, ids);
  }

  /** Windows that do not know these plays, whose jobs are certainly lost, start again with the oldest of them. */
  async beginAnew(unknown: readonly OpenPlay[]): Promise<void> {
    const raiseUpTo = lastIdAt(this.deps.serverNow() - this.deps.times.ringByMs);
    const byCompany = Map.groupBy(unknown, ({ company_id }) => company_id);
    await inParallel(byCompany, COMPANIES_AT_ONCE, ([companyId, plays]) => {
      const [oldest] = plays
        .filter(({ priority }) => priority === 0)
        .map(({ _id }) => _id)
        .sort();
      return this.deps.window.rewind(companyId, oldest === undefined ? '' : idBefore(oldest, 1), raiseUpTo);
    });
  }

  /** Refills windows, so that no play waits because the last worker to finish a play died before it refilled. */
  async refillAll(): Promise<void> {
    const companies = [...new Set([...(await this.deps.window.companiesWaiting()), ...this.seenWaiting])];
    this.seenWaiting.clear();
    for (const companyId of companies) this.watched.add(companyId);
    await inParallel(await this.withRoom(companies), COMPANIES_AT_ONCE, (companyId) =>
      this.deps.refiller.refill(companyId),
    );
  }

  /**
   * Removes members that have ended.
   *
   * @returns members without an owner and without a heartbeat since `until`. The reconciler had seen them waiting; the
   * process that took them up may have died before it rang
   */
  async repairAll(until: Date): Promise<OpenPlay[]> {
    const silent: OpenPlay[] = [];
    const waiting = new Set(await this.deps.window.companiesWaiting());
    for (const companyId of waiting) this.watched.add(companyId);
    await inParallel([...this.watched], COMPANIES_AT_ONCE, async (companyId) => {
      const unowned = await this.repair(companyId);
      if (unowned.length === 0 && !waiting.has(companyId)) this.watched.delete(companyId);
      silent.push(...unowned.filter(({ heartbeatAt }) => heartbeatAt !== undefined && heartbeatAt <= until));
    });
    return silent;
  }

  /** Those that have room, and those that are listed although no play of theirs waits. */
  private async withRoom(companies: readonly string[]): Promise<string[]> {
    const size = this.deps.windowSize();
    const found: string[] = [];
    for (let at = 0; at < companies.length; at += PAGE) {
      const fill = await this.deps.window.fill(companies.slice(at, at + PAGE));
      for (const [companyId, { rung, waiting }] of fill) if (rung < size || waiting === 0) found.push(companyId);
    }
    return found;
  }

  /** Removes members that have ended; returns those that have no owner. */
  private async repair(companyId: string): Promise<OpenPlay[]> {
    const members = await this.deps.window.rung(companyId);
    const unowned: OpenPlay[] = [];
    for (let at = 0; at < members.length; at += PAGE) {
      const piece = members.slice(at, at + PAGE);
      const plays = await this.deps.plays.byIds(piece, { companyId });
      const open = plays.filter((play) => play.state === 'NEW' || play.state === 'RUN');
      const ids = new Set(open.map((play) => play._id));
      const ended = piece.filter((id) => !ids.has(id));
      if (ended.length > 0) await this.deps.window.finish(new Map([[companyId, ended]]));
      unowned.push(...open.filter(isUnowned));
    }
    return unowned;
  }
}

function idsByCompany(plays: readonly OpenPlay[]): Map<string, string[]> {
  const groups = Map.groupBy(plays, ({ company_id }) => company_id);
  return new Map([...groups].map(([companyId, of]) => [companyId, of.map(({ _id }) => _id)]));
}
