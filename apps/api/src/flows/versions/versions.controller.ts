import { Controller, Get, Headers, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { flow, scopes, type Principal } from '@weft/access';
import type { FlowDiffView, FlowVersionView, FlowView, Page } from '@weft/contracts';
import type { FastifyReply } from 'fastify';
import { Caller } from '../../auth/caller.js';
import { Requires } from '../../auth/requires.js';
import { apiPaths } from '../../http/api-paths.js';
import { etagOf, IfMatch, parseIfMatch } from '../../http/etag.js';
import { PageQuery } from '../../http/paging.js';
import { Refuses } from '../../http/refuses.js';
import { Origin, type RequestOrigin } from '../../http/request-origin.js';
import { Answers } from '../../http/schema.js';
import { flowSchema } from '../flow.schemas.js';
import { FlowViews } from '../flow.view.js';
import { ENABLING_REFUSALS } from '../enabling.js';
import { DiffQuery } from './version.requests.js';
import { flowDiffSchema, flowVersionPageSchema, flowVersionSchema } from './version.schemas.js';
import { VersionsService } from './versions.service.js';

@ApiTags('Flows')
@Controller(apiPaths('flows/:flowId/versions'))
export class VersionsController {
  constructor(
    private readonly versions: VersionsService,
    private readonly views: FlowViews,
  ) {}

  @Get()
  @Requires(flow('read'), scopes('api', 'api:read', 'api:flows'))
  @ApiOperation({ summary: 'List the versions of a flow, newest first' })
  @Answers(200, flowVersionPageSchema, 'A page of versions; their flows without layers.')
  list(
    @Caller() caller: Principal,
    @Param('flowId') flowId: string,
    @Query() query: PageQuery,
  ): Promise<Page<FlowVersionView>> {
    return this.versions.list(caller, flowId, query);
  }

  @Get(':version')
  @Requires(flow('read'), scopes('api', 'api:read', 'api:flows'))
  @ApiOperation({ summary: 'Read a flow as it was in a version' })
  @Answers(200, flowVersionSchema, 'The version, with all layers.')
  read(
    @Caller() caller: Principal,
    @Param('flowId') flowId: string,
    @Param('version') version: string,
  ): Promise<FlowVersionView> {
    return this.versions.read(caller, flowId, version);
  }

  @Get(':version/diff')
  @Requires(flow('read'), scopes('api', 'api:read', 'api:flows'))
  @ApiOperation({ summary: 'Read what changed from a version to another one' })
  @Answers(
    200,
    flowDiffSchema,
    'The changes; paths name layers by ref. A change of order alone is one change at `layers`.',
  )
  diff(
    @Caller() caller: Principal,
    @Param('flowId') flowId: string,
    @Param('version') version: string,
    @Query() { to }: DiffQuery,
  ): Promise<FlowDiffView> {
    return this.versions.diff(caller, flowId, version, to);
  }

  @Post(':version/restore')
  @HttpCode(200)
  @Requires(flow('edit'), scopes('api', 'api:flows'))
  @Refuses(...ENABLING_REFUSALS, 'unknown_id')
  @ApiOperation({ summary: 'Bring back what a version held, as a new version' })
  @IfMatch("The flow's present version, as in ETag.")
  @Answers(
    200,
    flowSchema,
    'The flow as it is now. Whether it is enabled, restricted, and its group stay as they were.',
    'ETag',
  )
  async restore(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('flowId') flowId: string,
    @Param('version') version: string,
    @Headers('if-match') ifMatch: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<FlowView> {
    const flow = await this.versions.restore({ caller, origin }, flowId, version, parseIfMatch(ifMatch));
    reply.header('etag', etagOf(flow.version));
    return this.views.flow(flow);
  }
}
