import { Body, Controller, HttpCode, Param, Post, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { flow, scopes, type Principal } from '@weft/access';
import type { FastifyReply } from 'fastify';
import { Caller } from '../../auth/caller.js';
import { Requires } from '../../auth/requires.js';
import { apiPaths } from '../../http/api-paths.js';
import { goneOf } from '../../http/gone.js';
import { Refuses } from '../../http/refuses.js';
import { Origin, type RequestOrigin } from '../../http/request-origin.js';
import { Answers } from '../../http/schema.js';
import { ALL_LAYERS_REFUSALS } from '../layers/all-layers.js';
import { LayerTriesService } from './layer-tries.service.js';
import { LayerTryBody } from './layer-try.requests.js';
import { layerTrySchema, type LayerTryView } from './layer-try.view.js';

@ApiTags('Layers')
@Controller(apiPaths('flows/:flowId/layers/try'))
export class LayerTriesController {
  constructor(private readonly tries: LayerTriesService) {}

  @Post()
  @HttpCode(200)
  @Requires(flow('edit'), scopes('api', 'api:flows'))
  @Refuses(
    ...(['confirm_needed', 'not_triable', 'unresolved_refs', 'value_too_large'] as const),
    ...(['too_many_tries', 'too_many_dry_runs', 'no_worker', 'call_unanswered'] as const),
    ...ALL_LAYERS_REFUSALS,
  )
  @ApiOperation({ summary: 'Call one layer for real, once: no play is made of it' })
  @Answers(200, layerTrySchema, 'How the call ended. Also needs the right to execute the flow.')
  try(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('flowId') flowId: string,
    @Body() body: LayerTryBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<LayerTryView> {
    return this.tries.try({ caller, origin }, flowId, body, goneOf(reply));
  }
}
