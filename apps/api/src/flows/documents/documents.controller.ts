import { Body, Controller, Get, Param, Post, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { atLeast, flow, scopes, type Principal } from '@weft/access';
import type { FlowView } from '@weft/contracts';
import type { FastifyReply } from 'fastify';
import { Caller } from '../../auth/caller.js';
import { Requires } from '../../auth/requires.js';
import { apiPath, apiPaths } from '../../http/api-paths.js';
import { etagOf } from '../../http/etag.js';
import { Refuses } from '../../http/refuses.js';
import { Origin, type RequestOrigin } from '../../http/request-origin.js';
import { Answers, AnswersCreated, named } from '../../http/schema.js';
import { flowSchema } from '../flow.schemas.js';
import { FlowViews } from '../flow.view.js';
import { DOCUMENT_EXAMPLE, ImportFlowBody } from './document.requests.js';
import { DocumentsService } from './documents.service.js';
import { flowDocumentJsonSchema, type FlowDocumentFile } from '@weft/shapes';

const { $schema: _dialect, ...documentSchema } = flowDocumentJsonSchema();
const { title: _, ...untitled } = documentSchema; // generators of clients would name it by that, not by its component
export const flowDocument = named('FlowDocument', { ...untitled, example: DOCUMENT_EXAMPLE });

@ApiTags('Flows')
@Controller(apiPaths('flows'))
export class DocumentsController {
  constructor(
    private readonly documents: DocumentsService,
    private readonly views: FlowViews,
  ) {}

  @Get(':flowId/export')
  @Requires(flow('read'), scopes('api', 'api:read', 'api:flows'))
  @ApiOperation({ summary: 'Read a flow and its test cases as one document, without ids and secrets of the company' })
  @Answers(200, flowDocument, 'The document. `[left out]` stands where a secret or an id of the company was.', 'ETag')
  async export(
    @Caller() caller: Principal,
    @Param('flowId') flowId: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<FlowDocumentFile> {
    const { document, tag } = await this.documents.export(caller, flowId);
    reply.header('etag', tag);
    return document;
  }

  @Post('import')
  @Requires(atLeast('editor'), scopes('api', 'api:flows'))
  @Refuses('invalid_document', 'invalid_args', 'invalid_expression', 'unknown_id', 'denied')
  @ApiOperation({ summary: 'Make a flow of a document' })
  @Answers(200, flowSchema, 'The flow as it would be, of a dry run.')
  @AnswersCreated(flowSchema, 'The new flow, disabled.', 'ETag')
  async import(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Body() body: ImportFlowBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<FlowView> {
    const flow = await this.documents.import({ caller, origin }, body);
    if (body.dryRun) reply.status(200);
    else reply.header('location', apiPath(`flows/${flow._id}`)).header('etag', etagOf(flow.version));
    return this.views.flow(flow);
  }
}
