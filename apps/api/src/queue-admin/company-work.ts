import { Inject, Injectable } from '@nestjs/common';
import type { Settings } from '@weft/config';
import { SETTINGS } from '@weft/host';
import { madeAt } from '@weft/kernel';
import { Mongo, OpenWorkRepository, TenantScope, waitingSince, type OpenWork } from '@weft/persistence';
import { RunWindow } from '@weft/queue';

/** What a company has to do now. */
export interface CompanyWork {
  /** With a worker, as far as the store knows: a play that takes less than 100 ms is never seen here. */
  readonly running: readonly OpenWork[];
  /** Rung, and with no worker yet. */
  readonly waiting: readonly OpenWork[];
  /** All that could run and does not: those, what is behind the window or due, and what waits for room in its flow. */
  readonly backlog: number;
  /** How long the play that waits longest does; null when none waits. */
  readonly oldestMs: number | null;
}

/** Looks at what waits and runs: at the plays of the window, which is small, and never at all plays. */
@Injectable()
export class CompanyWorkReader {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly mongo: Mongo,
    private readonly window: RunWindow,
    private readonly work: OpenWorkRepository,
  ) {}

  /** @throws while Redis is away */
  async read(scope: TenantScope): Promise<CompanyWork> {
    const { companyId } = scope;
    const { backlogMax } = this.settings.run;
    const now = new Date(this.mongo.serverNow());
    const [open, { waiting: behind, cursor }, queued, due] = await Promise.all([
      this.window.rung(companyId).then((ids) => this.work.among(scope, ids)),
      this.window.stateOf(companyId),
      this.work.queued(scope, backlogMax),
      this.work.due(scope, now, backlogMax),
    ]);
    const running = open.filter((play) => play.owner !== undefined);
    const waiting = open.filter((play) => play.owner === undefined);
    const next = behind > 0 ? await this.work.nextBehind(scope, cursor) : [];
    const since = [...waiting, ...next].map((play) => waitingSince(play).getTime());
    if (queued.oldestId !== null) since.push(madeAt(queued.oldestId));
    return {
      ...{ running, waiting },
      backlog: waiting.length + behind + queued.count + due,
      oldestMs: since.length === 0 ? null : Math.max(0, Math.round(this.mongo.serverNow() - Math.min(...since))),
    };
  }
}
