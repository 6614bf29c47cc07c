import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import type { Page } from '@weft/contracts';
import { LOG, warnRarely } from '@weft/observability';
import { Mongo, TenantScope } from '@weft/store';
import { StatsRepository, FlowRepository, sumOf, type Tally } from '@weft/records';
import type { Logger } from 'pino';
import { FlowRights } from '../flows/flow-rights.js';
import { FlowsService } from '../flows/flows.service.js';
import { toPage, toPageRequest } from '../http/paging.js';
import { CompanyWorkReader } from '../queue/company-work.js';
import type { FlowStatsQuery, WindowQuery } from './analytics.requests.js';
import { windowAt } from './stats-period.js';
import {
  endStatsOf,
  layerStatsOf,
  type FlowStatsView,
  type OneFlowStatsView,
  type OverviewView,
  type SeriesPoint,
} from './stats.views.js';

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
    private readonly readable: FlowsService,
    private readonly rights: FlowRights,
    private readonly work: CompanyWorkReader,
  ) {
    const what = 'what runs and waits could not be read: the overview of a company is answered without it';
    this.onFault = warnRarely(log, 'analytics', what);
  }

  /** Over all flows of the company, including those that the caller may not read: the sums name no flow. */
  async overview(caller: Principal, { window = '24h' }: WindowQuery): Promise<OverviewView> {
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
    const series = asked.beginnings.map((atMs) => pointOf(atMs, tallies.get(atMs) ?? NOTHING));
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

  /** Its layers are those of the last 24 hours. @throws WeftError `not_found`, `denied` */
  async ofFlow(caller: Principal, flowId: string, { window = '24h' }: WindowQuery): Promise<OneFlowStatsView> {
    const flow = await this.readable.read(caller, flowId);
    const scope = new TenantScope(caller.companyId);
    const now = this.mongo.serverNow();
    const asked = windowAt(window, now);
    const [tallies, layers] = await Promise.all([
      this.figures.seriesOf(scope, flowId, asked),
      this.figures.byLayer(scope, flowId, windowAt('24h', now).from),
    ]);
    const series = asked.beginnings.map((atMs) => {
      const tally = tallies.get(atMs) ?? NOTHING;
      const { p50_ms, p95_ms } = endStatsOf(tally);
      return { ...pointOf(atMs, tally), p50_ms, p95_ms };
    });
    return { ...toView(flow, sumOf(tallies.values())), series, layers: [...layers.values()].map(layerStatsOf) };
  }
}

function pointOf(atMs: number, { started, done, failed, cancelled = 0 }: Tally): SeriesPoint {
  return { at: new Date(atMs).toISOString(), started, done, failed, cancelled };
}

function toView({ _id, name }: { readonly _id: string; readonly name: string }, tally: Tally): FlowStatsView {
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
