import { Body, Controller, Headers, HttpCode, Param, Post, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { flow, scopes, type Principal } from '@weft/access';
import type { FlowView } from '@weft/contracts';
import type { FastifyReply } from 'fastify';
import { Caller } from '../../auth/caller.js';
import { Requires } from '../../auth/requires.js';
import { apiPaths } from '../../http/api-paths.js';
import { etagOf, IfMatch, parseIfMatch } from '../../http/etag.js';
import { Refuses } from '../../http/refuses.js';
import { Origin, type RequestOrigin } from '../../http/request-origin.js';
import { Answers } from '../../http/schema.js';
import { ENABLING_REFUSALS } from '../enabling.js';
import { PublishBody } from '../flow.requests.js';
import { flowSchema } from '../flow.schemas.js';
import { FlowViews } from '../flow.view.js';
import { PublicationService } from './publication.service.js';

@ApiTags('Flows')
@Controller(apiPaths('flows/:flowId/publish'))
export class PublicationController {
  constructor(
    private readonly publication: PublicationService,
    private readonly views: FlowViews,
  ) {}

  @Post()
  @HttpCode(200)
  @Requires(flow('edit'), scopes('api', 'api:flows'))
  @Refuses(...ENABLING_REFUSALS, 'publishes_by_itself', 'unknown_id')
  @ApiOperation({ summary: 'Make a version of a flow the one that its runs use' })
  @IfMatch('The last version of the flow, as in ETag.')
  @Answers(200, flowSchema, 'The flow: its last version, and which one is published.', 'ETag')
  async publish(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('flowId') flowId: string,
    @Headers('if-match') ifMatch: string | undefined,
    @Body() { version }: PublishBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<FlowView> {
    const published = await this.publication.publish({ caller, origin }, flowId, version, parseIfMatch(ifMatch));
    reply.header('etag', etagOf(published.version));
    return this.views.flow(published);
  }
}
