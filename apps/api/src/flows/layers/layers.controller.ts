import { Body, Controller, Delete, Get, Headers, HttpCode, Param, Patch, Post, Put, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { flow, scopes, type Principal } from '@weft/access';
import type { LayerView } from '@weft/contracts';
import type { FlowDocument } from '@weft/records';
import type { FastifyReply } from 'fastify';
import { Caller } from '../../auth/caller.js';
import { Requires } from '../../auth/requires.js';
import { layerSchema } from '../flow.schemas.js';
import { FlowViews } from '../flow.view.js';
import { FlowsService } from '../flows.service.js';
import { apiPath, apiPaths } from '../../http/api-paths.js';
import { etagOf, IfMatch, parseIfMatch } from '../../http/etag.js';
import { Refuses } from '../../http/refuses.js';
import { Origin, type RequestOrigin } from '../../http/request-origin.js';
import { Answers, AnswersCreated, AnswersNothing, listOf } from '../../http/schema.js';
import { LAYER_REFUSALS } from './layer-checks.js';
import { CreateLayerBody, LayerOrderBody, UpdateLayerBody } from './layer.requests.js';
import { layerOf, LayersService } from './layers.service.js';

const IfFlowMatches = IfMatch("The flow's version that is meant.");

@ApiTags('Layers')
@Controller(apiPaths('flows/:flowId/layers'))
export class LayersController {
  constructor(
    private readonly flows: FlowsService,
    private readonly layers: LayersService,
    private readonly views: FlowViews,
  ) {}

  @Get()
  @Requires(flow('read'), scopes('api', 'api:read', 'api:flows'))
  @ApiOperation({ summary: 'List the layers of a flow in order of execution' })
  @Answers(200, listOf(layerSchema), 'All layers.', 'ETag')
  async list(
    @Caller() caller: Principal,
    @Param('flowId') flowId: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<LayerView[]> {
    return this.allOf(await this.flows.read(caller, flowId), reply);
  }

  @Post()
  @Requires(flow('edit'), scopes('api', 'api:flows'))
  @Refuses('ref_taken', 'too_many_layers', 'unknown_id', ...LAYER_REFUSALS)
  @ApiOperation({ summary: 'Add a layer' })
  @IfFlowMatches
  @AnswersCreated(layerSchema, 'The layer; `warnings` name references that lead nowhere yet.', 'ETag')
  async create(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('flowId') flowId: string,
    @Headers('if-match') ifMatch: string | undefined,
    @Body() body: CreateLayerBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<LayerView> {
    const change = { actor: { caller, origin }, flowId, ifMatch: parseIfMatch(ifMatch) };
    const { flow, layerId } = await this.layers.create(change, body);
    reply.header('location', apiPath(`flows/${flowId}/layers/${layerId}`));
    return this.oneOf(flow, layerId, reply);
  }

  // before the routes with :layerId, which "order" would match as well
  @Put('order')
  @Requires(flow('edit'), scopes('api', 'api:flows'))
  @Refuses('unknown_id', 'invalid_options')
  @ApiOperation({ summary: 'Put all layers in another order' })
  @IfFlowMatches
  @Answers(200, listOf(layerSchema), 'All layers, numbered from 0.', 'ETag')
  async reorder(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('flowId') flowId: string,
    @Headers('if-match') ifMatch: string | undefined,
    @Body() body: LayerOrderBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<LayerView[]> {
    const change = { actor: { caller, origin }, flowId, ifMatch: parseIfMatch(ifMatch) };
    return this.allOf(await this.layers.reorder(change, body.layerIds), reply);
  }

  @Get(':layerId')
  @Requires(flow('read'), scopes('api', 'api:read', 'api:flows'))
  @ApiOperation({ summary: 'Read a layer' })
  @Answers(200, layerSchema, 'The layer.', 'ETag')
  async read(
    @Caller() caller: Principal,
    @Param('flowId') flowId: string,
    @Param('layerId') layerId: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<LayerView> {
    return this.oneOf(await this.flows.read(caller, flowId), layerId, reply);
  }

  @Put(':layerId')
  @Requires(flow('edit'), scopes('api', 'api:flows'))
  @Refuses('ref_taken', 'unknown_id', ...LAYER_REFUSALS)
  @ApiOperation({ summary: 'Change a layer; fields left out stay as they are, args are replaced as a whole' })
  @IfFlowMatches
  @Answers(200, layerSchema, 'The layer as it is now.', 'ETag')
  async update(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('flowId') flowId: string,
    @Param('layerId') layerId: string,
    @Headers('if-match') ifMatch: string | undefined,
    @Body() body: UpdateLayerBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<LayerView> {
    const change = { actor: { caller, origin }, flowId, ifMatch: parseIfMatch(ifMatch) };
    const updated = await this.layers.update(change, layerId, body);
    return this.oneOf(updated.flow, updated.layerId, reply);
  }

  @Patch(':layerId')
  @Requires(flow('edit'), scopes('api', 'api:flows'))
  @Refuses('ref_taken', 'unknown_id', ...LAYER_REFUSALS)
  @ApiOperation({ summary: 'The same as PUT' })
  @IfFlowMatches
  @Answers(200, layerSchema, 'The layer as it is now.', 'ETag')
  async patch(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('flowId') flowId: string,
    @Param('layerId') layerId: string,
    @Headers('if-match') ifMatch: string | undefined,
    @Body() body: UpdateLayerBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<LayerView> {
    return this.update(caller, origin, flowId, layerId, ifMatch, body, reply);
  }

  @Delete(':layerId')
  @HttpCode(204)
  @Requires(flow('edit'), scopes('api', 'api:flows'))
  @Refuses('invalid_options')
  @ApiOperation({ summary: 'Remove a layer' })
  @IfFlowMatches
  @AnswersNothing('Removed.')
  async remove(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('flowId') flowId: string,
    @Param('layerId') layerId: string,
    @Headers('if-match') ifMatch: string | undefined,
  ): Promise<void> {
    await this.layers.remove({ actor: { caller, origin }, flowId, ifMatch: parseIfMatch(ifMatch) }, layerId);
  }

  private allOf(flow: FlowDocument, reply: FastifyReply): Promise<LayerView[]> {
    reply.header('etag', etagOf(flow.version));
    return this.views.layers(flow);
  }

  /** @throws WeftError `not_found` */
  private async oneOf(flow: FlowDocument, layerId: string, reply: FastifyReply): Promise<LayerView> {
    const layer = layerOf(flow, layerId);
    reply.header('etag', etagOf(flow.version));
    return (await this.views.layers(flow)).find((view) => view.id === layer.id) as LayerView;
  }
}
