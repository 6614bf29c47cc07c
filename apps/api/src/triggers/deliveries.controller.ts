import { Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { flow, scopes, type Principal } from '@weft/access';
import type { Page } from '@weft/contracts';
import type { FastifyReply } from 'fastify';
import { Caller } from '../auth/caller.js';
import { Requires } from '../auth/requires.js';
import { apiPath, apiPaths } from '../http/api-paths.js';
import { PageQuery } from '../http/paging.js';
import { Refuses } from '../http/refuses.js';
import * as s from '../http/schema.js';
import { eventAnswerSchema } from '../events/event-answer.js';
import { runAnswerSchema } from '../plays/run/run-answer.js';
import { DeliveriesService, type ReplayAnswer } from './deliveries.service.js';
import { deliveryPageSchema, type DeliveryView } from './delivery.view.js';
import { ACCEPTANCE_REFUSALS } from '../plays/run/run-refusals.js';

interface Skipped {
  readonly skipped: true;
}

@ApiTags('Triggers')
@Controller(apiPaths('flows/:flowId/triggers/:tid/deliveries'))
export class DeliveriesController {
  constructor(private readonly deliveries: DeliveriesService) {}

  @Get()
  @Requires(flow('edit'), scopes('api', 'api:flows', 'webhooks'))
  @ApiOperation({ summary: 'List what arrived at a trigger and was verified, newest first' })
  @s.Answers(200, deliveryPageSchema, 'A page of deliveries.')
  list(
    @Caller() caller: Principal,
    @Param('flowId') flowId: string,
    @Param('tid') triggerId: string,
    @Query() query: PageQuery,
  ): Promise<Page<DeliveryView>> {
    return this.deliveries.list(caller, flowId, triggerId, query);
  }

  @Post(':did/replay')
  @HttpCode(202)
  @Requires(flow('edit'), scopes('api', 'api:flows', 'webhooks'))
  @Refuses(...ACCEPTANCE_REFUSALS, 'delivery_not_kept', 'invalid_expression')
  @ApiOperation({ summary: 'Treat a delivery as if it arrived now, in a play of its own' })
  @s.Answers(
    200,
    { anyOf: [s.object<Skipped>({ skipped: { type: 'boolean', enum: [true] } }), eventAnswerSchema] },
    'The condition is false; or the event is sent.',
  )
  @s.Answers(202, runAnswerSchema, 'Accepted.', 'Location')
  async replay(
    @Caller() caller: Principal,
    @Param('flowId') flowId: string,
    @Param('tid') triggerId: string,
    @Param('did') id: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ReplayAnswer | Skipped> {
    const answer = await this.deliveries.replay(caller, flowId, triggerId, id);
    const isRun = answer !== null && 'playId' in answer;
    if (isRun) reply.header('location', apiPath(`plays/${answer.playId}`));
    else reply.status(200);
    return answer ?? { skipped: true };
  }
}
