import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { scopes, SIGNED_IN, type Principal } from '@weft/access';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Caller } from '../auth/caller.js';
import { Requires } from '../auth/requires.js';
import { apiPaths } from '../http/api-paths.js';
import { Refuses } from '../http/refuses.js';
import { AnswersText } from '../http/schema.js';
import { ChangesQuery } from './changes.requests.js';
import { ChangesService } from './changes.service.js';

const NDJSON = 'application/x-ndjson';

@ApiTags('Changes')
@Controller(apiPaths('changes'))
export class ChangesController {
  constructor(private readonly changes: ChangesService) {}

  @Get()
  @Requires(SIGNED_IN, scopes('api', 'api:read', 'api:plays'))
  @Refuses('cursor_expired')
  @ApiOperation({ summary: 'Read every change of the plays that the caller may read, once and in order per play' })
  @AnswersText(
    NDJSON,
    'One JSON object a line: a frame of the play’s own stream with its cursor, or, where nothing is new, a cursor alone.',
  )
  async read(
    @Caller() caller: Principal,
    @Query() query: ChangesQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const lines = await this.changes.read(caller, query, () => request.raw.destroyed);
    reply.header('content-type', NDJSON);
    return lines;
  }
}
