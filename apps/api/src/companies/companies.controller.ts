import { Body, Controller, Get, Param, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { atLeast, OPERATOR, scopes, SIGNED_IN, type Principal } from '@weft/access';
import type { Page } from '@weft/contracts';
import type { FastifyReply } from 'fastify';
import { Caller } from '../auth/caller.js';
import { Requires } from '../auth/requires.js';
import { apiPath, apiPaths } from '../http/api-paths.js';
import { PageQuery, toPage, toPageRequest } from '../http/paging.js';
import { Refuses } from '../http/refuses.js';
import { Origin, type RequestOrigin } from '../http/request-origin.js';
import { Answers, AnswersCreated } from '../http/schema.js';
import { CompaniesService } from './companies.service.js';
import { CreateCompanyBody, UpdateCompanyBody, UsageQuery } from './company.requests.js';
import { usageSchema, type UsageView } from './usage.view.js';
import { companyPageSchema, companySchema, toCompanyView, type CompanyView } from './company.view.js';

@ApiTags('Companies')
@Controller(apiPaths('companies'))
export class CompaniesController {
  constructor(private readonly companies: CompaniesService) {}

  @Post()
  @Requires(OPERATOR, scopes('admin'))
  @ApiOperation({ summary: 'Make a company; its maker is its admin' })
  @AnswersCreated(companySchema, 'The company.')
  async create(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Body() body: CreateCompanyBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<CompanyView> {
    const company = await this.companies.create({ caller, origin }, body.name);
    reply.header('location', apiPath(`companies/${company._id}`));
    return toCompanyView(company);
  }

  @Get()
  @Requires(SIGNED_IN, scopes('api', 'api:read'))
  @ApiOperation({ summary: 'List your companies; an operator sees all' })
  @Answers(200, companyPageSchema, 'A page of companies.')
  async list(@Caller() caller: Principal, @Query() query: PageQuery): Promise<Page<CompanyView>> {
    const page = toPageRequest(query);
    return toPage(page, await this.companies.list(caller, page), toCompanyView);
  }

  @Get(':id')
  @Requires(SIGNED_IN, scopes('api', 'api:read'))
  @ApiOperation({ summary: 'Read a company' })
  @Answers(200, companySchema, 'The company.')
  async read(@Caller() caller: Principal, @Param('id') id: string): Promise<CompanyView> {
    return toCompanyView(await this.companies.read(caller, id));
  }

  @Get(':id/usage')
  @Requires([atLeast('admin'), OPERATOR], scopes('api', 'api:read', 'admin'))
  @ApiOperation({ summary: 'Read what a company did and used, day by day; the days are kept for 400 days' })
  @Answers(200, usageSchema, 'What it used.')
  usage(@Caller() caller: Principal, @Param('id') id: string, @Query() query: UsageQuery): Promise<UsageView> {
    return this.companies.usage(caller, id, query);
  }

  @Patch(':id')
  @Requires([atLeast('admin'), OPERATOR], scopes('admin'))
  @Refuses('denied', 'company_erasing', 'too_many_labels')
  @ApiOperation({
    summary:
      'Rename a company, or (operators) stop and resume everything in it, limit what it starts and stores, and choose its workers',
  })
  @Answers(200, companySchema, 'The company as it is now.')
  async change(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('id') id: string,
    @Body() body: UpdateCompanyBody,
  ): Promise<CompanyView> {
    return toCompanyView(await this.companies.change({ caller, origin }, id, body));
  }
}
