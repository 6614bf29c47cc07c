import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { OPERATOR, scopes, type Principal } from '@weft/access';
import type { Page } from '@weft/contracts';
import type { CompanyJobDocument } from '@weft/records';
import type { FastifyReply } from 'fastify';
import { Caller } from '../auth/caller.js';
import { Requires } from '../auth/requires.js';
import { apiPath, apiPaths } from '../http/api-paths.js';
import { PageQuery, toPage, toPageRequest } from '../http/paging.js';
import { Refuses } from '../http/refuses.js';
import { Origin, type RequestOrigin } from '../http/request-origin.js';
import { Answers } from '../http/schema.js';
import { companyJobPageSchema, companyJobSchema, toCompanyJobView, type CompanyJobView } from './company-job.view.js';
import { CompanyJobsService } from './company-jobs.service.js';
import { EraseCompanyBody, ImportCompanyBody } from './company.requests.js';

const ACCEPTED = 'A scheduler does it; `Location` names it.';

@ApiTags('Companies')
@Controller()
export class CompanyJobsController {
  constructor(private readonly jobs: CompanyJobsService) {}

  @Post(apiPaths('companies/import'))
  @Requires(OPERATOR, scopes('admin'))
  @HttpCode(202)
  @Refuses('unknown_id')
  @ApiOperation({ summary: 'Make a company of the file of an export; you administer it' })
  @Answers(202, companyJobSchema, ACCEPTED, 'Location')
  async import(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Body() { name, file }: ImportCompanyBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<CompanyJobView> {
    return accepted(await this.jobs.import({ caller, origin }, name, file), reply);
  }

  @Post(apiPaths('companies/:id/export'))
  @Requires(OPERATOR, scopes('admin'))
  @HttpCode(202)
  @Refuses('company_erasing')
  @ApiOperation({ summary: 'Write all that defines a company to a file, without secrets and plays' })
  @Answers(202, companyJobSchema, ACCEPTED, 'Location')
  async export(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('id') id: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<CompanyJobView> {
    return accepted(await this.jobs.export({ caller, origin }, id), reply);
  }

  @Delete(apiPaths('companies/:id'))
  @Requires(OPERATOR, scopes('admin'))
  @HttpCode(202)
  @Refuses('denied', 'confirm_needed', 'company_erasing')
  @ApiOperation({ summary: 'Stop a company and erase everything it has, for good' })
  @Answers(202, companyJobSchema, ACCEPTED, 'Location')
  async erase(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('id') id: string,
    @Body() { confirm }: EraseCompanyBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<CompanyJobView> {
    return accepted(await this.jobs.erase({ caller, origin }, id, confirm), reply);
  }

  @Get(apiPaths('company-jobs'))
  @Requires(OPERATOR, scopes('api', 'api:read', 'admin'))
  @ApiOperation({
    summary: 'List exports, imports and erasures of companies, newest first; finished ones are kept for 90 days',
  })
  @Answers(200, companyJobPageSchema, 'A page of jobs.')
  async list(@Query() query: PageQuery): Promise<Page<CompanyJobView>> {
    const page = toPageRequest(query);
    return toPage(page, await this.jobs.list(page), toCompanyJobView);
  }

  @Get(apiPaths('company-jobs/:id'))
  @Requires(OPERATOR, scopes('api', 'api:read', 'admin'))
  @ApiOperation({ summary: 'Read how far an export, an import or an erasure of a company is' })
  @Answers(200, companyJobSchema, 'The job.')
  async read(@Param('id') id: string): Promise<CompanyJobView> {
    return toCompanyJobView(await this.jobs.read(id));
  }
}

function accepted(job: CompanyJobDocument, reply: FastifyReply): CompanyJobView {
  reply.header('location', apiPath(`company-jobs/${job._id}`));
  return toCompanyJobView(job);
}
