import { Body, Controller, Delete, Get, Headers, HttpCode, Param, Patch, Post, Put, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { atLeast, flow, scopes, SIGNED_IN, type Principal } from '@weft/access';
import type { FlowView, Page } from '@weft/contracts';
import type { FastifyReply } from 'fastify';
import { Caller } from '../auth/caller.js';
import { Requires } from '../auth/requires.js';
import { apiPath, apiPaths } from '../http/api-paths.js';
import { etagOf, IfMatch, parseIfMatch } from '../http/etag.js';
import { Refuses } from '../http/refuses.js';
import { Origin, type RequestOrigin } from '../http/request-origin.js';
import { Answers, AnswersCreated, AnswersNothing } from '../http/schema.js';
import { ENABLING_REFUSALS } from './enabling.js';
import { CreateFlowBody, ListFlowsQuery, UpdateFlowBody } from './flow.requests.js';
import { flowPageSchema, flowSchema } from './flow.schemas.js';
import { FlowRights } from './flow-rights.js';
import { FlowViews } from './flow.view.js';
import { FlowsService } from './flows.service.js';
import { ALL_LAYERS_REFUSALS } from './layers/all-layers.js';

const IfFlowMatches = IfMatch('The version that is meant, as in ETag.');
const CHANGE_REFUSALS = [
  ...ENABLING_REFUSALS,
  ...(['invalid_labels', 'ref_taken', 'key_taken', 'unknown_id', 'unknown_blueprint_vars'] as const),
];

@ApiTags('Flows')
@Controller(apiPaths('flows'))
export class FlowsController {
  constructor(
    private readonly flows: FlowsService,
    private readonly views: FlowViews,
    private readonly rights: FlowRights,
  ) {}

  @Post()
  @Requires(atLeast('editor'), scopes('api', 'api:flows'))
  @Refuses('invalid_labels', 'key_taken', 'denied', ...ALL_LAYERS_REFUSALS)
  @ApiOperation({ summary: 'Make a flow' })
  @AnswersCreated(flowSchema, 'The flow.', 'ETag')
  async create(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Body() body: CreateFlowBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<FlowView> {
    const flow = await this.flows.create({ caller, origin }, body);
    reply.header('location', apiPath(`flows/${flow._id}`)).header('etag', etagOf(flow.version));
    return this.views.flow(flow);
  }

  @Get()
  @Requires(SIGNED_IN, scopes('api', 'api:read', 'api:flows'))
  @Refuses('denied')
  @ApiOperation({ summary: 'List the flows that the caller may read, newest first' })
  @Answers(200, flowPageSchema, 'A page of flows, without their layers.')
  list(@Caller() caller: Principal, @Query() query: ListFlowsQuery): Promise<Page<FlowView>> {
    return this.flows.list(caller, query);
  }

  @Get(':id')
  @Requires(flow('read'), scopes('api', 'api:read', 'api:flows'))
  @ApiOperation({ summary: 'Read a flow with its layers' })
  @Answers(200, flowSchema, 'The flow.', 'ETag')
  async read(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<FlowView> {
    const flow = await this.flows.read(caller, id);
    reply.header('etag', etagOf(flow.version));
    return { ...(await this.views.flow(flow)), permissions: await this.rights.permissionsOf(caller, flow) };
  }

  @Put(':id')
  @Requires(flow('edit'), scopes('api', 'api:flows'))
  @Refuses(...CHANGE_REFUSALS)
  @ApiOperation({ summary: 'Change a flow; fields left out stay as they are' })
  @IfFlowMatches
  @Answers(200, flowSchema, 'The flow as it is now.', 'ETag')
  async update(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('id') id: string,
    @Headers('if-match') ifMatch: string | undefined,
    @Body() body: UpdateFlowBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<FlowView> {
    const flow = await this.flows.update({ caller, origin }, id, parseIfMatch(ifMatch), body);
    reply.header('etag', etagOf(flow.version));
    return this.views.flow(flow);
  }

  @Patch(':id')
  @Requires(flow('edit'), scopes('api', 'api:flows'))
  @Refuses(...CHANGE_REFUSALS)
  @ApiOperation({ summary: 'The same as PUT' })
  @IfFlowMatches
  @Answers(200, flowSchema, 'The flow as it is now.', 'ETag')
  async patch(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('id') id: string,
    @Headers('if-match') ifMatch: string | undefined,
    @Body() body: UpdateFlowBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<FlowView> {
    return this.update(caller, origin, id, ifMatch, body, reply);
  }

  @Post(':id/restore')
  @HttpCode(200)
  @Requires(atLeast('admin'), scopes('api'))
  @Refuses('invalid_expression', 'key_taken')
  @ApiOperation({ summary: 'Bring a deleted flow back; it is disabled then' })
  @IfFlowMatches
  @Answers(200, flowSchema, 'The flow as it is now.', 'ETag')
  async restore(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('id') id: string,
    @Headers('if-match') ifMatch: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<FlowView> {
    const flow = await this.flows.restore({ caller, origin }, id, parseIfMatch(ifMatch));
    reply.header('etag', etagOf(flow.version));
    return this.views.flow(flow);
  }

  @Delete(':id')
  @HttpCode(204)
  @Requires(flow('delete'), scopes('api'))
  @ApiOperation({ summary: 'Delete a flow: it is not read or run any more, its plays stay readable' })
  @IfFlowMatches
  @AnswersNothing('Deleted.')
  async remove(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('id') id: string,
    @Headers('if-match') ifMatch: string | undefined,
  ): Promise<void> {
    await this.flows.remove({ caller, origin }, id, parseIfMatch(ifMatch));
  }
}
