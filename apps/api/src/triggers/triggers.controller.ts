import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { flow, scopes, type Principal } from '@weft/access';
import type { Page } from '@weft/contracts';
import type { FastifyReply } from 'fastify';
import { Caller } from '../auth/caller.js';
import { Requires } from '../auth/requires.js';
import { apiPath, apiPaths } from '../http/api-paths.js';
import { PageQuery } from '../http/paging.js';
import { Refuses } from '../http/refuses.js';
import { Origin, type RequestOrigin } from '../http/request-origin.js';
import { Answers, AnswersCreated, AnswersNothing } from '../http/schema.js';
import { CreateTriggerBody, UpdateTriggerBody } from './trigger.requests.js';
import {
  madeTriggerSchema,
  triggerAddressSchema,
  triggerPageSchema,
  triggerSchema,
  type MadeTriggerView,
  type TriggerAddress,
  type TriggerView,
} from './trigger.view.js';
import { TriggersService } from './triggers.service.js';

/** The service asks for both rights, to edit and to execute the flow. */
const MANAGES = [flow('edit'), scopes('api', 'api:flows', 'webhooks')] as const;

@ApiTags('Triggers')
@Controller(apiPaths('flows/:flowId/triggers'))
export class TriggersController {
  constructor(private readonly triggers: TriggersService) {}

  @Post()
  @Requires(...MANAGES)
  @Refuses(
    'flow_is_blueprint',
    'invalid_args',
    'invalid_expression',
    'invalid_labels',
    'too_many_triggers',
    'unknown_id',
  )
  @ApiOperation({
    summary: 'Make an address at which deliveries of another service run the flow, or have messages run it',
  })
  @AnswersCreated(madeTriggerSchema, 'The trigger, with its address this once, if it has one.')
  async create(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('flowId') flowId: string,
    @Body() body: CreateTriggerBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<MadeTriggerView> {
    const made = await this.triggers.create({ caller, origin }, flowId, body);
    reply.header('location', apiPath(`flows/${flowId}/triggers/${made.id}`));
    return made;
  }

  @Get()
  @Requires(...MANAGES)
  @ApiOperation({ summary: 'List the triggers of a flow, newest first' })
  @Answers(200, triggerPageSchema, 'A page of triggers.')
  list(
    @Caller() caller: Principal,
    @Param('flowId') flowId: string,
    @Query() query: PageQuery,
  ): Promise<Page<TriggerView>> {
    return this.triggers.list(caller, flowId, query);
  }

  @Get(':tid')
  @Requires(...MANAGES)
  @ApiOperation({ summary: 'Read a trigger' })
  @Answers(200, triggerSchema, 'The trigger, without its address and secrets.')
  read(@Caller() caller: Principal, @Param('flowId') flowId: string, @Param('tid') id: string): Promise<TriggerView> {
    return this.triggers.read(caller, flowId, id);
  }

  @Patch(':tid')
  @Requires(...MANAGES)
  @Refuses('invalid_args', 'invalid_expression', 'invalid_labels', 'version_conflict', 'unknown_id')
  @ApiOperation({ summary: 'Change, disable or enable a trigger; its address stays' })
  @Answers(200, triggerSchema, 'The trigger as it is now.')
  update(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('flowId') flowId: string,
    @Param('tid') id: string,
    @Body() body: UpdateTriggerBody,
  ): Promise<TriggerView> {
    return this.triggers.update({ caller, origin }, flowId, id, body);
  }

  @Post(':tid/rotate')
  @HttpCode(200)
  @Requires(...MANAGES)
  @Refuses('version_conflict', 'trigger_has_no_address')
  @ApiOperation({
    summary: 'Give the trigger a new address, which runs the flow for the caller; the one before ends at once',
  })
  @Answers(200, triggerAddressSchema, 'The new address.')
  rotate(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('flowId') flowId: string,
    @Param('tid') id: string,
  ): Promise<TriggerAddress> {
    return this.triggers.rotate({ caller, origin }, flowId, id);
  }

  @Post(':tid/listen')
  @HttpCode(200)
  @Requires(...MANAGES)
  @Refuses('version_conflict', 'trigger_has_no_address')
  @ApiOperation({ summary: 'Listen for one call: what arrives next is shown with the trigger, as its sample' })
  @Answers(200, triggerSchema, 'The trigger, which listens for five minutes.')
  listen(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('flowId') flowId: string,
    @Param('tid') id: string,
  ): Promise<TriggerView> {
    return this.triggers.listen({ caller, origin }, flowId, id);
  }

  @Delete(':tid')
  @HttpCode(204)
  @Requires(...MANAGES)
  @ApiOperation({ summary: 'Delete a trigger; its plays stay' })
  @AnswersNothing('Deleted.')
  remove(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('flowId') flowId: string,
    @Param('tid') id: string,
  ): Promise<void> {
    return this.triggers.remove({ caller, origin }, flowId, id);
  }
}
