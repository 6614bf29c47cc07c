import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { atLeast, scopes, type Principal } from '@weft/access';
import { Caller } from '../auth/caller.js';
import { Requires } from '../auth/requires.js';
import { apiPaths } from '../http/api-paths.js';
import { NoQuery } from '../http/query-fields.js';
import { Answers } from '../http/schema.js';
import { QueueAdminService } from './queue-admin.service.js';
import { queueSchema, type QueueView } from './queue.view.js';

@ApiTags('Installation')
@Controller(apiPaths('admin/queue'))
export class QueueAdminController {
  constructor(private readonly queue: QueueAdminService) {}

  @Get()
  @Requires(atLeast('admin'), scopes('admin'))
  @ApiOperation({ summary: 'Read the queue and its workers: of the own company, for operators of all' })
  @Answers(200, queueSchema, 'As they are now.')
  read(@Caller() caller: Principal, @Query() _query: NoQuery): Promise<QueueView> {
    return this.queue.read(caller);
  }
}
