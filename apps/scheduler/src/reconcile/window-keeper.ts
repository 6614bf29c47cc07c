import type { OpenPlay } from '@weft/engine';
import { idBefore, lastIdAt } from '@weft/kernel';
import type { OpenPlaysRepository } from '@weft/persistence';
import type { RunWindow, WindowRefiller } from '@weft/queue';
import { sideBySide } from '../side-by-side.js';
import { isUnowned } from './unowned.js';

export interface WindowKeeperDeps {
  readonly window: RunWindow;
  readonly refiller: WindowRefiller;
  readonly plays: OpenPlaysRepository;
  readonly windowSize: () => number;
  readonly serverNow: () => number;
}

/** Companies that are looked at side by side: one with a long look holds up none of the others. */
const COMPANIES_AT_ONCE = 16;

/**
 * Keeps the companies' windows true: Redis holds only a cache of them (protocol §12). Refills those that have room and
 * nobody to finish a play, takes out members that have ended, and begins anew where the cache is gone.
 */
export class WindowKeeper {
  private readonly seenWaiting = new Set<string>();
  /** Companies that had plays waiting, until all that were taken up have begun or ended. */
  private readonly watched = new Set<string>();

  constructor(private readonly deps: WindowKeeperDeps) {}

  /** Of plays without a sign of life, those that should have been rung for; the others wait behind their window. */
  async whoseTurnItIs(plays: readonly OpenPlay[]): Promise<OpenPlay[]> {
    const behind = new Map<string, { cursor: string; rung: ReadonlySet<string> }>();
    for (const companyId of new Set(plays.map((play) => play.company_id))) {
      const { cursor, waiting } = await this.deps.window.stateOf(companyId);
      if (waiting > 0) behind.set(companyId, { cursor, rung: new Set(await this.deps.window.rung(companyId)) });
    }
    const uncounted = new Set<string>();
    const turns = plays.filter((play) => {
      const window = behind.get(play.company_id);
      if (play.state !== 'NEW' || !window || window.rung.has(play._id)) return true;
      if (play.priority === 0 && play._id <= window.cursor) return true;
      // who refused it may have died before it put the company on the list, or before it was counted
      this.seenWaiting.add(play.company_id);
      if (play.priority !== 0) uncounted.add(play.company_id);
      return false;
    });
    for (const companyId of uncounted) await this.deps.window.expectPrioritized(companyId);
    return turns;
  }

  /**
   * Plays whose job is surely gone. Few of a company: they are raised one by one beside the window (these are returned).
   * Many: the window's cache is gone, and it begins anew with the oldest.
   */
  async beginAnew(lost: readonly OpenPlay[]): Promise<OpenPlay[]> {
    const byCompany = new Map<string, OpenPlay[]>();
    for (const play of lost) byCompany.set(play.company_id, [...(byCompany.get(play.company_id) ?? []), play]);
    const alone: OpenPlay[] = [];
    for (const [companyId, plays] of byCompany) {
      const fresh = plays.filter((play) => play.state === 'NEW');
      if (fresh.length <= this.deps.windowSize() / 2) {
        alone.push(...plays);
        continue;
      }
      alone.push(...plays.filter((play) => play.state !== 'NEW'));
      // a play whose job is gone takes no room
      await this.deps.window.finish(new Map([[companyId, fresh.map((play) => play._id)]]));
      const oldest = fresh.reduce((least, play) => (play._id < least ? play._id : least), fresh[0]?._id ?? '');
      await this.deps.window.rewind(companyId, idBefore(oldest, 1), fresh.length, lastIdAt(this.deps.serverNow()));
      await this.deps.refiller.refill(companyId);
    }
    return alone;
  }

  /** Nobody waits because the last worker to finish a play died before it refilled. */
  async refillAll(): Promise<void> {
    const companies = new Set([...(await this.deps.window.companiesWaiting()), ...this.seenWaiting]);
    this.seenWaiting.clear();
    for (const companyId of companies) this.watched.add(companyId);
    await sideBySide(companies, COMPANIES_AT_ONCE, (companyId) => this.deps.refiller.refill(companyId));
  }

  /**
   * Takes members out that have ended.
   *
   * @returns members without an owner and without a sign of life since `until`. They waited when the reconciler came by; who
   * took them up may have died before it rang
   */
  async repairAll(until: Date): Promise<OpenPlay[]> {
    const silent: OpenPlay[] = [];
    const waiting = new Set(await this.deps.window.companiesWaiting());
    for (const companyId of waiting) this.watched.add(companyId);
    await sideBySide([...this.watched], COMPANIES_AT_ONCE, async (companyId) => {
      const unowned = await this.repair(companyId);
      if (unowned.length === 0 && !waiting.has(companyId)) this.watched.delete(companyId);
      silent.push(...unowned.filter(({ beatAt }) => beatAt !== undefined && beatAt <= until));
    });
    return silent;
  }

  /** Takes out members that have ended; gives those that nobody owns. */
  private async repair(companyId: string): Promise<OpenPlay[]> {
    const members = await this.deps.window.rung(companyId);
    const plays = await this.deps.plays.byIds(members, { companyId });
    const open = plays.filter((play) => play.state === 'NEW' || play.state === 'RUN');
    const ids = new Set(open.map((play) => play._id));
    const ended = members.filter((id) => !ids.has(id));
    if (ended.length > 0) await this.deps.window.finish(new Map([[companyId, ended]]));
    return open.filter(isUnowned);
  }
}
