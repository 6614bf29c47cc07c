import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { atLeast, scopes, type Principal } from '@weft/access';
import type { Page } from '@weft/contracts';
import type { FastifyReply } from 'fastify';
import { Caller } from '../auth/caller.js';
import { Requires } from '../auth/requires.js';
import { apiPath, apiPaths } from '../http/api-paths.js';
import { PageQuery, toPage, toPageRequest } from '../http/paging.js';
import { Refuses } from '../http/refuses.js';
import { Origin, type RequestOrigin } from '../http/request-origin.js';
import { Answers, AnswersCreated, AnswersNothing } from '../http/schema.js';
import { CreateWebhookBody, UpdateWebhookBody } from './webhook.requests.js';
import {
  newWebhookSchema,
  shownSecretSchema,
  toWebhookView,
  webhookPageSchema,
  webhookSchema,
  type ShownSecret,
  type WebhookView,
} from './webhook.view.js';
import { WebhooksService } from './webhooks.service.js';

const WHO = atLeast('admin');
const SCOPES = scopes('api', 'webhooks', 'admin');

@ApiTags('Webhooks')
@Controller(apiPaths('webhooks'))
export class WebhooksController {
  constructor(private readonly webhooks: WebhooksService) {}

  @Post()
  @Requires(WHO, SCOPES)
  @Refuses('unknown_id', 'invalid_labels', 'too_many_webhooks')
  @ApiOperation({ summary: 'Make an endpoint that gets events from now on' })
  @AnswersCreated(newWebhookSchema, 'The endpoint, with what its receiver verifies signatures with.')
  async create(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Body() body: CreateWebhookBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<WebhookView & ShownSecret> {
    const { webhook, shown } = await this.webhooks.create({ caller, origin }, body);
    reply.header('location', apiPath(`webhooks/${webhook._id}`));
    return { ...toWebhookView(webhook), ...shown };
  }

  @Get()
  @Requires(WHO, SCOPES)
  @ApiOperation({ summary: 'List endpoints of webhooks, newest first' })
  @Answers(200, webhookPageSchema, 'A page of endpoints, without their secrets.')
  async list(@Caller() caller: Principal, @Query() query: PageQuery): Promise<Page<WebhookView>> {
    const page = toPageRequest(query);
    return toPage(page, await this.webhooks.list(caller, page), toWebhookView);
  }

  @Get(':id')
  @Requires(WHO, SCOPES)
  @ApiOperation({ summary: 'Read an endpoint' })
  @Answers(200, webhookSchema, 'The endpoint, without its secret.')
  async read(@Caller() caller: Principal, @Param('id') id: string): Promise<WebhookView> {
    return toWebhookView(await this.webhooks.read(caller, id));
  }

  @Patch(':id')
  @Requires(WHO, SCOPES)
  @Refuses('unknown_id', 'invalid_labels')
  @ApiOperation({ summary: 'Change, disable or enable an endpoint' })
  @Answers(200, webhookSchema, 'The endpoint as it is now.')
  async update(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('id') id: string,
    @Body() body: UpdateWebhookBody,
  ): Promise<WebhookView> {
    return toWebhookView(await this.webhooks.update({ caller, origin }, id, body));
  }

  @Delete(':id')
  @HttpCode(204)
  @Requires(WHO, SCOPES)
  @ApiOperation({ summary: 'Delete an endpoint with its deliveries' })
  @AnswersNothing('Deleted.')
  remove(@Caller() caller: Principal, @Origin() origin: RequestOrigin, @Param('id') id: string): Promise<void> {
    return this.webhooks.remove({ caller, origin }, id);
  }

  @Post(':id/rotate')
  @HttpCode(200)
  @Requires(WHO, SCOPES)
  @ApiOperation({ summary: 'Make a new secret; the one before signs, too, for 24 hours' })
  @Answers(200, shownSecretSchema, 'What the receiver verifies signatures with from now on.')
  rotate(@Caller() caller: Principal, @Origin() origin: RequestOrigin, @Param('id') id: string): Promise<ShownSecret> {
    return this.webhooks.rotate({ caller, origin }, id);
  }
}
