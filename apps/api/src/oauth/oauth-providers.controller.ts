import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { OPERATOR, scopes, type Principal } from '@weft/access';
import type { Page } from '@weft/contracts';
import type { FastifyReply } from 'fastify';
import { Caller } from '../auth/caller.js';
import { Requires } from '../auth/requires.js';
import { apiPath, apiPaths } from '../http/api-paths.js';
import { PageQuery, toPage, toPageRequest } from '../http/paging.js';
import { Refuses } from '../http/refuses.js';
import { Origin, type RequestOrigin } from '../http/request-origin.js';
import { Answers, AnswersCreated, AnswersNothing } from '../http/schema.js';
import { CreateProviderBody, UpdateProviderBody } from './oauth-provider.requests.js';
import { providerPageSchema, providerSchema, type ProviderView } from './oauth-provider.view.js';
import { OAuthProvidersService } from './oauth-providers.service.js';

@ApiTags('Identity providers')
@Controller(apiPaths('admin/oauth-providers'))
export class OAuthProvidersController {
  constructor(private readonly providers: OAuthProvidersService) {}

  @Post()
  @Requires(OPERATOR, scopes('admin'))
  @Refuses('unknown_id')
  @ApiOperation({ summary: 'Add an identity provider' })
  @AnswersCreated(providerSchema, 'The provider, without its secret.')
  async create(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Body() body: CreateProviderBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ProviderView> {
    const provider = await this.providers.create({ caller, origin }, body);
    reply.header('location', apiPath(`admin/oauth-providers/${provider.id}`));
    return provider;
  }

  @Get()
  @Requires(OPERATOR, scopes('admin'))
  @ApiOperation({ summary: 'List the identity providers, newest first' })
  @Answers(200, providerPageSchema, 'A page of providers, without their secrets.')
  async list(@Query() query: PageQuery): Promise<Page<ProviderView>> {
    const page = toPageRequest(query);
    return toPage(page, await this.providers.list(page), (provider) => provider);
  }

  @Get(':id')
  @Requires(OPERATOR, scopes('admin'))
  @ApiOperation({ summary: 'Read an identity provider' })
  @Answers(200, providerSchema, 'The provider, without its secret.')
  read(@Param('id') id: string): Promise<ProviderView> {
    return this.providers.read(id);
  }

  @Patch(':id')
  @Requires(OPERATOR, scopes('admin'))
  @Refuses('denied', 'unknown_id', 'version_conflict')
  @ApiOperation({ summary: 'Change an identity provider; fields left out stay as they are' })
  @Answers(200, providerSchema, 'The provider as it is now.')
  update(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('id') id: string,
    @Body() body: UpdateProviderBody,
  ): Promise<ProviderView> {
    return this.providers.update({ caller, origin }, id, body);
  }

  @Delete(':id')
  @HttpCode(204)
  @Requires(OPERATOR, scopes('admin'))
  @Refuses('denied')
  @ApiOperation({ summary: 'Remove an identity provider; its users keep their accounts here' })
  @AnswersNothing('Nobody signs in there any more.')
  async remove(@Caller() caller: Principal, @Origin() origin: RequestOrigin, @Param('id') id: string): Promise<void> {
    await this.providers.remove({ caller, origin }, id);
  }
}
