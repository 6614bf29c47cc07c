import { Body, Controller, Get, Param, Post, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { atLeast, flow, scopes, type Principal } from '@weft/access';
import type { BlueprintVarView, FlowView } from '@weft/contracts';
import type { FastifyReply } from 'fastify';
import { Caller } from '../../auth/caller.js';
import { Requires } from '../../auth/requires.js';
import { apiPath, apiPaths } from '../../http/api-paths.js';
import { etagOf } from '../../http/etag.js';
import { Refuses } from '../../http/refuses.js';
import { Origin, type RequestOrigin } from '../../http/request-origin.js';
import { Answers, AnswersCreated } from '../../http/schema.js';
import { flowSchema } from '../flow.schemas.js';
import { FlowViews } from '../flow.view.js';
import { ENABLING_REFUSALS } from '../enabling.js';
import { InstantiateBody } from './blueprint.requests.js';
import { blueprintVarListSchema } from './blueprint.schemas.js';
import { BlueprintsService } from './blueprints.service.js';

@ApiTags('Blueprints')
@Controller(apiPaths('flows/:flowId'))
export class BlueprintsController {
  constructor(
    private readonly blueprints: BlueprintsService,
    private readonly views: FlowViews,
  ) {}

  @Get('blueprint-vars')
  @Requires(flow('read'), scopes('api', 'api:read', 'api:flows'))
  @ApiOperation({ summary: 'List the blueprint variables that a flow reads' })
  @Answers(200, blueprintVarListSchema, 'Each variable, and the layers that read it.')
  async listVars(
    @Caller() caller: Principal,
    @Param('flowId') flowId: string,
  ): Promise<{ readonly items: readonly BlueprintVarView[] }> {
    return { items: await this.blueprints.listVars(caller, flowId) };
  }

  @Post('instantiate')
  @Requires(atLeast('editor'), scopes('api', 'api:flows'))
  @Refuses('not_a_blueprint', 'unknown_blueprint_vars', 'unknown_id', ...ENABLING_REFUSALS)
  @ApiOperation({ summary: 'Make a flow of its own from a blueprint' })
  @AnswersCreated(flowSchema, 'The new flow, enabled.', 'ETag')
  async instantiate(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('flowId') flowId: string,
    @Body() body: InstantiateBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<FlowView> {
    const flow = await this.blueprints.instantiate({ caller, origin }, flowId, body);
    reply.header('location', apiPath(`flows/${flow._id}`)).header('etag', etagOf(flow.version));
    return this.views.flow(flow);
  }
}
