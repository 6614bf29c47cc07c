import { Body, Controller, Get, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { sessionIdFromCookies } from '@weft/identity';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../auth/requires.js';
import { apiPaths } from '../http/api-paths.js';
import { NoQuery } from '../http/query-fields.js';
import { Refuses } from '../http/refuses.js';
import { Origin, type RequestOrigin } from '../http/request-origin.js';
import { Answers, AnswersText } from '../http/schema.js';
import { ApprovalLinksService } from './approval-links.service.js';
import { ApprovalLinkBody, DecideByLinkBody } from './approval.requests.js';
import { approvalLinkSchema, type ApprovalLinkView } from './approval.view.js';
import { APPROVE_PAGE, APPROVE_PAGE_POLICY } from './approve-page.js';

/** What the links of approvals open. The link is the credential; where it is not enough, the session besides. */
@ApiTags('Approval links')
@Controller()
@Public()
export class ApprovalLinksController {
  constructor(private readonly links: ApprovalLinksService) {}

  @Get('approve')
  @ApiOperation({ summary: 'The page that a link of an approval opens; the same for all, it changes nothing' })
  @AnswersText('text/html', 'A page.')
  page(@Query() _query: NoQuery, @Res() reply: FastifyReply): void {
    void reply
      .header('content-security-policy', APPROVE_PAGE_POLICY)
      .header('referrer-policy', 'no-referrer')
      .header('cache-control', 'no-store')
      .type('text/html; charset=utf-8')
      .send(APPROVE_PAGE);
  }

  @Post(apiPaths('approval-links/read'))
  @HttpCode(200)
  @Refuses('not_found')
  @ApiOperation({ summary: 'Read what the link of an approval is about' })
  @Answers(200, approvalLinkSchema, 'Where the approval stands; what is asked, for who may decide it.')
  read(
    @Origin() origin: RequestOrigin,
    @Req() { headers }: FastifyRequest,
    @Body() { token }: ApprovalLinkBody,
  ): Promise<ApprovalLinkView> {
    return this.links.read(token, { origin, sessionId: sessionIdFromCookies(headers.cookie) });
  }

  @Post(apiPaths('approval-links/decide'))
  @HttpCode(200)
  @Refuses('not_found', 'unauthenticated', 'denied', 'illegal_move', 'value_too_large')
  @ApiOperation({ summary: 'Decide an approval by its link' })
  @Answers(200, approvalLinkSchema, 'Where the approval stands now.')
  decide(
    @Origin() origin: RequestOrigin,
    @Req() { headers }: FastifyRequest,
    @Body() body: DecideByLinkBody,
  ): Promise<ApprovalLinkView> {
    return this.links.decide(body, { origin, sessionId: sessionIdFromCookies(headers.cookie) });
  }
}
