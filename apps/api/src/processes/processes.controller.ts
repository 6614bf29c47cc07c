import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { OPERATOR, scopes } from '@weft/access';
import { RunningProcesses } from '@weft/records';
import { Mongo, SystemScope } from '@weft/store';
import { Requires } from '../auth/requires.js';
import { apiPaths } from '../http/api-paths.js';
import { NoQuery } from '../http/query-fields.js';
import { Answers } from '../http/schema.js';
import { processesSchema, toProcessView, type ProcessesView } from './process.view.js';

const ALL = new SystemScope('operators see the processes of the installation');

@ApiTags('Installation')
@Controller(apiPaths('admin/processes'))
export class ProcessesController {
  private readonly running: RunningProcesses;

  constructor(mongo: Mongo) {
    this.running = new RunningProcesses(mongo);
  }

  @Get()
  @Requires(OPERATOR, scopes('admin'))
  @ApiOperation({
    summary: 'List the processes of the installation that are running: where, since when, of which version',
  })
  @Answers(200, processesSchema, 'Up to 1,000, by name, the oldest first.')
  async list(@Query() _query: NoQuery): Promise<ProcessesView> {
    return { processes: (await this.running.list(ALL)).map(toProcessView) };
  }
}
