import { Body, Controller, Delete, Get, Headers, HttpCode, Param, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { atLeast, scopes, SESSION_ONLY, specialist, type Principal } from '@weft/access';
import type { Page } from '@weft/contracts';
import type { IntegrationDocument } from '@weft/records';
import type { FastifyReply } from 'fastify';
import { Caller } from '../auth/caller.js';
import { Requires } from '../auth/requires.js';
import { apiPath, apiPaths } from '../http/api-paths.js';
import { toPage, toPageRequest } from '../http/paging.js';
import { Refuses } from '../http/refuses.js';
import { Origin, type RequestOrigin } from '../http/request-origin.js';
import { Answers, AnswersCreated, AnswersNothing } from '../http/schema.js';
import { IntegrationCheck } from './integration-check.js';
import {
  ConnectBody,
  CreateIntegrationBody,
  ListIntegrationsQuery,
  UpdateIntegrationBody,
} from './integration.requests.js';
import {
  connectSchema,
  integrationPageSchema,
  integrationSchema,
  integrationTestSchema,
  toIntegrationView,
  type IntegrationTestView,
  type IntegrationView,
} from './integration.view.js';
import { IntegrationsService } from './integrations.service.js';
import { doubtsAboutSecrets } from './link-kinds.js';

@ApiTags('Integrations')
@Controller(apiPaths('integrations'))
export class IntegrationsController {
  constructor(
    private readonly integrations: IntegrationsService,
    private readonly checks: IntegrationCheck,
  ) {}

  @Post()
  @Requires(specialist('integration_manager'), scopes('api'))
  @Refuses('key_taken')
  @ApiOperation({ summary: 'Make an integration link from a token' })
  @AnswersCreated(integrationSchema, 'The link, without its tokens.')
  async create(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Body() body: CreateIntegrationBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<IntegrationView> {
    const integration = await this.integrations.create({ caller, origin }, body);
    reply.header('location', apiPath(`integrations/${integration._id}`));
    return { ...toIntegrationView(integration), ...doubtsIn(integration, body) };
  }

  @Post('connect')
  @HttpCode(200)
  @Requires(specialist('integration_manager'), SESSION_ONLY)
  @Refuses('session_required', 'unknown_id', 'provider_unavailable', 'other_address')
  @ApiOperation({ summary: 'Begin to connect an account at an identity provider, in a browser' })
  @Answers(200, connectSchema, 'Where to send the browser; it must keep the cookie of this answer.')
  async connect(
    @Caller() caller: Principal,
    @Headers('origin') page: string | undefined,
    @Body() body: ConnectBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ authorize_url: string }> {
    const { url, cookie } = await this.integrations.connect(caller, body, page);
    reply.header('set-cookie', cookie);
    return { authorize_url: url };
  }

  @Get()
  @Requires(specialist('integration_manager'), scopes('api'))
  @ApiOperation({ summary: 'List the integration links that the caller may see, newest first' })
  @Answers(200, integrationPageSchema, 'A page of links, without their tokens.')
  async list(@Caller() caller: Principal, @Query() query: ListIntegrationsQuery): Promise<Page<IntegrationView>> {
    const page = toPageRequest(query);
    return toPage(page, await this.integrations.list(caller, { key: query.key }, page), toIntegrationView);
  }

  @Get(':id')
  @Requires(specialist('integration_manager'), scopes('api'))
  @ApiOperation({ summary: 'Read an integration link' })
  @Answers(200, integrationSchema, 'The link, without its tokens.')
  async read(@Caller() caller: Principal, @Param('id') id: string): Promise<IntegrationView> {
    return toIntegrationView(await this.integrations.read(caller, id));
  }

  @Patch(':id')
  @Requires(specialist('integration_manager'), scopes('api'))
  @Refuses('key_taken')
  @ApiOperation({ summary: 'Rename an integration link, or give it another token' })
  @Answers(200, integrationSchema, 'The link as it is now.')
  async update(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('id') id: string,
    @Body() body: UpdateIntegrationBody,
  ): Promise<IntegrationView> {
    const integration = await this.integrations.update({ caller, origin }, id, body);
    return { ...toIntegrationView(integration), ...doubtsIn(integration, body) };
  }

  @Delete(':id')
  @HttpCode(204)
  @Requires(atLeast('admin'), scopes('api'))
  @ApiOperation({ summary: 'Delete an integration link; layers that use it fail from now on' })
  @AnswersNothing('Deleted.')
  async remove(@Caller() caller: Principal, @Origin() origin: RequestOrigin, @Param('id') id: string): Promise<void> {
    await this.integrations.remove({ caller, origin }, id);
  }

  @Post(':id/test')
  @HttpCode(200)
  @Requires(specialist('integration_manager'), scopes('api'))
  @ApiOperation({ summary: 'Look whether an integration link works' })
  @Answers(200, integrationTestSchema, 'Whether it does, and what was looked at.')
  async test(@Caller() caller: Principal, @Param('id') id: string): Promise<IntegrationTestView> {
    return this.checks.check(await this.integrations.read(caller, id));
  }
}

function doubtsIn(
  { Kind = 'bearer' }: IntegrationDocument,
  body: UpdateIntegrationBody,
): Pick<IntegrationView, 'Warnings'> {
  const Warnings = doubtsAboutSecrets(Kind, body);
  return Warnings.length > 0 ? { Warnings } : {};
}
