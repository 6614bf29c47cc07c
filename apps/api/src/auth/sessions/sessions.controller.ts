import { Controller, Delete, Get, HttpCode, Inject, Param, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { SESSION_ONLY, SIGNED_IN, type Principal } from '@weft/access';
import { SETTINGS, type Settings } from '@weft/config';
import type { Page } from '@weft/contracts';
import { Sessions } from '@weft/identity';
import { WeftError } from '@weft/kernel';
import type { SessionDocument } from '@weft/records';
import { InvalidationBus } from '@weft/realtime-bus';
import type { FastifyReply } from 'fastify';
import { Caller } from '../caller.js';
import { OpenedAccounts } from '../opened-accounts.js';
import { Requires } from '../requires.js';
import { SessionCookie } from '../session-cookie.js';
import { apiPaths } from '../../http/api-paths.js';
import { PageQuery, toPage, toPageRequest } from '../../http/paging.js';
import { Origin, type RequestOrigin } from '../../http/request-origin.js';
import { Answers, AnswersNothing } from '../../http/schema.js';
import { sessionPageSchema, sessionSchema, toSessionView, type SessionView } from './session.view.js';

/** The sessions of all accounts that the caller's sign-in opens, in whichever of their companies each acts. */
@ApiTags('Signing in')
@Controller(apiPaths('auth/sessions'))
export class SessionsController {
  private readonly cookie: SessionCookie;

  constructor(
    private readonly sessions: Sessions,
    private readonly opened: OpenedAccounts,
    private readonly bus: InvalidationBus,
    @Inject(SETTINGS) settings: Settings,
  ) {
    this.cookie = new SessionCookie(settings.session);
  }

  @Get()
  @Requires(SIGNED_IN, SESSION_ONLY)
  @ApiOperation({ summary: 'List your sessions, newest first' })
  @Answers(200, sessionPageSchema, 'A page of sessions.')
  async list(@Caller() caller: Principal, @Query() query: PageQuery): Promise<Page<SessionView>> {
    const page = toPageRequest(query);
    const found = await this.sessions.listOf(await this.accountsOf(caller), page);
    return toPage(page, found, (session) => toSessionView(session, caller.credentialId));
  }

  @Get(':id')
  @Requires(SIGNED_IN, SESSION_ONLY)
  @ApiOperation({ summary: 'Read one of your sessions' })
  @Answers(200, sessionSchema, 'The session.')
  async read(@Caller() caller: Principal, @Param('id') id: string): Promise<SessionView> {
    return toSessionView(await this.own(caller, id), caller.credentialId);
  }

  @Delete()
  @HttpCode(204)
  @Requires(SIGNED_IN, SESSION_ONLY)
  @ApiOperation({ summary: 'End all your sessions, this one too' })
  @AnswersNothing('You are signed out everywhere.')
  async endAll(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const accounts = await this.accountsOf(caller);
    if ((await this.sessions.endAllOf(caller, accounts, origin)) === 0) throw noSuchSession();
    for (const id of accounts) this.bus.publish({ kind: 'user', id });
    reply.header('set-cookie', this.cookie.clear());
  }

  @Delete(':id')
  @HttpCode(204)
  @Requires(SIGNED_IN, SESSION_ONLY)
  @ApiOperation({ summary: 'End one of your sessions' })
  @AnswersNothing('The session has ended.')
  async end(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Origin() origin: RequestOrigin,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const session = await this.own(caller, id);
    if (!(await this.sessions.endOf(caller, session, origin))) throw noSuchSession();
    this.bus.publish({ kind: 'session', id });
    if (id === caller.credentialId) reply.header('set-cookie', this.cookie.clear());
  }

  private async own(caller: Principal, id: string): Promise<SessionDocument> {
    const session = await this.sessions.findOf(await this.accountsOf(caller), id);
    if (!session) throw noSuchSession();
    return session;
  }

  private async accountsOf(caller: Principal): Promise<readonly string[]> {
    const opened = await this.opened.openedBySession(caller);
    return opened?.accounts.map(({ _id }) => _id) ?? [caller.userId];
  }
}

function noSuchSession(): WeftError {
  return new WeftError('not_found', 'You have no such session.');
}
