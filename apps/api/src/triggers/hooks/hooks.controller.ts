import { applyDecorators, Controller, Get, HttpCode, Param, Post, Put, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { WeftError } from '@weft/kernel';
import type { HookMethod } from '@weft/shapes';
import { Public } from '../../auth/requires.js';
import { eventAnswerSchema, toEventAnswer, type EventAnswer } from '../../events/event-answer.js';
import { goneOf } from '../../http/gone.js';
import { HOOKS_ROUTE } from '../../http/raw-body.js';
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
import { arrivingBytesOf } from './arriving-request.js';
import { NO_SCRIPTS, toHookReply, type HookReply } from './hook-answer.js';
import { HookIntake, type TakenDelivery } from './hook-intake.js';

interface Skipped {
  readonly skipped: true;
}

type OwnAnswer = RunAnswer | EndedRunAnswer | Skipped | EventAnswer;
/** Text: what the trigger says, or a check of the address. */
type HookAnswer = OwnAnswer | string | undefined;
type Ran = Extract<TakenDelivery, { kind: 'ran' }>;
type Sent = Extract<TakenDelivery, { kind: 'sent' }>;

/** What expressions of `respond` read of the play. */
type PlayFields = Readonly<Record<'out' | 'error' | 'state', unknown>>;

const RUN_HEADERS = ['Idempotency-Replayed', 'Idempotency-Retried'] as const;

/** One operation for each method that a trigger may take. */
const Delivers = (summary: string) =>
  applyDecorators(
    Public(),
    HttpCode(202),
    Refuses(
      ...([
        'unauthenticated',
        'company_stopped',
        'too_many_attempts',
        'too_many_deliveries',
        'backlog_full',
        'too_many_runs',
        'storage_full',
        'kept_events_full',
      ] as const),
      ...(['condition_failed', 'invalid_args', 'invalid_lane', 'invalid_limit_key', 'invalid_expression'] as const),
      ...([
        'method_not_allowed',
        'unknown_id',
        'uploads_full',
        'body_too_large',
        'unsupported_media_type',
        'value_too_large',
      ] as const),
    ),
    ApiOperation({ summary }),
    s.Answers(
      200,
      { anyOf: [endedRunAnswerSchema, s.object<Skipped>({ skipped: { type: 'boolean', enum: [true] } }), s.anything] },
      'The play has ended in time, or an earlier delivery has this id; or there is nothing to run: the condition is false, or the sender checks the address. Or what the trigger says in `respond`, with any status.',
      ...RUN_HEADERS,
    ),
    s.Answers(202, { anyOf: [runAnswerSchema, eventAnswerSchema] }, 'Accepted.', ...RUN_HEADERS),
  );
const TakesBody = () =>
  applyDecorators(
    ApiConsumes('application/octet-stream'),
    ApiBody({
      required: false,
      description: 'Any `Content-Type`, up to `max_bytes` of the trigger.',
      schema: s.bytes,
    }),
  );

@ApiTags('Triggers')
@Controller()
export class HooksController {
  constructor(
    private readonly intake: HookIntake,
    private readonly outcomes: RunOutcomes,
  ) {}

  @Post(HOOKS_ROUTE)
  @Delivers('Deliver something to a trigger: the play is accepted durably before the answer')
  @TakesBody()
  deliver(
    @Param('token') token: string,
    @Query() query: Record<string, string | string[]>,
    @Origin() origin: RequestOrigin,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<HookAnswer> {
    return this.take(token, query, origin, request, reply);
  }

  @Put(HOOKS_ROUTE)
  @Delivers('Deliver something to a trigger that takes PUT')
  @TakesBody()
  deliverByPut(
    @Param('token') token: string,
    @Query() query: Record<string, string | string[]>,
    @Origin() origin: RequestOrigin,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<HookAnswer> {
    return this.take(token, query, origin, request, reply);
  }

  @Get(HOOKS_ROUTE)
  @Delivers('Deliver something to a trigger that takes GET, or check its address')
  deliverByGet(
    @Param('token') token: string,
    @Query() query: Record<string, string | string[]>,
    @Origin() origin: RequestOrigin,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<HookAnswer> {
    return this.take(token, query, origin, request, reply);
  }

  private async take(
    token: string,
    query: Record<string, string | string[]>,
    origin: RequestOrigin,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<HookAnswer> {
    reply.headers(NO_SCRIPTS);
    const { contentType, ...bytes } = arrivingBytesOf(request, reply);
    const gone = goneOf(reply);
    const taken = await this.intake.take(token, {
      ...bytes,
      method: request.method as HookMethod,
      path: request.raw.url ?? '',
      headers: { ...request.headers, 'content-type': contentType ?? undefined },
      query,
      address: origin.address,
      gone,
    });
    switch (taken.kind) {
      case 'seen':
        reply.status(200);
        return undefined;
      case 'other_method':
        reply.header('allow', taken.methods.join(', '));
        throw new WeftError('method_not_allowed', `The trigger takes ${taken.methods.join(', ')}.`);
      case 'challenge':
        return send(taken.reply, reply);
      case 'skipped':
        reply.status(200);
        return this.answer(taken, { skipped: true }, null, reply);
      case 'sent':
        return this.answerSent(taken, reply);
      case 'ran':
        return this.answerRun(taken, gone, reply);
    }
  }

  private answerSent(taken: Sent, reply: FastifyReply): Promise<HookAnswer> {
    if (taken.event.replayed) reply.status(200).header('idempotency-replayed', 'true');
    return this.answer(taken, toEventAnswer(taken.event), null, reply);
  }

  private async answerRun(taken: Ran, gone: AbortSignal, reply: FastifyReply): Promise<HookAnswer> {
    const { run, open } = taken;
    const { play, replayed, continues } = run;
    if (replayed) reply.status(200).header('idempotency-replayed', 'true');
    if (continues !== undefined) reply.header('idempotency-retried', continues);
    const accepted = toRunAnswer(play);
    if (open.trigger.wait === 0) return this.answer(taken, accepted, null, reply);
    const ended = await this.outcomes.within({ play, replayed }, open.trigger.wait, gone);
    reply.status(ended ? 200 : 202);
    if (!ended) return this.answer(taken, accepted, { out: null, error: null, state: accepted.state }, reply);
    const told = (await this.intake.mayTell(taken, run)) ? ended : { ...ended, out: null, error: null };
    const { out, error, state } = told;
    return this.answer(taken, told, { out, error, state }, reply);
  }

  /** What the trigger says; without it, or where it cannot be evaluated, our own. */
  private async answer(
    { reading }: Ran | Sent | Extract<TakenDelivery, { kind: 'skipped' }>,
    own: OwnAnswer,
    play: PlayFields | null,
    reply: FastifyReply,
  ): Promise<HookAnswer> {
    const said = toHookReply(await reading.respond(play));
    return said ? send(said, reply) : own;
  }
}

function send({ status, headers, body }: HookReply, reply: FastifyReply): string | undefined {
  reply.status(status).headers(headers);
  return body ?? undefined;
}
