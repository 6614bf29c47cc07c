import { Body, Controller, HttpCode, Param, Post, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { atLeast, flow, scopes, type Principal } from '@weft/access';
import type { FastifyReply } from 'fastify';
import { Caller } from '../auth/caller.js';
import { Requires } from '../auth/requires.js';
import { apiPath, apiPaths } from '../http/api-paths.js';
import { Refuses } from '../http/refuses.js';
import { Origin, type RequestOrigin } from '../http/request-origin.js';
import * as s from '../http/schema.js';
import { assertValueFits } from '../http/value-size.js';
import { BulkBody } from './play-bulk.requests.js';
import { PlayBulkService, type BulkAnswer } from './play-bulk.service.js';
import { RerunBody } from './play-command.requests.js';
import { PlayRetriesService, type Repeated } from './play-retries.service.js';
import { ACCEPTANCE_REFUSALS, UNRUNNABLE_REFUSALS } from './run/run-refusals.js';

const repeatedSchema = s.named('RepeatAnswer', s.object<Repeated>({ playId: s.text, state: s.text, retryOf: s.text }));
const bulkSchema = s.named(
  'BulkAnswer',
  s.object<BulkAnswer>({
    matched: { ...s.integer, description: 'Counted up to 10,000.' },
    changed: { ...s.integer, description: 'At most 1,000 a call.' },
    skipped: { ...s.integer, description: 'Looked at and left: ended, retried before, not allowed, flow disabled.' },
  }),
);

@ApiTags('Plays')
@Controller(apiPaths('plays'))
export class PlayRetriesController {
  constructor(
    private readonly retries: PlayRetriesService,
    private readonly bulk: PlayBulkService,
  ) {}

  @Post('bulk')
  @Requires(atLeast('editor'), scopes('api', 'api:plays'))
  @HttpCode(202)
  @Refuses('empty_filter')
  @ApiOperation({
    summary: 'Cancel or retry many plays, by id or by filter',
    description: 'While `changed` is not 0 and `matched` is more than `changed` and `skipped` together, call again.',
  })
  @s.Answers(202, bulkSchema, 'What became of them.')
  @s.Answers(200, bulkSchema, 'Of a dry run: how many plays are matched; none was changed.')
  async changeMany(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Body() body: BulkBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<BulkAnswer> {
    const answer = await this.bulk.carryOut(caller, origin, body);
    if (body.dryRun === true) reply.status(200);
    return answer;
  }

  @Post(':id/retry')
  @Requires(flow('execute'), scopes('api', 'api:plays'))
  @HttpCode(202)
  @Refuses(
    ...UNRUNNABLE_REFUSALS,
    'illegal_move',
    'retry_the_parent',
    'idempotency_key_in_use',
    'backlog_full',
    'too_many_runs',
    'storage_full',
  )
  @ApiOperation({ summary: 'Run what failed again: a new play that takes over what was done' })
  @s.Answers(202, repeatedSchema, 'Accepted; `Location` names the new play.', 'Location')
  async retry(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Repeated> {
    return located(reply, await this.retries.retry(caller, id));
  }

  @Post(':id/rerun')
  @Requires(flow('execute'), scopes('api', 'api:plays'))
  @HttpCode(202)
  @Refuses(...ACCEPTANCE_REFUSALS, 'unknown_id', 'value_too_large')
  @ApiOperation({ summary: 'Run the flow as it is now with the args of this play, or others' })
  @s.Answers(202, repeatedSchema, 'Accepted; `Location` names the new play.', 'Location')
  async rerun(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() { args }: RerunBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Repeated> {
    assertValueFits('args', args);
    return located(reply, await this.retries.rerun(caller, id, args));
  }
}

function located(reply: FastifyReply, answer: Repeated): Repeated {
  reply.header('location', apiPath(`plays/${answer.playId}`));
  return answer;
}
