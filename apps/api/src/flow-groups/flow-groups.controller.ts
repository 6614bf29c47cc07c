import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { atLeast, scopes, type Principal } from '@weft/access';
import type { Page } from '@weft/contracts';
import type { FastifyReply } from 'fastify';
import { Caller } from '../auth/caller.js';
import { Requires } from '../auth/requires.js';
import { apiPath, apiPaths } from '../http/api-paths.js';
import { PageQuery } from '../http/paging.js';
import { Refuses } from '../http/refuses.js';
import { Origin, type RequestOrigin } from '../http/request-origin.js';
import { Answers, AnswersCreated, AnswersNothing } from '../http/schema.js';
import { CreateFlowGroupBody, UpdateFlowGroupBody } from './flow-group.requests.js';
import { flowGroupPageSchema, flowGroupSchema, type FlowGroupView } from './flow-group.view.js';
import { FlowGroupsService } from './flow-groups.service.js';

@ApiTags('Flow groups')
@Controller(apiPaths('flow-groups'))
export class FlowGroupsController {
  constructor(private readonly groups: FlowGroupsService) {}

  @Post()
  @Requires(atLeast('editor'), scopes('api', 'api:flows'))
  @ApiOperation({ summary: 'Make a flow group; flows join it by their groupId' })
  @AnswersCreated(flowGroupSchema, 'The group, without flows.')
  async create(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Body() body: CreateFlowGroupBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<FlowGroupView> {
    const group = await this.groups.create({ caller, origin }, body.name);
    reply.header('location', apiPath(`flow-groups/${group.id}`));
    return group;
  }

  @Get()
  @Requires(atLeast('viewer'), scopes('api', 'api:read', 'api:flows'))
  @ApiOperation({ summary: 'List the flow groups, newest first' })
  @Answers(200, flowGroupPageSchema, 'A page of groups, each with those of its flows that the caller may read.')
  list(@Caller() caller: Principal, @Query() query: PageQuery): Promise<Page<FlowGroupView>> {
    return this.groups.list(caller, query);
  }

  @Get(':id')
  @Requires(atLeast('viewer'), scopes('api', 'api:read', 'api:flows'))
  @ApiOperation({ summary: 'Read a flow group' })
  @Answers(200, flowGroupSchema, 'The group, with those of its flows that the caller may read.')
  read(@Caller() caller: Principal, @Param('id') id: string): Promise<FlowGroupView> {
    return this.groups.read(caller, id);
  }

  @Patch(':id')
  @Requires(atLeast('editor'), scopes('api', 'api:flows'))
  @ApiOperation({ summary: 'Rename a flow group' })
  @Answers(200, flowGroupSchema, 'The group as it is now.')
  update(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('id') id: string,
    @Body() body: UpdateFlowGroupBody,
  ): Promise<FlowGroupView> {
    return this.groups.rename({ caller, origin }, id, body.name);
  }

  @Delete(':id')
  @HttpCode(204)
  @Requires(atLeast('editor'), scopes('api', 'api:flows'))
  @Refuses('flow_group_in_use')
  @ApiOperation({ summary: 'Delete a flow group that has no flows, and the grants on it' })
  @AnswersNothing('Deleted.')
  remove(@Caller() caller: Principal, @Origin() origin: RequestOrigin, @Param('id') id: string): Promise<void> {
    return this.groups.remove({ caller, origin }, id);
  }
}
