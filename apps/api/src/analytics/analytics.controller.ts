import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { atLeast, scopes, specialist, type Principal } from '@weft/access';
import type { Page } from '@weft/contracts';
import { Caller } from '../auth/caller.js';
import { Requires } from '../auth/requires.js';
import { apiPaths } from '../http/api-paths.js';
import { Answers } from '../http/schema.js';
import { FlowStatsQuery, WindowQuery } from './analytics.requests.js';
import { AnalyticsService } from './analytics.service.js';
import {
  flowStatsPageSchema,
  oneFlowStatsSchema,
  overviewSchema,
  type FlowStatsView,
  type OneFlowStatsView,
  type OverviewView,
} from './stats.views.js';

@ApiTags('Figures')
@Controller(apiPaths('analytics'))
export class AnalyticsController {
  constructor(private readonly analytics: AnalyticsService) {}

  @Get('overview')
  @Requires([specialist('analytics_viewer'), atLeast('editor')], scopes('api', 'api:read'))
  @ApiOperation({ summary: 'Read what the plays of the company did, by minute or hour, and what waits now' })
  @Answers(200, overviewSchema, 'The company’s figures.')
  overview(@Caller() caller: Principal, @Query() query: WindowQuery): Promise<OverviewView> {
    return this.analytics.overview(caller, query);
  }

  @Get('flows')
  @Requires([specialist('analytics_viewer'), atLeast('editor')], scopes('api', 'api:read'))
  @ApiOperation({ summary: 'List the flows that the caller may read with what their plays did' })
  @Answers(200, flowStatsPageSchema, 'A page of flows, newest first.')
  byFlow(@Caller() caller: Principal, @Query() query: FlowStatsQuery): Promise<Page<FlowStatsView>> {
    return this.analytics.byFlow(caller, query);
  }

  @Get('flows/:flowId')
  @Requires([specialist('analytics_viewer'), atLeast('editor')], scopes('api', 'api:read'))
  @ApiOperation({ summary: 'Read what the plays of a flow did, by minute or hour, and what its layers did' })
  @Answers(200, oneFlowStatsSchema, 'The flow’s figures.')
  ofFlow(
    @Caller() caller: Principal,
    @Param('flowId') flowId: string,
    @Query() query: WindowQuery,
  ): Promise<OneFlowStatsView> {
    return this.analytics.ofFlow(caller, flowId, query);
  }
}
