import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { scopes, SIGNED_IN, type Principal } from '@weft/access';
import type { Page } from '@weft/contracts';
import { Caller } from '../auth/caller.js';
import { Requires } from '../auth/requires.js';
import { apiPaths } from '../http/api-paths.js';
import { Answers } from '../http/schema.js';
import { ApprovalInboxService } from './approval-inbox.service.js';
import { ListApprovalsQuery } from './approval.requests.js';
import { inboxPageSchema, type InboxView } from './approval.view.js';

@ApiTags('Plays')
@Controller(apiPaths('approvals'))
export class ApprovalInboxController {
  constructor(private readonly inbox: ApprovalInboxService) {}

  @Get()
  @Requires(SIGNED_IN, scopes('api', 'api:read', 'api:plays'))
  @ApiOperation({ summary: 'List the approvals that plays of the company wait for now, newest play first' })
  @Answers(200, inboxPageSchema, 'A page of open approvals, of flows that the caller may read.')
  list(@Caller() caller: Principal, @Query() query: ListApprovalsQuery): Promise<Page<InboxView>> {
    return this.inbox.list(caller, query);
  }
}
