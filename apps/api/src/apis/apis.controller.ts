import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { atLeast, scopes, specialist, type Principal } from '@weft/access';
import type { Page } from '@weft/contracts';
import type { ApiFound } from '@weft/records';
import type { FastifyReply } from 'fastify';
import { Caller } from '../auth/caller.js';
import { Requires } from '../auth/requires.js';
import { apiPath, apiPaths } from '../http/api-paths.js';
import { PageQuery, toPage, toPageRequest } from '../http/paging.js';
import { Refuses } from '../http/refuses.js';
import { Origin, type RequestOrigin } from '../http/request-origin.js';
import { Answers, AnswersNothing } from '../http/schema.js';
import {
  AdoptApiBody,
  CreateApiBody,
  ListOperationsQuery,
  ReadOperationQuery,
  RefreshApiBody,
  UpdateApiBody,
} from './api.requests.js';
import {
  apiPageSchema,
  apiReportSchema,
  apiSchema,
  operationPageSchema,
  operationSchema,
  toApiReportView,
  toApiView,
  toOperationHeadView,
  toOperationView,
  type ApiReportView,
  type ApiView,
  type OperationHeadView,
  type OperationView,
} from './api.view.js';
import { ApiAdoptionService } from './api-adoption.service.js';
import { pageByName } from './page-by-name.js';
import { ApiDiffService } from './api-diff.service.js';
import { adoptionSchema, apiDiffSchema, type AdoptionView, type ApiDiffView } from './api-diff.view.js';
import { ApisService } from './apis.service.js';

/** Editors choose operations for their layers. */
const READERS = [atLeast('editor'), specialist('integration_manager')];
const MANAGERS = specialist('integration_manager');
const TO_READ = scopes('api', 'api:read', 'api:flows');
const TO_CHANGE = scopes('api');
const KIND = 'openapi';

@ApiTags('APIs')
@Controller(apiPaths('apis'))
export class ApisController {
  constructor(
    private readonly apis: ApisService,
    private readonly diffs: ApiDiffService,
    private readonly adoptions: ApiAdoptionService,
  ) {}

  @Post()
  @HttpCode(202)
  @Requires(MANAGERS, TO_CHANGE)
  @Refuses('unknown_id', 'key_taken', 'too_many_apis')
  @ApiOperation({ summary: 'Give the OpenAPI document of a service; its operations are imported in the background' })
  @Answers(202, apiSchema, 'The API, importing: read it until its state is another one.', 'Location')
  async create(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Body() body: CreateApiBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ApiView> {
    const api = await this.apis.create({ caller, origin }, body);
    reply.header('location', apiPath(`apis/${api._id}`));
    return toApiView(api);
  }

  @Get()
  @Requires(READERS, TO_READ)
  @ApiOperation({ summary: 'List the APIs of the company, newest first' })
  @Answers(200, apiPageSchema, 'A page of APIs.')
  async list(@Caller() caller: Principal, @Query() query: PageQuery): Promise<Page<ApiView>> {
    const page = toPageRequest(query);
    return toPage(page, await this.apis.list(caller, KIND, page), toApiView);
  }

  @Get(':id')
  @Requires(READERS, TO_READ)
  @ApiOperation({ summary: 'Read an API, by its id or its key, with the report of its last import' })
  @Answers(200, apiReportSchema, 'The API.')
  async read(@Caller() caller: Principal, @Param('id') id: string): Promise<ApiReportView> {
    return this.reportOf(caller, await this.apis.read(caller, KIND, id));
  }

  @Patch(':id')
  @Requires(MANAGERS, TO_CHANGE)
  @Refuses('unknown_id', 'key_taken')
  @ApiOperation({
    summary: 'Rename an API, or change its key, its link, its base address or the overlay of its document',
  })
  @Answers(200, apiReportSchema, 'The API as it is now.')
  async update(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('id') id: string,
    @Body() body: UpdateApiBody,
  ): Promise<ApiReportView> {
    return this.reportOf(caller, await this.apis.update({ caller, origin }, KIND, id, body));
  }

  @Delete(':id')
  @HttpCode(204)
  @Requires(MANAGERS, TO_CHANGE)
  @ApiOperation({ summary: 'Delete an API with its operations; layers that use them fail from now on' })
  @AnswersNothing('Deleted.')
  async remove(@Caller() caller: Principal, @Origin() origin: RequestOrigin, @Param('id') id: string): Promise<void> {
    await this.apis.remove({ caller, origin }, KIND, id);
  }

  @Post(':id/refresh')
  @HttpCode(202)
  @Requires(MANAGERS, TO_CHANGE)
  @Refuses('not_imported', 'unknown_id')
  @ApiOperation({ summary: 'Import the document anew, or only compare it; what runs stays as it is' })
  @Answers(202, apiReportSchema, 'The API, importing.')
  async refresh(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('id') id: string,
    @Body() body: RefreshApiBody,
  ): Promise<ApiReportView> {
    return this.reportOf(caller, await this.apis.refresh({ caller, origin }, KIND, id, body));
  }

  @Get(':id/diff')
  @Requires(READERS, TO_READ)
  @ApiOperation({ summary: 'Show what the last refresh found, and which flows, layers and test cases it concerns' })
  @Answers(200, apiDiffSchema, 'The differences.')
  diff(@Caller() caller: Principal, @Param('id') id: string): Promise<ApiDiffView> {
    return this.diffs.diff(caller, KIND, id);
  }

  @Post(':id/adopt')
  @HttpCode(200)
  @Requires(READERS, scopes('api', 'api:flows'))
  @ApiOperation({ summary: 'Have flows call the operations as they are now: new versions, after their test cases ran' })
  @Answers(200, adoptionSchema, 'What became of each flow, in their order.')
  async adopt(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('id') id: string,
    @Body() { flows }: AdoptApiBody,
  ): Promise<{ items: AdoptionView[] }> {
    return { items: await this.adoptions.adopt({ caller, origin }, KIND, id, flows) };
  }

  @Get(':id/operations')
  @Requires(READERS, TO_READ)
  @ApiOperation({ summary: 'List the operations of an API by name' })
  @Answers(200, operationPageSchema, 'A page of operations, without their schemas.')
  async listOperations(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() query: ListOperationsQuery,
  ): Promise<Page<OperationHeadView>> {
    return pageByName(query, toOperationHeadView, (page) => this.apis.listOperations(caller, KIND, id, query, page));
  }

  @Get(':id/operations/:name')
  @Requires(READERS, TO_READ)
  @ApiOperation({ summary: 'Read an operation: how it is sent, and the schemas of its args and its answers' })
  @Answers(200, operationSchema, 'The operation.')
  async readOperation(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Param('name') name: string,
    @Query() { digest }: ReadOperationQuery,
  ): Promise<OperationView> {
    const operation = await this.apis.readOperation(caller, KIND, id, name, digest);
    return toOperationView(operation, await this.apis.readHead(caller, KIND, id));
  }

  private async reportOf(caller: Principal, api: ApiFound): Promise<ApiReportView> {
    return toApiReportView(api, await this.apis.mayUseLink(caller, api));
  }
}
