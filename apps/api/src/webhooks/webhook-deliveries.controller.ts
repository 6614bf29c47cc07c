import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { atLeast, scopes, type Principal } from '@weft/access';
import type { Page } from '@weft/contracts';
import { Caller } from '../auth/caller.js';
import { Requires } from '../auth/requires.js';
import { apiPaths } from '../http/api-paths.js';
import { PageQuery, toPage, toPageRequest } from '../http/paging.js';
import { Refuses } from '../http/refuses.js';
import { Origin, type RequestOrigin } from '../http/request-origin.js';
import { Answers } from '../http/schema.js';
import { WebhookDeliveriesService } from './webhook-deliveries.service.js';
import { ListDeliveriesQuery, ReplayBody } from './webhook.requests.js';
import {
  deliveryPageSchema,
  deliverySchema,
  replayPageSchema,
  replaySchema,
  toDeliveryView,
  toReplayView,
  type DeliveryView,
  type ReplayView,
} from './webhook.view.js';

const WHO = atLeast('admin');
const SCOPES = scopes('api', 'webhooks', 'admin');

@ApiTags('Webhooks')
@Controller(apiPaths('webhooks/:id'))
export class WebhookDeliveriesController {
  constructor(private readonly deliveries: WebhookDeliveriesService) {}

  @Post('test')
  @HttpCode(200)
  @Requires(WHO, SCOPES)
  @ApiOperation({ summary: 'Send a signed test event now, once' })
  @Answers(200, deliverySchema, 'The delivery with its attempt.')
  async test(@Caller() caller: Principal, @Param('id') id: string): Promise<DeliveryView> {
    return toDeliveryView(await this.deliveries.test(caller, id));
  }

  @Get('deliveries')
  @Requires(WHO, SCOPES)
  @ApiOperation({ summary: 'List deliveries of an endpoint with their attempts, newest first' })
  @Answers(200, deliveryPageSchema, 'A page of deliveries.')
  async list(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() query: ListDeliveriesQuery,
  ): Promise<Page<DeliveryView>> {
    const page = toPageRequest(query, isDeliveryId);
    return toPage(page, await this.deliveries.list(caller, id, query, page), toDeliveryView);
  }

  @Post('deliveries/:delivery_id/replay')
  @HttpCode(200)
  @Requires(WHO, SCOPES)
  @ApiOperation({ summary: 'Send a delivery again, with the same webhook-id' })
  @Answers(200, deliverySchema, 'The delivery, which is pending.')
  async replayOne(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('id') id: string,
    @Param('delivery_id') deliveryId: string,
  ): Promise<DeliveryView> {
    return toDeliveryView(await this.deliveries.replayOne({ caller, origin }, id, deliveryId));
  }

  @Post('replay')
  @HttpCode(202)
  @Requires(WHO, SCOPES)
  @Refuses('too_many_bulks')
  @ApiOperation({ summary: 'Send the events of a time again, in the background' })
  @Answers(202, replaySchema, 'The replay, which is running.')
  async replayMany(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('id') id: string,
    @Body() body: ReplayBody,
  ): Promise<ReplayView> {
    return toReplayView(await this.deliveries.replayMany({ caller, origin }, id, body));
  }

  @Get('replays')
  @Requires(WHO, SCOPES)
  @ApiOperation({ summary: 'List replays of an endpoint, newest first' })
  @Answers(200, replayPageSchema, 'A page of replays.')
  async listReplays(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() query: PageQuery,
  ): Promise<Page<ReplayView>> {
    const page = toPageRequest(query);
    return toPage(page, await this.deliveries.listReplays(caller, id, page), toReplayView);
  }

  @Get('replays/:replay_id')
  @Requires(WHO, SCOPES)
  @ApiOperation({ summary: 'Read how far a replay is' })
  @Answers(200, replaySchema, 'The replay.')
  async readReplay(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Param('replay_id') replayId: string,
  ): Promise<ReplayView> {
    return toReplayView(await this.deliveries.readReplay(caller, id, replayId));
  }
}

/** An id of an endpoint and the name of an event. */
function isDeliveryId(text: string): boolean {
  return /^[0-9a-z]{20}_[0-9a-z]{20}(?:_\d{1,6})?$/.test(text);
}
