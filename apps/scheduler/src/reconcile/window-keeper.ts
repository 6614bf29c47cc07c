import { jobOf, type OpenPlaysRepository, type WindowPlaysRepository } from '@weft/store';
import type { AdmissionWindow, Doorbell, WindowRefiller, WindowSizeOf } from '@weft/queue';
import { inParallel } from '../in-parallel.js';
import { PAGE } from './healing-loop.js';

export interface WindowKeeperDeps {
  readonly window: Pick<AdmissionWindow, 'fill' | 'finish' | 'rung'>;
  readonly refiller: Pick<WindowRefiller, 'refill'>;
  readonly doorbell: Pick<Doorbell, 'ring'>;
  readonly plays: Pick<OpenPlaysRepository, 'byIds'>;
  readonly windowPlays: Pick<WindowPlaysRepository, 'companies' | 'takeUp'>;
  readonly windowSize: WindowSizeOf;
}

/** Companies that are looked at in parallel: a slow one does not delay the others. */
const COMPANIES_AT_ONCE = 16;

/**
 * Keeps the companies' windows true: Redis holds only a cache of them (docs/protocol.md §12). Refills those that have room
 * and no running play whose end would refill them, and repairs what processes that died have left in them.
 */
export class WindowKeeper {
  /** Companies in which due plays have found no room. */
  private readonly withDue = new Set<string>();

  constructor(private readonly deps: WindowKeeperDeps) {}

  /** Due plays of these companies wait. */
  expect(companyIds: Iterable<string>): void {
    for (const companyId of companyIds) this.withDue.add(companyId);
  }

  /** Refills windows, so that no play waits because the last worker to finish a play died before it refilled. */
  async refillAll(): Promise<void> {
    const companies = await this.waiting();
    this.withDue.clear();
    const { windowSize } = this.deps;
    for (let at = 0; at < companies.length; at += PAGE) {
      const fill = await this.deps.window.fill(companies.slice(at, at + PAGE));
      const withRoom = [...fill].flatMap(([companyId, { rung }]) => (rung < windowSize(companyId) ? [companyId] : []));
      await inParallel(withRoom, COMPANIES_AT_ONCE, (companyId) => this.deps.refiller.refill(companyId));
    }
  }

  /** Repairs the windows of companies that have plays waiting: a place that nobody uses would be missed there. */
  async repairAll(): Promise<void> {
    await inParallel(await this.waiting(), COMPANIES_AT_ONCE, (companyId) => this.repair(companyId));
  }

  private async waiting(): Promise<string[]> {
    return [...new Set([...(await this.deps.windowPlays.companies()), ...this.withDue])];
  }

  /** Removes members that have ended, and rings for those that a refill gave a place before it died. */
  private async repair(companyId: string): Promise<void> {
    const { window, plays, windowPlays, doorbell } = this.deps;
    const members = await window.rung(companyId);
    for (let at = 0; at < members.length; at += PAGE) {
      const piece = members.slice(at, at + PAGE);
      const askedAtMs = performance.now();
      const open = (await plays.byIds(piece, companyId)).filter(({ state }) => state === 'NEW' || state === 'RUN');
      const ids = new Set(open.map((play) => play._id));
      const ended = piece.filter((id) => !ids.has(id));
      if (ended.length > 0) await window.finish(new Map([[companyId, ended]]));
      const begun = await windowPlays.takeUp(companyId, open.filter(({ ready }) => ready).map(jobOf));
      await doorbell.ring(begun, askedAtMs);
    }
  }
}
