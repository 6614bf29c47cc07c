import { Body, Controller, Headers, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Principal } from '@weft/access';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Caller } from '../auth/caller.js';
import { Requires } from '../auth/requires.js';
import { apiPath, apiPaths } from '../http/api-paths.js';
import * as s from '../http/schema.js';
import { RunBody, RunPlayBody, readRunOrder, toRunOrder, type RunOrder } from './run.request.js';
import { RunService } from './run.service.js';

export interface RunAnswer {
  readonly playId: string;
  readonly state: string;
}

const answerSchema = s.named('RunAnswer', s.object<RunAnswer>({ playId: s.text, state: s.text }));

const KeyHeader = ApiHeader({
  name: 'Idempotency-Key',
  required: false,
  description: 'The same as `idempotencyKey` in the body; both and different is refused.',
});

@ApiTags('Runs')
@Controller()
export class RunController {
  constructor(private readonly runs: RunService) {}

  @Post(apiPaths('flows/:id/run'))
  @Requires('E:execute', 'A P X')
  @HttpCode(202)
  @ApiOperation({ summary: 'Run a flow: the play is accepted durably before the answer' })
  @ApiBody({ type: RunBody, required: false })
  @KeyHeader
  @s.Answers(202, answerSchema, 'Accepted; `Location` names the play.')
  run(
    @Caller() caller: Principal,
    @Param('id') flowId: string,
    @Body() body: object | undefined,
    @Headers('idempotency-key') key: string | undefined,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RunAnswer> {
    return this.accept(caller, flowId, readRunOrder(body ?? {}, key, lengthOf(request)), reply);
  }

  @Post(apiPaths('plays'))
  @Requires('E:execute', 'A P X')
  @HttpCode(202)
  @ApiOperation({ summary: 'Run the flow that the body names' })
  @KeyHeader
  @s.Answers(202, answerSchema, 'Accepted; `Location` names the play.')
  runFlow(
    @Caller() caller: Principal,
    @Body() body: RunPlayBody,
    @Headers('idempotency-key') key: string | undefined,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RunAnswer> {
    return this.accept(caller, body.flowId, toRunOrder(body, key, lengthOf(request)), reply);
  }

  private async accept(caller: Principal, flowId: string, order: RunOrder, reply: FastifyReply): Promise<RunAnswer> {
    const { play, replayed, mismatch } = await this.runs.accept(caller, flowId, order);
    reply.header('location', apiPath(`plays/${play._id}`));
    if (replayed) reply.status(200).header('idempotency-replayed', 'true');
    if (mismatch) reply.header('idempotency-mismatch', 'true');
    // a NEW play is as good as running: specification §3
    return { playId: play._id, state: play.state === 'NEW' ? 'RUN' : play.state };
  }
}

/** Bytes of the body; null when the client did not say. */
function lengthOf(request: FastifyRequest): number | null {
  const length = Number(request.headers['content-length']);
  return Number.isFinite(length) ? length : null;
}
