import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import type { Page } from '@weft/contracts';
import { LOG, warnRarely } from '@weft/observability';
import { Mongo, TenantScope } from '@weft/store';
import { StatsRepository, FlowRepository, sumOf, type FlowHead, type Tally } from '@weft/records';
import type { Logger } from 'pino';
import { FlowRights } from '../flows/flow-rights.js';
import { toPage, toPageRequest } from '../http/paging.js';
import { CompanyWorkReader } from '../queue/company-work.js';
import type { FlowStatsQuery, OverviewQuery } from './analytics.requests.js';
import { windowAt } from './stats-period.js';
import { endStatsOf, type FlowStatsView, type OverviewView } from './stats.views.js';

const NOTHING = sumOf([]);

/** What the plays of the caller's company did, from counters and never from the plays. */
@Injectable()
export class AnalyticsService {
  private readonly onFault: (error: unknown) => void;

  constructor(
    @Inject(LOG) log: Logger,
    private readonly mongo: Mongo,
    private readonly figures: StatsRepository,
    private readonly flows: FlowRepository,
    private readonly rights: FlowRights,
    private readonly work: CompanyWorkReader,
  ) {
    const what = 'what runs and waits could not be read: the overview of a company is answered without it';
    this.onFault = warnRarely(log, 'analytics', what);
  }

  /** Over all flows of the company, including those that the caller may not read: the sums name no flow. */
  async overview(caller: Principal, { window = '24h' }: OverviewQuery): Promise<OverviewView> {
    const scope = new TenantScope(caller.companyId);
    const asked = windowAt(window, this.mongo.serverNow());
    const [tallies, work] = await Promise.all([
      this.figures.series(scope, asked),
      // Redis is unreachable: the stored counts are returned without it
      this.work.read(scope).catch((error: unknown) => {
        this.onFault(error);
        return null;
      }),
    ]);
    const series = asked.beginnings.map((atMs) => {
      const { started, done, failed, cancelled = 0 } = tallies.get(atMs) ?? NOTHING;
      return { at: new Date(atMs).toISOString(), started, done, failed, cancelled };
    });
    return {
      series,
      ...endStatsOf(sumOf(tallies.values())),
      running: work?.running.length ?? null,
      backlog: work?.backlog ?? null,
      oldest_ms: work?.oldestMs ?? null,
    };
  }

  /** Flows that the caller may read, newest first, those without a play, too. */
  async byFlow(caller: Principal, query: FlowStatsQuery): Promise<Page<FlowStatsView>> {
    const { window = '24h' } = query;
    const request = toPageRequest(query);
    const scope = new TenantScope(caller.companyId);
    const visibility = await this.rights.visibilityOf(caller);
    const found = await this.flows.list(scope, visibility, { isBlueprint: false }, request);
    const ids = found.items.map(({ _id }) => _id);
    const tallies = await this.figures.byFlow(scope, ids, windowAt(window, this.mongo.serverNow()));
    return toPage(request, found, (flow) => toView(flow, tallies.get(flow._id) ?? NOTHING));
  }
}

function toView({ _id, name }: FlowHead, tally: Tally): FlowStatsView {
  const { done, failed, cancelled = 0 } = tally;
  return {
    id: _id,
    flowId: _id,
    name,
    plays: done + failed + cancelled,
    failed,
    cancelled,
    ...endStatsOf(tally),
    last_play: tally.lastAt?.toISOString() ?? null,
  };
}
