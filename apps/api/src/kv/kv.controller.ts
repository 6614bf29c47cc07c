import { Body, Controller, Delete, Get, Headers, HttpCode, Param, Put, Query, Res } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiTags } from '@nestjs/swagger';
import { atLeast, scopes, type Principal } from '@weft/access';
import type { Page } from '@weft/contracts';
import { WeftError } from '@weft/kernel';
import type { KvEntry } from '@weft/records';
import type { FastifyReply } from 'fastify';
import { Caller } from '../auth/caller.js';
import { Requires } from '../auth/requires.js';
import { apiPaths } from '../http/api-paths.js';
import { etagOf, IfMatch, parseIfMatch } from '../http/etag.js';
import { toPage, toPageRequest } from '../http/paging.js';
import { Refuses } from '../http/refuses.js';
import { Origin, type RequestOrigin } from '../http/request-origin.js';
import { Answers, AnswersNothing } from '../http/schema.js';
import { KvListQuery, SetKvBody } from './kv.requests.js';
import { KvService, type AllowedEntry } from './kv.service.js';
import { kvPageSchema, kvSchema, toKvView, type KvView } from './kv.view.js';

const IfEntryMatches = IfMatch('The version of the entry that is meant, as in ETag; `*`: any, but there must be one.');

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
  @Answers(200, kvSchema, 'The entry.', 'ETag')
  async read(
    @Caller() caller: Principal,
    @Param('key') key: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<KvView> {
    return show(await this.store.read(caller, key), reply);
  }

  @Put(':key')
  @Requires(atLeast('editor'), scopes('api'))
  @Refuses('value_too_large')
  @ApiOperation({ summary: 'Set an entry, whether it is there or not; or only in the version that If-Match names' })
  @IfEntryMatches
  @ApiHeader({
    name: 'If-None-Match',
    required: false,
    description: '`*`: only if there is no entry with this key.',
    schema: { type: 'string', enum: ['*'] },
  })
  @Answers(200, kvSchema, 'The entry as it is now.', 'ETag')
  async set(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('key') key: string,
    @Headers('if-match') ifMatch: string | undefined,
    @Headers('if-none-match') ifNoneMatch: string | undefined,
    @Body() { value, ttlMs = null }: SetKvBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<KvView> {
    const allowed = allowedBy(ifMatch, ifNoneMatch);
    return show(await this.store.set({ caller, origin }, key, { value, ttlMs }, allowed), reply);
  }

  @Delete(':key')
  @HttpCode(204)
  @Requires(atLeast('editor'), scopes('api'))
  @ApiOperation({ summary: 'Delete an entry; or only in the version that If-Match names' })
  @IfEntryMatches
  @AnswersNothing('Deleted.')
  async remove(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('key') key: string,
    @Headers('if-match') ifMatch: string | undefined,
  ): Promise<void> {
    await this.store.remove({ caller, origin }, key, allowedBy(ifMatch, undefined));
  }
}

function show(entry: KvEntry, reply: FastifyReply): KvView {
  reply.header('etag', etagOf(entry.version));
  return toKvView(entry);
}

function allowedBy(ifMatch: string | undefined, ifNoneMatch: string | undefined): AllowedEntry {
  if (ifNoneMatch === undefined) return ifMatch === undefined ? 'any' : (parseIfMatch(ifMatch) ?? 'some');
  if (ifNoneMatch.trim() === '*' && ifMatch === undefined) return 'none';
  const message = 'If-None-Match takes * alone, and goes with no If-Match';
  throw new WeftError('invalid_body', `${message}.`, {
    errors: [{ path: 'If-None-Match', code: 'invalid', message }],
  });
}
