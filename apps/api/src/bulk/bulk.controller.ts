import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { atLeast, scopes, type Principal } from '@weft/access';
import type { Page } from '@weft/contracts';
import type { FastifyReply } from 'fastify';
import { Caller } from '../auth/caller.js';
import { Requires } from '../auth/requires.js';
import { apiPath, apiPaths } from '../http/api-paths.js';
import { PageQuery } from '../http/paging.js';
import { parseStoredJson } from '@weft/kernel';
import { Refuses } from '../http/refuses.js';
import { Origin, type RequestOrigin } from '../http/request-origin.js';
import * as s from '../http/schema.js';
import { bulkTarget, type BulkTarget } from '../plays/play-bulk.requests.js';
import { PlayBulkService } from '../plays/play-bulk.service.js';
import { StartBulkBody } from './bulk.requests.js';
import { BulkService } from './bulk.service.js';
import { bulkMatchSchema, bulkPageSchema, bulkSchema, type BulkView } from './bulk.view.js';
import { PLAYS_KIND } from './play-bulk.strategy.js';

/** As it is stored: without fields that are not given. */
function plain(target: BulkTarget): Record<string, unknown> {
  return parseStoredJson(JSON.stringify(target)) as Record<string, unknown>;
}

/** `matched` counts no further. */
const MOST_COUNTED = 1_000_000;

@ApiTags('Plays')
@Controller(apiPaths('bulk'))
export class BulkController {
  constructor(
    private readonly bulks: BulkService,
    private readonly plays: PlayBulkService,
  ) {}

  @Post()
  @Requires(atLeast('editor'), scopes('api', 'api:plays'))
  @HttpCode(202)
  @Refuses('empty_filter', 'too_many_bulks')
  @ApiOperation({
    summary: 'Cancel or retry any number of plays in the background, by id or by filter',
    description:
      'The plays are those that match at the start; plays accepted later are not among them. They are changed newest first, or in the order of the ids, with the rights that the caller has at that time.',
  })
  @s.Answers(202, bulkSchema, 'It runs; `Location` names it.', 'Location')
  @s.Answers(200, bulkMatchSchema, 'Of a dry run: how many plays are matched; none is changed.')
  async start(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Body() body: StartBulkBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<BulkView | { matched: number }> {
    const { action, dryRun = false, ratePerSecond = null } = body;
    const target = bulkTarget(body);
    const matched = await this.plays.countMatching(caller, action, target, MOST_COUNTED);
    if (dryRun) {
      reply.status(200);
      return { matched };
    }
    const ordered = await this.plays.readable(caller, target);
    const order = { kind: PLAYS_KIND, action, matched, target: plain(ordered), ratePerSecond };
    const bulk = await this.bulks.start({ caller, origin }, order);
    reply.header('location', apiPath(`bulk/${bulk.id}`));
    return bulk;
  }

  @Get()
  @Requires(atLeast('editor'), scopes('api', 'api:read', 'api:plays'))
  @ApiOperation({ summary: 'List bulk operations, newest first; finished ones are kept for 30 days' })
  @s.Answers(200, bulkPageSchema, 'A page of bulk operations.')
  list(@Caller() caller: Principal, @Query() query: PageQuery): Promise<Page<BulkView>> {
    return this.bulks.list(caller, query);
  }

  @Get(':id')
  @Requires(atLeast('editor'), scopes('api', 'api:read', 'api:plays'))
  @ApiOperation({ summary: 'Read how far a bulk operation is' })
  @s.Answers(200, bulkSchema, 'The bulk operation.')
  read(@Caller() caller: Principal, @Param('id') id: string): Promise<BulkView> {
    return this.bulks.read(caller, id);
  }

  @Post(':id/abort')
  @Requires(atLeast('editor'), scopes('api', 'api:plays'))
  @HttpCode(200)
  @ApiOperation({ summary: 'Stop a bulk operation; what was changed stays changed' })
  @s.Answers(200, bulkSchema, 'As it is now; one that had ended is unchanged.')
  abort(@Caller() caller: Principal, @Origin() origin: RequestOrigin, @Param('id') id: string): Promise<BulkView> {
    return this.bulks.abort({ caller, origin }, id);
  }
}
