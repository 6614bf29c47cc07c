import { Body, Controller, Headers, Param, Put, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { atLeast, flow, scopes, type Principal } from '@weft/access';
import type { FlowView } from '@weft/contracts';
import { isFields, WeftError } from '@weft/kernel';
import type { FastifyReply } from 'fastify';
import { Caller } from '../../auth/caller.js';
import { Requires } from '../../auth/requires.js';
import { apiPath, apiPaths } from '../../http/api-paths.js';
import { IfMatch, parseTags } from '../../http/etag.js';
import { Refuses } from '../../http/refuses.js';
import { Origin, type RequestOrigin } from '../../http/request-origin.js';
import { Answers, AnswersCreated } from '../../http/schema.js';
import { ENABLING_REFUSALS } from '../enabling.js';
import { flowSchema } from '../flow.schemas.js';
import { FlowViews } from '../flow.view.js';
import { flowDocument } from './documents.controller.js';
import { flowDocumentShape } from '@weft/shapes';
import { PutDocumentsService, type DocumentMatch, type GivenDocument } from './put-documents.service.js';

const IfFlowMatches = IfMatch(
  'The document that is meant, by the ETag of its export, which covers the test cases; or a version of the flow, with any test cases.',
);
const DocumentBody = ApiBody({
  description:
    'The document. As for an import, it may also be sent as `{ "document": … }`; with `"dryRun": true` next to it nothing is stored, and the answer is the flow as it would be, or the refusal.',
  schema: flowDocument,
});

@ApiTags('Flows')
@Controller(apiPaths('flows'))
export class PutDocumentsController {
  constructor(
    private readonly documents: PutDocumentsService,
    private readonly views: FlowViews,
  ) {}

  @Put('by-key/:key/document')
  @Requires(atLeast('editor'), scopes('api', 'api:flows'))
  @Refuses('invalid_document', 'left_out', 'unknown_id', 'key_taken', 'denied', ...ENABLING_REFUSALS)
  @ApiOperation({ summary: 'Make the flow with this key be as the document says, or make one' })
  @IfFlowMatches
  @DocumentBody
  @Answers(200, flowSchema, 'The flow as it is now.', 'ETag')
  @AnswersCreated(flowSchema, 'The new flow, disabled.', 'ETag')
  async putByKey(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('key') key: string,
    @Headers('if-match') ifMatch: string | undefined,
    @Body() body: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<FlowView> {
    const document = documentIn(body);
    const { flow, tag, isNew } = await this.documents.putByKey({ caller, origin }, key, matchOf(ifMatch), document);
    reply.header('etag', tag);
    if (isNew) reply.status(201).header('location', apiPath(`flows/${flow._id}`));
    return this.views.flow(flow);
  }

  @Put(':id/document')
  @Requires(flow('edit'), scopes('api', 'api:flows'))
  @Refuses('invalid_document', 'left_out', 'unknown_id', ...ENABLING_REFUSALS)
  @ApiOperation({ summary: 'Make a flow be as a document says, as one version: what the document leaves out is gone' })
  @IfFlowMatches
  @DocumentBody
  @Answers(200, flowSchema, 'The flow as it is now.', 'ETag')
  async put(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('id') id: string,
    @Headers('if-match') ifMatch: string | undefined,
    @Body() body: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<FlowView> {
    const { flow, tag } = await this.documents.put({ caller, origin }, id, matchOf(ifMatch), documentIn(body));
    reply.header('etag', tag);
    return this.views.flow(flow);
  }
}

function matchOf(ifMatch: string | undefined): DocumentMatch {
  return { tags: parseTags(ifMatch), mustExist: ifMatch !== undefined };
}

/** The body itself, or its `document`, with or without `dryRun`. @throws WeftError `invalid_body` for what is not an object, `unknown_field` */
function documentIn(body: unknown): GivenDocument {
  if (!isFields(body)) throw new WeftError('invalid_body', 'The body must be a flow document, an object.');
  const { document, dryRun = false, ...others } = body;
  if (isFields(document) && typeof dryRun === 'boolean' && Object.keys(others).length === 0)
    return { document, dryRun };
  const unknown = Object.keys(body).filter((name) => !Object.hasOwn(flowDocumentShape.shape, name));
  if (unknown.length === 0) return { document: body, dryRun: false };
  const errors = unknown.map((path) => ({
    path,
    code: 'unknown_field',
    message: `${path} is not a field of a document`,
  }));
  throw new WeftError('unknown_field', `${errors[0]?.message}.`, { errors });
}
