import { Body, Controller, Delete, Get, HttpCode, Param, Put, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { atLeast, scopes, type Principal } from '@weft/access';
import type { Page } from '@weft/contracts';
import { Caller } from '../auth/caller.js';
import { Requires } from '../auth/requires.js';
import { apiPaths } from '../http/api-paths.js';
import { toPage, toPageRequest } from '../http/paging.js';
import { Refuses } from '../http/refuses.js';
import { Origin, type RequestOrigin } from '../http/request-origin.js';
import { Answers, AnswersNothing } from '../http/schema.js';
import { KvListQuery, SetKvBody } from './kv.requests.js';
import { KvService } from './kv.service.js';
import { kvPageSchema, kvSchema, toKvView, type KvView } from './kv.view.js';

@ApiTags('Key-value store')
@Controller(apiPaths('kv'))
export class KvController {
  constructor(private readonly store: KvService) {}

  @Get()
  @Requires(atLeast('viewer'), scopes('api', 'api:read'))
  @ApiOperation({ summary: 'List the entries of the key-value store of the company, newest first' })
  @Answers(200, kvPageSchema, 'A page of entries.')
  async list(@Caller() caller: Principal, @Query() query: KvListQuery): Promise<Page<KvView>> {
    const page = toPageRequest(query);
    return toPage(page, await this.store.list(caller, query.prefix, page), toKvView);
  }

  @Get(':key')
  @Requires(atLeast('viewer'), scopes('api', 'api:read'))
  @ApiOperation({ summary: 'Read an entry' })
  @Answers(200, kvSchema, 'The entry.')
  async read(@Caller() caller: Principal, @Param('key') key: string): Promise<KvView> {
    return toKvView(await this.store.read(caller, key));
  }

  @Put(':key')
  @Requires(atLeast('editor'), scopes('api'))
  @Refuses('value_too_large')
  @ApiOperation({ summary: 'Set an entry, whether it is there or not' })
  @Answers(200, kvSchema, 'The entry as it is now.')
  async set(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('key') key: string,
    @Body() { value, ttlMs }: SetKvBody,
  ): Promise<KvView> {
    return toKvView(await this.store.set({ caller, origin }, key, value, ttlMs ?? null));
  }

  @Delete(':key')
  @HttpCode(204)
  @Requires(atLeast('editor'), scopes('api'))
  @ApiOperation({ summary: 'Delete an entry' })
  @AnswersNothing('Deleted.')
  async remove(@Caller() caller: Principal, @Origin() origin: RequestOrigin, @Param('key') key: string): Promise<void> {
    await this.store.remove({ caller, origin }, key);
  }
}
