import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { atLeast, scopes, specialist, type Principal } from '@weft/access';
import type { Page } from '@weft/contracts';
import type { FastifyReply } from 'fastify';
import { Caller } from '../auth/caller.js';
import { Requires } from '../auth/requires.js';
import { apiPath, apiPaths } from '../http/api-paths.js';
import { PageQuery, toPage, toPageRequest } from '../http/paging.js';
import { Refuses } from '../http/refuses.js';
import { Origin, type RequestOrigin } from '../http/request-origin.js';
import { Answers, AnswersNothing } from '../http/schema.js';
import { AdoptApiBody, ListOperationsQuery, ReadOperationQuery } from './api.requests.js';
import { ApiAdoptionService } from './api-adoption.service.js';
import { ApiDiffService } from './api-diff.service.js';
import { adoptionSchema, apiDiffSchema, type AdoptionView, type ApiDiffView } from './api-diff.view.js';
import { ApisService } from './apis.service.js';
import { McpAuthorizationService } from './mcp-authorization.service.js';
import {
  AuthorizeMcpServerBody,
  CreateMcpServerBody,
  RefreshMcpServerBody,
  UpdateMcpServerBody,
} from './mcp-server.requests.js';
import {
  authorizationSchema,
  mcpServerPageSchema,
  mcpServerReportSchema,
  mcpServerSchema,
  toMcpServerReportView,
  toMcpServerView,
  toolPageSchema,
  toolSchema,
  toToolHeadView,
  toToolView,
  type McpServerReportView,
  type McpServerView,
  type ToolHeadView,
  type ToolView,
} from './mcp-server.view.js';
import { pageByName } from './page-by-name.js';

/** Editors choose tools for their layers. */
const READERS = [atLeast('editor'), specialist('integration_manager')];
const MANAGERS = specialist('integration_manager');
const TO_READ = scopes('api', 'api:read', 'api:flows');
const TO_CHANGE = scopes('api');
const KIND = 'mcp';

@ApiTags('MCP servers')
@Controller(apiPaths('mcp-servers'))
export class McpServersController {
  constructor(
    private readonly apis: ApisService,
    private readonly diffs: ApiDiffService,
    private readonly adoptions: ApiAdoptionService,
    private readonly authorizations: McpAuthorizationService,
  ) {}

