import { Body, Controller, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../../auth/requires.js';
import { goneOf } from '../../http/gone.js';
import { contentTypeOf, HOOKS_ROUTE } from '../../http/raw-body.js';
import { Refuses } from '../../http/refuses.js';
import { Origin, type RequestOrigin } from '../../http/request-origin.js';
import * as s from '../../http/schema.js';
import {
  endedRunAnswerSchema,
  runAnswerSchema,
  toRunAnswer,
  type EndedRunAnswer,
  type RunAnswer,
} from '../../plays/run/run-answer.js';
import { RunOutcomes } from '../../plays/run/run-outcomes.js';
import { HookIntake, type TakenDelivery } from './hook-intake.js';

interface Skipped {
  readonly skipped: true;
}

interface Challenge {
  readonly challenge: string;
}

type HookAnswer = RunAnswer | EndedRunAnswer | Skipped | Challenge;

const NOTHING = Buffer.alloc(0);
const RUN_HEADERS = ['Idempotency-Replayed', 'Idempotency-Retried'] as const;

@ApiTags('Triggers')
@Controller()
export class HooksController {
  constructor(
    private readonly intake: HookIntake,
    private readonly outcomes: RunOutcomes,
  ) {}

  @Post(HOOKS_ROUTE)
  @Public()
  @HttpCode(202)
  @Refuses(
    ...(['unauthenticated', 'too_many_attempts', 'too_many_deliveries', 'backlog_full'] as const),
    ...([
      'condition_failed',
      'invalid_args',
      'invalid_lane',
      'invalid_limit_key',
      'invalid_expression',
      'unknown_id',
    ] as const),
  )
  @ApiOperation({ summary: 'Deliver something to a trigger: the play is accepted durably before the answer' })
  @ApiConsumes('application/octet-stream')
  @ApiBody({ required: false, description: 'Any `Content-Type`, up to 1 MB.', schema: s.bytes })
  @s.Answers(
    200,
    {
      anyOf: [
        endedRunAnswerSchema,
        s.object<Skipped>({ skipped: { type: 'boolean', enum: [true] } }),
        s.object<Challenge>({ challenge: s.text }),
      ],
    },
    'The play has ended in time, or an earlier delivery has this id; or there is nothing to run: the condition is false, or the sender checks the address.',
    ...RUN_HEADERS,
  )
  @s.Answers(202, runAnswerSchema, 'Accepted.', ...RUN_HEADERS)
  async deliver(
    @Param('token') token: string,
    @Body() body: unknown,
    @Query() query: Record<string, string | string[]>,
    @Origin() origin: RequestOrigin,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<HookAnswer> {
    const taken = await this.intake.take(token, {
      headers: { ...request.headers, 'content-type': contentTypeOf(request) },
      body: Buffer.isBuffer(body) ? body : NOTHING,
      query,
      address: origin.address,
    });
    if (taken.kind === 'ran') return this.answerRun(taken, reply);
    reply.status(200);
    return taken.kind === 'skipped' ? { skipped: true } : { challenge: taken.challenge };
  }

  private async answerRun(taken: Extract<TakenDelivery, { kind: 'ran' }>, reply: FastifyReply): Promise<HookAnswer> {
    const { run, open } = taken;
    const { play, replayed, continues } = run;
    if (replayed) reply.status(200).header('idempotency-replayed', 'true');
    if (continues !== undefined) reply.header('idempotency-retried', continues);
    if (open.trigger.wait === 0) return toRunAnswer(play);
    const ended = await this.outcomes.within({ play, replayed }, open.trigger.wait, goneOf(reply));
    reply.status(ended ? 200 : 202);
    if (!ended) return toRunAnswer(play);
    return (await this.intake.mayTell(taken, run)) ? ended : { ...ended, out: null, error: null };
  }
}
