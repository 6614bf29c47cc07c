import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Principal } from '@weft/access';
import type { Page } from '@weft/contracts';
import { Caller } from '../auth/caller.js';
import { Requires } from '../auth/requires.js';
import { apiPaths } from '../http/api-paths.js';
import { Answers } from '../http/schema.js';
import { FlowFiguresQuery, OverviewQuery } from './analytics.requests.js';
import { AnalyticsService } from './analytics.service.js';
import { flowFiguresPageSchema, overviewSchema, type FlowFiguresView, type OverviewView } from './figure.views.js';

@ApiTags('Figures')
@Controller(apiPaths('analytics'))
export class AnalyticsController {
  constructor(private readonly analytics: AnalyticsService) {}

  @Get('overview')
  @Requires(['analytics', 'editor'], 'A R')
  @ApiOperation({ summary: 'Read what the plays of the company did, by minute or hour, and what waits now' })
  @Answers(200, overviewSchema, 'The company’s figures.')
  overview(@Caller() caller: Principal, @Query() query: OverviewQuery): Promise<OverviewView> {
    return this.analytics.overview(caller, query);
  }

  @Get('flows')
  @Requires(['analytics', 'editor'], 'A R')
  @ApiOperation({ summary: 'List the flows that the caller may read with what their plays did' })
  @Answers(200, flowFiguresPageSchema, 'A page of flows, newest first.')
  byFlow(@Caller() caller: Principal, @Query() query: FlowFiguresQuery): Promise<Page<FlowFiguresView>> {
    return this.analytics.byFlow(caller, query);
  }
}
