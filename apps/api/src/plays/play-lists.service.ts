import { Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import type { Page, PlayState, PlayView } from '@weft/contracts';
import { WeftError } from '@weft/kernel';
import {
  isEndKey,
  PlayReadsRepository,
  RetriesRepository,
  TenantScope,
  type PageRequest,
  type PlayFilter,
} from '@weft/store';
import { FlowRepository } from '@weft/records';
import { FlowRights } from '../flows/flow-rights.js';
import { refuseQuery, toPage, toPageRequest } from '../http/paging.js';
import { toPlayFilter, type CountPlaysQuery, type ListFlowPlaysQuery, type ListPlaysQuery } from './play.requests.js';
import { toPlayView } from './play.view.js';

/** A list by the time of the end reads the plays that a page number passes over. */
const MAX_PASSED_OVER = 10_000;

export interface PlayCounts {
  readonly counts: Readonly<Partial<Record<PlayState, number>>>;
  /** There are more than counted in these states. */
  readonly capped: readonly PlayState[];
}

/** Lists and counts plays of flows that the caller may read, deleted ones included. */
@Injectable()
export class PlayListsService {
  constructor(
    private readonly plays: PlayReadsRepository,
    private readonly flows: FlowRepository,
    private readonly flowRights: FlowRights,
    private readonly retries: RetriesRepository,
  ) {}

  /** @throws WeftError `invalid_query`, `not_found`, `denied` */
  async list(caller: Principal, query: ListPlaysQuery): Promise<Page<PlayView>> {
    const scope = new TenantScope(caller.companyId);
    const request = readPage(query);
    const filter = await this.filterOf(caller, query);
    const byEnd = query.sort === 'completedAt';
    const found = byEnd ? this.plays.listByEnd(scope, filter, request) : this.plays.list(scope, filter, request);
    const page = await found;
    const retries = await this.retries.retriesOf(scope, page.items);
    return toPage(request, page, (play) => toPlayView(play, retries.get(play._id)));
  }

  /** @throws WeftError `not_found`, `denied` */
  async count(caller: Principal, query: CountPlaysQuery): Promise<PlayCounts> {
    const filter = await this.filterOf(caller, query);
    const states = await this.plays.countByState(new TenantScope(caller.companyId), filter);
    return {
      counts: Object.fromEntries(states.map(({ state, count }) => [state, count])),
      capped: states.filter(({ capped }) => capped).map(({ state }) => state),
    };
  }

  private async filterOf(caller: Principal, query: CountPlaysQuery): Promise<PlayFilter> {
    const { mended, flowId } = query;
    const scope = new TenantScope(caller.companyId);
    const asked = { ...toPlayFilter(query), ...(await this.flowsOf(caller, flowId)) };
    const filter = { ...asked, labels: asked.labels && (await this.plays.rarestFirst(scope, asked.labels)) };
    if (mended === undefined) return filter;
    return { ...filter, ...(await this.retries.mendedFilter(scope, mended === 'true', flowId)) };
  }

  /** @throws WeftError `not_found`, `denied`: the caller names a flow and may not read it */
  private async flowsOf(caller: Principal, flowId: string | undefined): Promise<Pick<PlayFilter, 'flowId' | 'flows'>> {
    const scope = new TenantScope(caller.companyId);
    if (flowId === undefined) {
      return { flows: await this.flows.choiceFor(scope, await this.flowRights.visibilityOf(caller)) };
    }
    const flow = await this.flows.findHead(scope, flowId);
    if (!flow) throw new WeftError('not_found', 'There is no flow with this id.');
    await this.flowRights.assertMay(caller, 'read', flow);
    return { flowId };
  }
}

/** @throws WeftError `invalid_query` */
function readPage(query: ListFlowPlaysQuery): PageRequest {
  if (query.sort !== 'completedAt') return toPageRequest(query);
  const request = toPageRequest(query, isEndKey);
  if (request.after === null && request.page * request.size > MAX_PASSED_OVER)
    throw refuseQuery(
      'page',
      `sorted by completedAt, a page begins within the first ${MAX_PASSED_OVER} plays: go on with cursor`,
    );
  return request;
}
