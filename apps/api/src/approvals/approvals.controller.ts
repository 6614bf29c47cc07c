import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { flow, scopes, SIGNED_IN, type Principal } from '@weft/access';
import type { PlayView } from '@weft/contracts';
import { Caller } from '../auth/caller.js';
import { Requires } from '../auth/requires.js';
import { apiPaths } from '../http/api-paths.js';
import { Refuses } from '../http/refuses.js';
import { Origin, type RequestOrigin } from '../http/request-origin.js';
import { Answers } from '../http/schema.js';
import { playSchema } from '../plays/play.schemas.js';
import { toPlayView } from '../plays/play.view.js';
import { ApprovalDecisions } from './approval-decisions.service.js';
import { ApprovalLinksService } from './approval-links.service.js';
import { DecideBody } from './approval.requests.js';
import { approvalListSchema, type ApprovalView } from './approval.view.js';

@ApiTags('Plays')
@Controller(apiPaths('plays/:id/approvals'))
export class ApprovalsController {
  constructor(
    private readonly decisions: ApprovalDecisions,
    private readonly links: ApprovalLinksService,
  ) {}

  @Get()
  @Requires(flow('read'), scopes('api', 'api:read', 'api:plays', 'flow:execute'))
  @ApiOperation({ summary: 'List the approvals that a play waits for now, with a link to decide each' })
  @Answers(200, approvalListSchema, 'Those that are open; the link for who may decide it.')
  async list(@Caller() caller: Principal, @Param('id') id: string): Promise<{ items: ApprovalView[] }> {
    return { items: await this.links.open(caller, id) };
  }

  @Post(':ref')
  @Requires(SIGNED_IN, scopes('api', 'api:plays'))
  @HttpCode(200)
  @Refuses('denied', 'illegal_move', 'value_too_large')
  @ApiOperation({
    summary: 'Decide an approval that a play waits for',
    description: 'For those that the layer names (users, groups), for editors when it names nobody, and for admins.',
  })
  @Answers(200, playSchema, 'The play as it is now.')
  async decide(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('id') playId: string,
    @Param('ref') ref: string,
    @Body() body: DecideBody,
  ): Promise<PlayView> {
    const at = { playId, ref, step: body.step, origin, byLink: false };
    return toPlayView(await this.decisions.byPerson(caller, at, body));
  }
}
