import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { atLeast, scopes, type Principal } from '@weft/access';
import type { Page } from '@weft/contracts';
import type { RequestOrigin } from '@weft/identity';
import type { FastifyReply } from 'fastify';
import { apiPath, apiPaths } from '../http/api-paths.js';
import { toPage, toPageRequest } from '../http/paging.js';
import { Refuses } from '../http/refuses.js';
import { Origin } from '../http/request-origin.js';
import { Answers, AnswersCreated, AnswersNothing } from '../http/schema.js';
import { CreateApiKeyBody, ListApiKeysQuery } from './api-key.requests.js';
import {
  apiKeyPageSchema,
  apiKeySchema,
  newApiKeySchema,
  toApiKeyView,
  toNewApiKeyView,
  type ApiKeyView,
  type NewApiKeyView,
} from './api-key.view.js';
import { ApiKeysService } from './api-keys.service.js';
import { Caller } from './caller.js';
import { Requires } from './requires.js';

@ApiTags('API keys')
@Controller()
export class ApiKeysController {
  constructor(private readonly keys: ApiKeysService) {}

  @Post([...apiPaths('admin/api-keys'), ...apiPaths('auth/api-keys')])
  @Requires(atLeast('admin'), scopes('admin'))
  @Refuses('not_found', 'unknown_scope', 'unknown_id')
  @ApiOperation({ summary: 'Make an API key; its token is shown this once' })
  @AnswersCreated(newApiKeySchema, 'The key with its token.')
  async create(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Body() body: CreateApiKeyBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<NewApiKeyView> {
    const { key, token } = await this.keys.create({ caller, origin }, body);
    reply.header('location', apiPath(`admin/api-keys/${key._id}`));
    return toNewApiKeyView(key, token);
  }

  @Get(apiPaths('admin/api-keys'))
  @Requires(atLeast('admin'), scopes('admin'))
  @ApiOperation({ summary: 'List the API keys of the company, newest first' })
  @Answers(200, apiKeyPageSchema, 'A page of keys, without their tokens.')
  async list(@Caller() caller: Principal, @Query() query: ListApiKeysQuery): Promise<Page<ApiKeyView>> {
    const page = toPageRequest(query);
    return toPage(page, await this.keys.list(caller, query.user_id, page), toApiKeyView);
  }

  @Get(apiPaths('admin/api-keys/:key_id'))
  @Requires(atLeast('admin'), scopes('admin'))
  @ApiOperation({ summary: 'Read an API key' })
  @Answers(200, apiKeySchema, 'The key, without its token.')
  async read(@Caller() caller: Principal, @Param('key_id') id: string): Promise<ApiKeyView> {
    return toApiKeyView(await this.keys.read(caller, id));
  }

  @Delete(apiPaths('admin/api-keys/:key_id'))
  @HttpCode(204)
  @Requires(atLeast('admin'), scopes('admin'))
  @ApiOperation({ summary: 'Revoke an API key; again is no error' })
  @AnswersNothing('The key is refused from now on.')
  async revoke(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('key_id') id: string,
  ): Promise<void> {
    await this.keys.revoke({ caller, origin }, id);
  }
}
