import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { atLeast, scopes, type Principal } from '@weft/access';
import type { FastifyReply } from 'fastify';
import { Caller } from '../auth/caller.js';
import { Requires } from '../auth/requires.js';
import { apiPath, apiPaths } from '../http/api-paths.js';
import { NoQuery } from '../http/query-fields.js';
import { Refuses } from '../http/refuses.js';
import { Origin, type RequestOrigin } from '../http/request-origin.js';
import { Answers, AnswersCreated, AnswersNothing } from '../http/schema.js';
import { RetentionPoliciesService } from './retention-policies.service.js';
import {
  CreatePolicyBody,
  ListPoliciesQuery,
  PreviewPolicyBody,
  UpdatePolicyBody,
} from './retention-policy.requests.js';
import {
  policiesSchema,
  policySchema,
  retentionPreviewSchema,
  retentionStatsSchema,
  type RetentionPoliciesView,
  type RetentionPolicyView,
  type RetentionPreviewView,
  type RetentionStatsView,
} from './retention-policy.view.js';
import { RetentionReportsService } from './retention-reports.service.js';

@ApiTags('Retention')
@Controller(apiPaths('admin/retention-policies'))
export class RetentionPoliciesController {
  constructor(
    private readonly policies: RetentionPoliciesService,
    private readonly reports: RetentionReportsService,
  ) {}

  @Post()
  @Requires(atLeast('admin'), scopes('api', 'admin'))
  @Refuses('invalid_policy', 'unknown_id')
  @ApiOperation({ summary: 'Make a retention policy: general, for one flow, or for a flow group' })
  @AnswersCreated(policySchema, 'The policy; `effective` says what holds where a value is under a floor.')
  async create(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Body() body: CreatePolicyBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RetentionPolicyView> {
    const policy = await this.policies.create({ caller, origin }, body);
    reply.header('location', apiPath(`admin/retention-policies/${policy.id}`));
    return policy;
  }

  @Get()
  @Requires(atLeast('admin'), scopes('api', 'admin'))
  @Refuses('not_found')
  @ApiOperation({ summary: 'List the retention policies, newest first' })
  @Answers(200, policiesSchema, 'All policies of the company.')
  async list(@Caller() caller: Principal, @Query() query: ListPoliciesQuery): Promise<RetentionPoliciesView> {
    return { policies: await this.policies.list(caller, query.company_id) };
  }

  @Get('stats')
  @Requires(atLeast('admin'), scopes('api', 'admin'))
  @ApiOperation({ summary: 'Tell what the last cleanup did in the company' })
  @Answers(200, retentionStatsSchema, 'Of the last cleanup, and when the next one is.')
  stats(@Caller() caller: Principal, @Query() _query: NoQuery): Promise<RetentionStatsView> {
    return this.reports.stats(caller);
  }

  @Get('preview')
  @Requires(atLeast('admin'), scopes('api', 'admin'))
  @ApiOperation({ summary: 'Count what the next cleanup would delete' })
  @Answers(200, retentionPreviewSchema, 'One item for each rule.')
  preview(@Caller() caller: Principal, @Query() _query: NoQuery): Promise<RetentionPreviewView> {
    return this.reports.preview(caller);
  }

  @Post('preview')
  @HttpCode(200)
  @Requires(atLeast('admin'), scopes('api', 'admin'))
  @Refuses('invalid_policy', 'unknown_id')
  @ApiOperation({ summary: 'Count what the next cleanup would delete if this policy were stored; nothing is stored' })
  @Answers(200, retentionPreviewSchema, 'One item for each rule; the `policy_id` of a further policy is `new`.')
  async previewOf(@Caller() caller: Principal, @Body() body: PreviewPolicyBody): Promise<RetentionPreviewView> {
    return this.reports.preview(caller, await this.policies.drafted(caller, body));
  }

  @Get(':id')
  @Requires(atLeast('admin'), scopes('api', 'admin'))
  @ApiOperation({ summary: 'Read a retention policy' })
  @Answers(200, policySchema, 'The policy.')
  read(@Caller() caller: Principal, @Param('id') id: string): Promise<RetentionPolicyView> {
    return this.policies.read(caller, id);
  }

  @Patch(':id')
  @Requires(atLeast('admin'), scopes('api', 'admin'))
  @Refuses('invalid_policy', 'unknown_id', 'version_conflict')
  @ApiOperation({ summary: 'Change a retention policy' })
  @Answers(200, policySchema, 'The policy as it is now.')
  update(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('id') id: string,
    @Body() body: UpdatePolicyBody,
  ): Promise<RetentionPolicyView> {
    return this.policies.update({ caller, origin }, id, body);
  }

  @Delete(':id')
  @HttpCode(204)
  @Requires(atLeast('admin'), scopes('api', 'admin'))
  @ApiOperation({ summary: 'Delete a retention policy: less specific ones or the default hold again' })
  @AnswersNothing('Deleted.')
  remove(@Caller() caller: Principal, @Origin() origin: RequestOrigin, @Param('id') id: string): Promise<void> {
    return this.policies.remove({ caller, origin }, id);
  }
}
