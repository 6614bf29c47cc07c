import { dueWrite, joinsQueueWhenDue, type OpenPlay } from '@weft/engine';
import type { OpenPlaysRepository } from '@weft/store';
import { giveBack, type AdmissionWindow, type WindowSizeOf } from '@weft/queue';
import { PAGE, type HealingLoop } from './healing-loop.js';
import type { HealingWrites } from './healing-writes.js';
import type { WindowKeeper } from './window-keeper.js';

export interface DuePlaysDeps {
  readonly plays: Pick<OpenPlaysRepository, 'due'>;
  readonly writes: HealingWrites;
  readonly window: Pick<AdmissionWindow, 'takeRoom' | 'finish'>;
  readonly windows: Pick<WindowKeeper, 'expect'>;
  readonly windowSize: WindowSizeOf;
  /** MongoDB's clock, epoch ms. */
  readonly serverNow: () => number;
  readonly stopping: AbortSignal;
}

/**
 * Continues plays whose time has come: delayed ones, those that waited for something up to a time, and those that were due
 * when their company's window was full. Takes as many as there is room for; refills of the window or the next pass find the
 * others.
 */
export class DuePlays implements HealingLoop {
  readonly name = 'due plays';

  constructor(private readonly deps: DuePlaysDeps) {}

  async pass(): Promise<void> {
    const { plays, writes, serverNow, stopping } = this.deps;
    let companies: Parameters<OpenPlaysRepository['due']>[2] = null;
    while (!stopping.aborted) {
      const readAtMs = performance.now();
      const now = new Date(serverNow());
      const due: readonly OpenPlay[] = await plays.due(now, PAGE, companies, writes.resting.ids());
      const gone = await this.goOn(due, now, readAtMs);
      const [first, last] = [due[0], due.at(-1)];
      if (due.length < PAGE || !first || !last) return;
      // a company with more than a page of plays that must wait does not delay the companies after it
      const isStuck = gone === 0 && first.company_id === last.company_id;
      companies = isStuck ? { behind: last.company_id } : { from: last.company_id };
    }
  }

  /** @returns how many plays continued */
  private async goOn(due: readonly OpenPlay[], now: Date, readAtMs: number): Promise<number> {
    const { window, windows, windowSize, writes } = this.deps;
    const { join = [], go = [] } = Object.groupBy(due, (play) => (joinsQueueWhenDue(play) ? 'join' : 'go'));
    const write = (some: readonly OpenPlay[]) =>
      writes.write(
        'due',
        some.map((play) => ({ play, write: dueWrite(play, now) })),
        readAtMs,
      );
    const joined = await write(join);
    if (go.length === 0) return joined.size;
    const byCompany = Map.groupBy(go, ({ company_id }) => company_id);
    const asks = [...byCompany].map(([companyId, of]) => [companyId, { ids: of.map(({ _id }) => _id) }] as const);
    const taken = await window.takeRoom(windowSize, new Map(asks));
    const isCut = (companyId: string, of: readonly OpenPlay[]) => (taken.get(companyId)?.ids.size ?? 0) < of.length;
    windows.expect([...byCompany].flatMap(([companyId, of]) => (isCut(companyId, of) ? [companyId] : [])));
    const gone = await write(go.filter(({ _id, company_id }) => taken.get(company_id)?.ids.has(_id)));
    await giveBack(window, taken, gone);
    return joined.size + gone.size;
  }
}
