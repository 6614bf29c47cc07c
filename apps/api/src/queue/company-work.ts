import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '@weft/config';
import { madeAt } from '@weft/kernel';
import { Mongo, TenantScope } from '@weft/store';
import { OpenWorkRepository, waitingSince, type OpenWork } from '@weft/records';
import { AdmissionWindow } from '@weft/queue';

/** The running and waiting plays of a company. */
export interface CompanyWork {
  /** Leased by a worker, as far as the store knows: a play that takes less than 100 ms never appears here. */
  readonly running: readonly OpenWork[];
  /** Rung for, but not leased by a worker yet. */
  readonly waiting: readonly OpenWork[];
  /** All plays that could run but do not: `waiting`, those that wait for room in the window or in their flow, and due ones. */
  readonly backlog: number;
  /** How long the oldest waiting play has waited; null when none waits. */
  readonly oldestMs: number | null;
}

/** Counts waiting and running plays. It reads only the plays of the window, which is small. */
@Injectable()
export class CompanyWorkReader {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly mongo: Mongo,
    private readonly window: AdmissionWindow,
    private readonly work: OpenWorkRepository,
  ) {}

  /** @throws while Redis is unreachable */
  async read(scope: TenantScope): Promise<CompanyWork> {
    const { companyId } = scope;
    const { backlogMax } = this.settings.run;
    const now = new Date(this.mongo.serverNow());
    const [open, behind, queued, due] = await Promise.all([
      this.window.rung(companyId).then((ids) => this.work.among(scope, ids)),
      this.work.outsideWindow(scope, backlogMax),
      this.work.queued(scope, backlogMax),
      this.work.due(scope, now, backlogMax),
    ]);
    const running = open.filter((play) => play.owner !== undefined);
    const waiting = open.filter((play) => play.owner === undefined);
    const since = waiting.map((play) => waitingSince(play).getTime());
    for (const { oldestId } of [behind, queued]) if (oldestId !== null) since.push(madeAt(oldestId));
    return {
      ...{ running, waiting },
      backlog: waiting.length + behind.count + queued.count + due,
      oldestMs: since.length === 0 ? null : Math.max(0, Math.round(this.mongo.serverNow() - Math.min(...since))),
    };
  }
}
