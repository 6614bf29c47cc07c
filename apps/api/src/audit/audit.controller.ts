import { Controller, Get, Inject, Query, Req, Res, StreamableFile } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { atLeast, scopes, specialist, type Principal } from '@weft/access';
import type { Page } from '@weft/contracts';
import { CLOCK, type Clock } from '@weft/kernel';
import type { AuditVerdict } from '@weft/store';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Caller } from '../auth/caller.js';
import { Requires } from '../auth/requires.js';
import { apiPaths } from '../http/api-paths.js';
import { toPage, toPageRequest } from '../http/paging.js';
import { headers } from '../http/openapi/headers.js';
import { Refuses } from '../http/refuses.js';
import { Origin, type RequestOrigin } from '../http/request-origin.js';
import { Answers, flag, integer, object, text, textOrNull } from '../http/schema.js';
import { auditEntriesSchema, auditEntryPageSchema, toAuditEntryView, type AuditEntryView } from './audit-entry.view.js';
import { ExportAuditQuery, ListAuditQuery, VerifyAuditQuery } from './audit.requests.js';
import { AuditService } from './audit.service.js';
import { EXPORT_TYPES } from './write-entries.js';

const DEFAULT_LIMIT = 100;

const verdictSchema = object<AuditVerdict>({
  ok: flag,
  checked: integer,
  first_bad: {
    ...textOrNull,
    description: 'The entry that was changed, added or is missing; `seal:<n>` or `chain` when it is not an entry.',
  },
});

@ApiTags('Audit')
@Controller(apiPaths('audit'))
export class AuditController {
  constructor(
    private readonly audit: AuditService,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get()
  @Requires(specialist('audit_viewer'), scopes('api', 'api:read'))
  @Refuses('operator_required')
  @ApiOperation({ summary: 'List who changed what in the company, newest first' })
  @Answers(200, auditEntryPageSchema, 'A page of audit entries.')
  async list(@Caller() caller: Principal, @Query() query: ListAuditQuery): Promise<Page<AuditEntryView>> {
    const { limit = DEFAULT_LIMIT, cursor, installation, ...filter } = query;
    const page = toPageRequest({ size: limit, ...(cursor !== undefined && { cursor }) });
    const entries = await this.audit.list(this.audit.logFor(caller, installation), filter, page);
    return toPage(page, entries, (entry) => toAuditEntryView(entry, this.clock.now()));
  }

  @Get('export')
  @Requires(specialist('audit_viewer'), scopes('api', 'api:read'))
  @Refuses('operator_required')
  @ApiOperation({ summary: 'Export audit entries, newest first, as a file of any length' })
  @ApiResponse({
    status: 200,
    description: 'The entries up to now, streamed. The export stands in the log itself.',
    content: {
      'text/csv': { schema: text },
      'application/json': { schema: auditEntriesSchema },
      'application/x-ndjson': { schema: text },
    },
    headers: headers('X-Request-Id', 'Content-Disposition'),
  })
  async export(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Query() query: ExportAuditQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile | undefined> {
    const { format = 'csv', installation, ...filter } = query;
    const log = this.audit.logFor(caller, installation);
    const day = new Date(this.clock.now()).toISOString().slice(0, 10);
    reply.header('content-disposition', `attachment; filename="audit-${day}.${format}"`);
    reply.header('content-type', EXPORT_TYPES[format]);
    // of a HEAD nothing is sent, so nothing is exported
    if (request.method === 'HEAD') return undefined;
    return new StreamableFile(await this.audit.export({ caller, origin }, log, filter, format), {
      type: EXPORT_TYPES[format],
    });
  }

  @Get('verify')
  @Requires(atLeast('admin'), scopes('api', 'api:read'))
  @Refuses('operator_required')
  @ApiOperation({ summary: 'Compare the whole log of the company with its seals' })
  @Answers(200, verdictSchema, 'Whether all entries are there as they were written.')
  async verify(@Caller() caller: Principal, @Query() { installation }: VerifyAuditQuery): Promise<AuditVerdict> {
    return this.audit.verify(caller, this.audit.logFor(caller, installation));
  }
}
