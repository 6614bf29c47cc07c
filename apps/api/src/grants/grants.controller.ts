import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { scopes, SIGNED_IN, type Principal } from '@weft/access';
import type { Page } from '@weft/contracts';
import type { FastifyReply } from 'fastify';
import { Caller } from '../auth/caller.js';
import { Requires } from '../auth/requires.js';
import { apiPath, apiPaths } from '../http/api-paths.js';
import { toPage, toPageRequest } from '../http/paging.js';
import { Refuses } from '../http/refuses.js';
import { Origin, type RequestOrigin } from '../http/request-origin.js';
import { Answers, AnswersCreated, AnswersNothing } from '../http/schema.js';
import { GrantBody, ListGrantsQuery } from './grant.requests.js';
import { grantPageSchema, grantSchema, toGrantView, type GrantView } from './grant.view.js';
import { GrantsService } from './grants.service.js';

/** The creator of a resource may grant rights on it, so no role is refused here: the service decides. */
@ApiTags('Access')
@Controller()
export class GrantsController {
  constructor(private readonly grants: GrantsService) {}

  @Post(apiPaths('access/grant'))
  @Requires(SIGNED_IN, scopes('admin'))
  @Refuses('not_found', 'denied', 'unknown_id')
  @ApiOperation({ summary: 'Grant a user or a group rights on a thing; the same again replaces its permissions' })
  @AnswersCreated(grantSchema, 'The grant.')
  @Answers(200, grantSchema, 'The grant was there; it has these permissions now.')
  async grant(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Body() body: GrantBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<GrantView> {
    const { grant, created } = await this.grants.grant({ caller, origin }, body);
    if (created) reply.header('location', apiPath(`access/grants/${grant._id}`));
    else reply.status(200);
    return toGrantView(grant);
  }

  @Get(apiPaths('access/grants'))
  @Requires(SIGNED_IN, scopes('admin'))
  @ApiOperation({ summary: 'List grants, newest first: admins those of the company, others those on what they made' })
  @Answers(200, grantPageSchema, 'A page of grants.')
  async list(@Caller() caller: Principal, @Query() query: ListGrantsQuery): Promise<Page<GrantView>> {
    const page = toPageRequest(query);
    return toPage(page, await this.grants.list(caller, query, page), toGrantView);
  }

  @Delete(apiPaths('access/grants/:id'))
  @HttpCode(204)
  @Requires(SIGNED_IN, scopes('admin'))
  @Refuses('denied')
  @ApiOperation({ summary: 'Take a grant back' })
  @AnswersNothing('Taken back.')
  async remove(@Caller() caller: Principal, @Origin() origin: RequestOrigin, @Param('id') id: string): Promise<void> {
    await this.grants.remove({ caller, origin }, id);
  }
}
