import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Put, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { atLeast, scopes, type Principal } from '@weft/access';
import type { Page } from '@weft/contracts';
import type { FastifyReply } from 'fastify';
import { Caller } from '../auth/caller.js';
import { Requires } from '../auth/requires.js';
import { apiPath, apiPaths } from '../http/api-paths.js';
import { PageQuery, toPageRequest } from '../http/paging.js';
import { Origin, type RequestOrigin } from '../http/request-origin.js';
import { Answers, AnswersCreated, AnswersNothing } from '../http/schema.js';
import { CreateGroupBody, UpdateGroupBody } from './group.requests.js';
import { groupPageSchema, groupSchema, type GroupView } from './group.view.js';
import { GroupsService } from './groups.service.js';

@ApiTags('Groups')
@Controller(apiPaths('groups'))
@Requires(atLeast('admin'), scopes('admin'))
export class GroupsController {
  constructor(private readonly groups: GroupsService) {}

  @Post()
  @ApiOperation({ summary: 'Make a group of people' })
  @AnswersCreated(groupSchema, 'The group.')
  async create(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Body() body: CreateGroupBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<GroupView> {
    const group = await this.groups.create({ caller, origin }, body.name);
    reply.header('location', apiPath(`groups/${group.id}`));
    return group;
  }

  @Get()
  @ApiOperation({ summary: 'List the groups of the company, newest first' })
  @Answers(200, groupPageSchema, 'A page of groups.')
  list(@Caller() caller: Principal, @Query() query: PageQuery): Promise<Page<GroupView>> {
    return this.groups.list(caller, toPageRequest(query));
  }

  @Get(':id')
  @ApiOperation({ summary: 'Read a group' })
  @Answers(200, groupSchema, 'The group with its members.')
  read(@Caller() caller: Principal, @Param('id') id: string): Promise<GroupView> {
    return this.groups.read(caller, id);
  }

  @Patch(':id')
  @ApiOperation({ summary: 'Rename a group' })
  @Answers(200, groupSchema, 'The group as it is now.')
  rename(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('id') id: string,
    @Body() body: UpdateGroupBody,
  ): Promise<GroupView> {
    return this.groups.rename({ caller, origin }, id, body.name);
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({ summary: 'Delete a group, and what was granted to it' })
  @AnswersNothing('Deleted.')
  async remove(@Caller() caller: Principal, @Origin() origin: RequestOrigin, @Param('id') id: string): Promise<void> {
    await this.groups.remove({ caller, origin }, id);
  }

  @Put(':id/members/:user_id')
  @HttpCode(204)
  @ApiOperation({ summary: 'Put a user of the company into a group; again is no error' })
  @AnswersNothing('The user is in the group.')
  async addMember(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('id') id: string,
    @Param('user_id') userId: string,
  ): Promise<void> {
    await this.groups.setMember({ caller, origin }, id, userId, true);
  }

  @Delete(':id/members/:user_id')
  @HttpCode(204)
  @ApiOperation({ summary: 'Take a user out of a group; again is no error' })
  @AnswersNothing('The user is not in the group.')
  async removeMember(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('id') id: string,
    @Param('user_id') userId: string,
  ): Promise<void> {
    await this.groups.setMember({ caller, origin }, id, userId, false);
  }
}
