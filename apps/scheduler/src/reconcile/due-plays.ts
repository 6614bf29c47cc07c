import { dueWrite, joinsQueueWhenDue, type OpenPlay } from '@weft/engine';
import type { OpenPlaysRepository } from '@weft/persistence';
import { giveBack, type RunWindow } from '@weft/queue';
import { PAGE, type HealingLoop } from './healing-loop.js';
import type { HealingWrites } from './healing-writes.js';

export interface DuePlaysDeps {
  readonly plays: Pick<OpenPlaysRepository, 'due'>;
  readonly writes: HealingWrites;
  readonly window: Pick<RunWindow, 'takeUp' | 'finish'>;
  readonly windowSize: () => number;
  /** MongoDB's clock, epoch ms. */
  readonly serverNow: () => number;
  readonly stopping: AbortSignal;
}

/**
 * Has plays go on whose time has come: delayed ones, those that waited for something up to a time, and those that were to go
 * on when their company's window was full. As many as there is room for; the others stay as they are, and refills of the
 * window find them, or the next pass does.
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
      // a company with more than a page that have to wait does not hold up those behind it
      const isStuck = gone === 0 && first.company_id === last.company_id;
      companies = isStuck ? { behind: last.company_id } : { from: last.company_id };
    }
  }

  /** @returns how many did */
  private async goOn(due: readonly OpenPlay[], now: Date, readAtMs: number): Promise<number> {
    const { window, windowSize, writes } = this.deps;
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
    const taken = await window.takeUp(windowSize(), new Map(asks));
    const gone = await write(go.filter(({ _id, company_id }) => taken.get(company_id)?.ids.has(_id)));
    await giveBack(window, taken, gone);
    return joined.size + gone.size;
  }
}
