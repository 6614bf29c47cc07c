import { Body, Controller, Headers, HttpCode, Param, Post, Req, Res, applyDecorators } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOperation, ApiTags } from '@nestjs/swagger';
import { flow, scopes, type Principal } from '@weft/access';
import { WeftError, type ErrorCode } from '@weft/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Caller } from '../../auth/caller.js';
import { Requires } from '../../auth/requires.js';
import { apiPath, apiPaths } from '../../http/api-paths.js';
import { goneOf } from '../../http/gone.js';
import { Refuses } from '../../http/refuses.js';
import * as s from '../../http/schema.js';
import { answerItem, runBatchAnswerSchema, type RunBatchAnswer } from './run-batch.js';
import {
  endedRunAnswerSchema,
  runAnswerSchema,
  toRunAnswer,
  type EndedRunAnswer,
  type RunAnswer,
} from './run-answer.js';
import { RunOutcomes } from './run-outcomes.js';
import { ACCEPTANCE_REFUSALS, UNRUNNABLE_REFUSALS } from './run-refusals.js';
import {
  RunBatchBody,
  RunBody,
  RunPlayBody,
  readRunItems,
  readRunOrder,
  readStrict,
  toRunOrder,
  type RunOrder,
} from './run.requests.js';
import { RunService, type Accepted } from './run.service.js';

const RUN_REFUSALS = [
  ...ACCEPTANCE_REFUSALS,
  'both_delay_and_date',
  'invalid_labels',
  'idempotency_mismatch',
  'unknown_id',
  'value_too_large',
] as const satisfies readonly ErrorCode[];

const KeyHeader = ApiHeader({
  name: 'Idempotency-Key',
  required: false,
  description: 'The same as `idempotencyKey` in the body; both and different is refused.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
});

const StrictHeader = ApiHeader({
  name: 'Idempotency-Strict',
  required: false,
  description:
    'true: when the play that holds the key has other args, the run is refused (409 `idempotency_mismatch`).',
  schema: { type: 'string', enum: ['true', 'false'] },
});

const RUN_HEADERS = ['Location', 'Idempotency-Replayed', 'Idempotency-Mismatch', 'Idempotency-Retried'] as const;
const ENDED = 'With `wait`: the play has ended. Or: another play holds the key, this one.';

const AnswersRun = applyDecorators(
  s.Answers(200, endedRunAnswerSchema, ENDED, ...RUN_HEADERS),
  s.Answers(202, runAnswerSchema, 'Accepted; `Location` names the play.', ...RUN_HEADERS),
);

@ApiTags('Runs')
@Controller()
export class RunController {
  constructor(
    private readonly runs: RunService,
    private readonly outcomes: RunOutcomes,
  ) {}

  @Post(apiPaths('flows/:id/run'))
  @Requires(flow('execute'), scopes('api', 'api:plays', 'flow:execute'))
  @HttpCode(202)
  @Refuses(...RUN_REFUSALS)
  @ApiOperation({ summary: 'Run a flow: the play is accepted durably before the answer' })
  @ApiBody({ type: RunBody, required: false })
  @KeyHeader
  @StrictHeader
  @AnswersRun
  run(
    @Caller() caller: Principal,
    @Param('id') flowId: string,
    @Body() body: object | null | undefined,
    @Headers('idempotency-key') key: string | undefined,
    @Headers('idempotency-strict') strict: string | undefined,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RunAnswer> {
    const order = readRunOrder(body === undefined ? {} : body, key, lengthOf(request));
    return this.accept(caller, flowId, orderOf(order, strict), reply);
  }

  @Post(apiPaths('plays'))
  @Requires(flow('execute'), scopes('api', 'api:plays', 'flow:execute'))
  @HttpCode(202)
  @Refuses('not_found', ...RUN_REFUSALS)
  @ApiOperation({ summary: 'Run the flow that the body names' })
  @KeyHeader
  @StrictHeader
  @AnswersRun
  runFlow(
    @Caller() caller: Principal,
    @Body() body: RunPlayBody,
    @Headers('idempotency-key') key: string | undefined,
    @Headers('idempotency-strict') strict: string | undefined,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RunAnswer> {
    return this.accept(caller, body.flowId, orderOf(toRunOrder(body, key, lengthOf(request)), strict), reply);
  }

  @Post(apiPaths('flows/:id/run-batch'))
  @Requires(flow('execute'), scopes('api', 'api:plays', 'flow:execute'))
  @HttpCode(202)
  @Refuses(...UNRUNNABLE_REFUSALS)
  @StrictHeader
  @ApiOperation({ summary: 'Run a flow up to 1,000 times: each run is accepted or refused by itself' })
  @s.Answers(202, runBatchAnswerSchema, 'One item for each run, in order.')
  async runBatch(
    @Caller() caller: Principal,
    @Param('id') flowId: string,
    @Body() body: RunBatchBody,
    @Headers('idempotency-key') key: string | undefined,
    @Headers('idempotency-strict') strict: string | undefined,
    @Req() request: FastifyRequest,
  ): Promise<RunBatchAnswer> {
    const runs = readRunItems(body, key, lengthOf(request)).map((run) =>
      run instanceof WeftError ? run : orderOf(run, strict),
    );
    return { items: (await this.runs.acceptAll(caller, flowId, runs)).map(answerItem) };
  }

  private async accept(caller: Principal, flowId: string, order: RunOrder, reply: FastifyReply): Promise<RunAnswer> {
    const accepted = await this.runs.accept(caller, flowId, order);
    const { play, replayed, mismatch, continues } = accepted;
    reply.header('location', apiPath(`plays/${play._id}`));
    if (replayed) reply.status(200).header('idempotency-replayed', 'true');
    if (mismatch) reply.header('idempotency-mismatch', 'true');
    if (continues !== undefined) reply.header('idempotency-retried', continues);
    return order.waitMs > 0 ? this.outcome(caller, accepted, order.waitMs, reply) : toRunAnswer(play);
  }

  /** 200 says that the play has ended, for a replayed one, too. */
  private async outcome(
    caller: Principal,
    accepted: Accepted,
    waitMs: number,
    reply: FastifyReply,
  ): Promise<RunAnswer | EndedRunAnswer> {
    const ended = await this.outcomes.within(accepted, waitMs, goneOf(reply));
    reply.status(ended ? 200 : 202);
    if (!ended) return toRunAnswer(accepted.play);
    return (await this.runs.mayRead(caller, accepted.play)) ? ended : { ...ended, out: null, error: null };
  }
}

function orderOf(order: RunOrder, strict: string | undefined): RunOrder {
  return readStrict(strict) ? { ...order, strict: true } : order;
}

/** Bytes of the body; null when the client did not say. */
function lengthOf(request: FastifyRequest): number | null {
  const length = Number(request.headers['content-length']);
  return Number.isFinite(length) ? length : null;
}
