import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { atLeast, OPERATOR, scopes, type Principal } from '@weft/access';
import type { JobView } from '@weft/contracts';
import { Caller } from '../auth/caller.js';
import { Requires } from '../auth/requires.js';
import { apiPaths } from '../http/api-paths.js';
import { NoQuery } from '../http/query-fields.js';
import { Origin, type RequestOrigin } from '../http/request-origin.js';
import { Answers } from '../http/schema.js';
import { jobSchema, jobsSchema, type JobsView } from './job.view.js';
import { JobsService } from './jobs.service.js';

@ApiTags('Installation')
@Controller(apiPaths('admin/jobs'))
export class JobsController {
  constructor(private readonly jobs: JobsService) {}

  @Get()
  @Requires(atLeast('admin'), scopes('admin'))
  @ApiOperation({ summary: 'List the background jobs: last run, outcome, next run' })
  @Answers(200, jobsSchema, 'All of them.')
  async list(@Query() _query: NoQuery): Promise<JobsView> {
    return { jobs: await this.jobs.list() };
  }

  @Get(':name')
  @Requires(atLeast('admin'), scopes('admin'))
  @ApiOperation({ summary: 'Read a background job' })
  @Answers(200, jobSchema, 'The job.')
  read(@Param('name') name: string): Promise<JobView> {
    return this.jobs.read(name);
  }

  @Post(':name/run')
  @HttpCode(202)
  @Requires(OPERATOR, scopes('admin'))
  @ApiOperation({ summary: 'Run a background job now; one that is running runs once more when it has ended' })
  @Answers(202, jobSchema, 'The job as it is now.')
  run(@Caller() caller: Principal, @Origin() origin: RequestOrigin, @Param('name') name: string): Promise<JobView> {
    return this.jobs.requestRun({ caller, origin }, name);
  }
}