  @Post()
  @HttpCode(202)
  @Requires(MANAGERS, TO_CHANGE)
  @Refuses('unknown_id', 'key_taken', 'too_many_apis')
  @ApiOperation({ summary: 'Add an MCP server; its tools are read in the background' })
  @Answers(202, mcpServerSchema, 'The server, importing: read it until its state is another one.', 'Location')
  async create(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Body() body: CreateMcpServerBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<McpServerView> {
    const server = await this.apis.createServer({ caller, origin }, body);
    reply.header('location', apiPath(`mcp-servers/${server._id}`));
    return toMcpServerView(server);
  }

  @Get()
  @Requires(READERS, TO_READ)
  @ApiOperation({ summary: 'List the MCP servers of the company, newest first' })
  @Answers(200, mcpServerPageSchema, 'A page of servers.')
  async list(@Caller() caller: Principal, @Query() query: PageQuery): Promise<Page<McpServerView>> {
    const page = toPageRequest(query);
    return toPage(page, await this.apis.list(caller, KIND, page), toMcpServerView);
  }

  @Get(':id')
  @Requires(READERS, TO_READ)
  @ApiOperation({ summary: 'Read an MCP server, by its id or its key, with the report of its last refresh' })
  @Answers(200, mcpServerReportSchema, 'The server.')
  async read(@Caller() caller: Principal, @Param('id') id: string): Promise<McpServerReportView> {
    return toMcpServerReportView(await this.apis.read(caller, KIND, id));
  }

  @Patch(':id')
  @Requires(MANAGERS, TO_CHANGE)
  @Refuses('unknown_id', 'key_taken')
  @ApiOperation({ summary: 'Rename an MCP server, or change its key, its link or its era' })
  @Answers(200, mcpServerReportSchema, 'The server as it is now.')
  async update(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('id') id: string,
    @Body() body: UpdateMcpServerBody,
  ): Promise<McpServerReportView> {
    return toMcpServerReportView(await this.apis.update({ caller, origin }, KIND, id, body));
  }

  @Delete(':id')
  @HttpCode(204)
  @Requires(MANAGERS, TO_CHANGE)
  @ApiOperation({ summary: 'Delete an MCP server with its tools; layers that use them fail from now on' })
  @AnswersNothing('Deleted.')
  async remove(@Caller() caller: Principal, @Origin() origin: RequestOrigin, @Param('id') id: string): Promise<void> {
    await this.apis.remove({ caller, origin }, KIND, id);
  }

  @Post(':id/refresh')
  @HttpCode(202)
  @Requires(MANAGERS, TO_CHANGE)
  @Refuses('not_imported', 'unknown_id')
  @ApiOperation({
    summary: 'Read the tools anew, or only compare them; flows stay pinned to what they were saved with',
  })
  @Answers(202, mcpServerReportSchema, 'The server, importing.')
  async refresh(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('id') id: string,
    @Body() { dryRun, url }: RefreshMcpServerBody,
  ): Promise<McpServerReportView> {
    const asked = { ...(dryRun !== undefined && { dryRun }), ...(url !== undefined && { source: { url } }) };
    return toMcpServerReportView(await this.apis.refresh({ caller, origin }, KIND, id, asked));
  }

  @Post(':id/authorize')
  @HttpCode(200)
  @Requires(MANAGERS, TO_CHANGE)
  @Refuses('not_authorizable', 'provider_unavailable')
  @ApiOperation({
    summary: 'Make a link of the authorization server that an MCP server names, and have the server use it',
  })
  @Answers(200, authorizationSchema, 'The link: somebody consents by POST /integrations/connect.')
  async authorize(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('id') id: string,
    @Body() body: AuthorizeMcpServerBody,
  ): Promise<{ integrationId: string }> {
    return { integrationId: await this.authorizations.authorize({ caller, origin }, id, body) };
  }

  @Get(':id/diff')
  @Requires(READERS, TO_READ)
  @ApiOperation({ summary: 'Show what the last refresh found, and which flows, layers and test cases it concerns' })
  @Answers(200, apiDiffSchema, 'The differences; `operation` is the name of a tool.')
  diff(@Caller() caller: Principal, @Param('id') id: string): Promise<ApiDiffView> {
    return this.diffs.diff(caller, KIND, id);
  }

  @Post(':id/adopt')
  @HttpCode(200)
  @Requires(READERS, scopes('api', 'api:flows'))
  @ApiOperation({ summary: 'Have flows call the tools as they are now: new versions, after their test cases ran' })
  @Answers(200, adoptionSchema, 'What became of each flow, in their order.')
  async adopt(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('id') id: string,
    @Body() { flows }: AdoptApiBody,
  ): Promise<{ items: AdoptionView[] }> {
    return { items: await this.adoptions.adopt({ caller, origin }, KIND, id, flows) };
  }

  @Get(':id/tools')
  @Requires(READERS, TO_READ)
  @ApiOperation({ summary: 'List the tools of an MCP server by name' })
  @Answers(200, toolPageSchema, 'A page of tools, without their schemas.')
  listTools(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() query: ListOperationsQuery,
  ): Promise<Page<ToolHeadView>> {
    return pageByName(query, toToolHeadView, (page) => this.apis.listOperations(caller, KIND, id, query, page));
  }

  @Get(':id/tools/:name')
  @Requires(READERS, TO_READ)
  @ApiOperation({ summary: 'Read a tool: the schemas of its arguments and its answers' })
  @Answers(200, toolSchema, 'The tool.')
  async readTool(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Param('name') name: string,
    @Query() { digest }: ReadOperationQuery,
  ): Promise<ToolView> {
    return toToolView(await this.apis.readOperation(caller, KIND, id, name, digest));
  }
}
