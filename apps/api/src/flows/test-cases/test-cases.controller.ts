import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { flow, scopes, type Principal } from '@weft/access';
import type { Page, TestCaseView, TestRunView } from '@weft/contracts';
import type { FastifyReply } from 'fastify';
import { Caller } from '../../auth/caller.js';
import { Requires } from '../../auth/requires.js';
import { apiPath, apiPaths } from '../../http/api-paths.js';
import { PageQuery } from '../../http/paging.js';
import { Refuses } from '../../http/refuses.js';
import { Origin, type RequestOrigin } from '../../http/request-origin.js';
import { Answers, AnswersCreated, AnswersNothing } from '../../http/schema.js';
import { CreateTestCaseBody, UpdateTestCaseBody } from './test-case.requests.js';
import { testCasePageSchema, testCaseSchema, testRunSchema } from './test-case.schemas.js';
import { TestCasesService } from './test-cases.service.js';

@ApiTags('Test cases')
@Controller(apiPaths('flows/:flowId/test-cases'))
export class TestCasesController {
  constructor(private readonly cases: TestCasesService) {}

  @Post()
  @Requires(flow('edit'), scopes('api', 'api:flows'))
  @Refuses('too_many_test_cases', 'unresolved_refs')
  @ApiOperation({ summary: 'Add a test case' })
  @AnswersCreated(testCaseSchema, 'The case.')
  async create(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('flowId') flowId: string,
    @Body() body: CreateTestCaseBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<TestCaseView> {
    const made = await this.cases.create({ caller, origin }, flowId, body);
    reply.header('location', apiPath(`flows/${flowId}/test-cases/${made.id}`));
    return made;
  }

  @Get()
  @Requires(flow('read'), scopes('api', 'api:read', 'api:flows'))
  @ApiOperation({ summary: 'List the test cases of a flow, newest first' })
  @Answers(200, testCasePageSchema, 'A page of cases.')
  list(
    @Caller() caller: Principal,
    @Param('flowId') flowId: string,
    @Query() query: PageQuery,
  ): Promise<Page<TestCaseView>> {
    return this.cases.list(caller, flowId, query);
  }

  @Post('run')
  @HttpCode(200)
  @Requires(flow('edit'), scopes('api', 'api:flows'))
  @Refuses('too_many_dry_runs')
  @ApiOperation({ summary: 'Run all test cases: nothing is stored, nothing is sent' })
  @Answers(200, testRunSchema, 'What each case gave, oldest case first.')
  run(@Caller() caller: Principal, @Param('flowId') flowId: string): Promise<TestRunView> {
    return this.cases.run(caller, flowId);
  }

  @Get(':caseId')
  @Requires(flow('read'), scopes('api', 'api:read', 'api:flows'))
  @ApiOperation({ summary: 'Read a test case' })
  @Answers(200, testCaseSchema, 'The case.')
  read(
    @Caller() caller: Principal,
    @Param('flowId') flowId: string,
    @Param('caseId') caseId: string,
  ): Promise<TestCaseView> {
    return this.cases.read(caller, flowId, caseId);
  }

  @Patch(':caseId')
  @Requires(flow('edit'), scopes('api', 'api:flows'))
  @Refuses('version_conflict', 'unresolved_refs')
  @ApiOperation({ summary: 'Change a test case; fields left out stay as they are, others are replaced as a whole' })
  @Answers(200, testCaseSchema, 'The case as it is now.')
  update(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('flowId') flowId: string,
    @Param('caseId') caseId: string,
    @Body() body: UpdateTestCaseBody,
  ): Promise<TestCaseView> {
    return this.cases.update({ caller, origin }, flowId, caseId, body);
  }

  @Delete(':caseId')
  @HttpCode(204)
  @Requires(flow('edit'), scopes('api', 'api:flows'))
  @ApiOperation({ summary: 'Delete a test case' })
  @AnswersNothing('Deleted.')
  async remove(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('flowId') flowId: string,
    @Param('caseId') caseId: string,
  ): Promise<void> {
    await this.cases.remove({ caller, origin }, flowId, caseId);
  }
}
