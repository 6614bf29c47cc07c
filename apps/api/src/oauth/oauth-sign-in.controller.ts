import { Controller, Get, Inject, Param, Query, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Principal } from '@weft/access';
import { SETTINGS, type Settings } from '@weft/config';
import { CredentialChecker, isCrossSite, ProviderDirectory, sessionIdFromCookies } from '@weft/identity';
import { WeftError, type Clock, CLOCK } from '@weft/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../auth/requires.js';
import { SessionCookie } from '../auth/session-cookie.js';
import { apiPaths } from '../http/api-paths.js';
import { NoQuery } from '../http/query-fields.js';
import { Refuses } from '../http/refuses.js';
import { Origin, type RequestOrigin } from '../http/request-origin.js';
import { Answers, AnswersText, SendsElsewhere, listOf, named, object, text } from '../http/schema.js';
import { isCrossSiteNavigation, CONTINUE_PAGE_POLICY, continuePage } from './continue-page.js';
import { BeginSignInQuery } from './oauth-sign-in.requests.js';
import { OAuthSignInService } from './oauth-sign-in.service.js';
import { returnPath } from './return-path.js';

interface ProviderChoice {
  readonly id: string;
  readonly name: string;
  /** Where a sign-in page sends the browser. */
  readonly login_url: string;
}

const choicesSchema = named(
  'ProviderChoices',
  object<{ items: ProviderChoice[] }>({
    items: listOf(object<ProviderChoice>({ id: text, name: text, login_url: text })),
  }),
);

@ApiTags('Signing in')
@Controller()
export class OAuthSignInController {
  private readonly cookie: SessionCookie;
  private readonly publicOrigin: string;

  constructor(
    private readonly signIn: OAuthSignInService,
    private readonly providers: ProviderDirectory,
    private readonly checker: CredentialChecker,
    @Inject(SETTINGS) settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.cookie = new SessionCookie(settings.session);
    this.publicOrigin = new URL(settings.server.apiUrl).origin;
  }

  @Get(apiPaths('auth/providers'))
  @Public()
  @ApiOperation({ summary: 'List the identity providers that can be signed in at' })
  @Answers(200, choicesSchema, 'Their names, and where each sign-in begins.')
  async list(@Query() _query: NoQuery): Promise<{ items: ProviderChoice[] }> {
    const names = await this.providers.names();
    return { items: names.map(({ id, name }) => ({ id, name, login_url: `/auth/login/${id}` })) };
  }

  @Get('auth/login/:provider')
  @Public()
  @Refuses('unauthenticated', 'session_expired', 'cross_site', 'too_many_attempts')
  @ApiOperation({ summary: 'Begin to sign in at an identity provider' })
  @SendsElsewhere('To the provider, with a cookie that the way back needs.', 'Set-Cookie')
  async setOut(
    @Param('provider') provider: string,
    @Query() { returnTo, link = false }: BeginSignInQuery,
    @Origin() origin: RequestOrigin,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const caller = link ? await this.callerAtHome(request) : null;
    const { url, cookie } = await this.signIn.begin(provider, returnPath(returnTo), caller, origin);
    if (cookie) void reply.header('set-cookie', cookie);
    void reply.redirect(url, 302);
  }

  @Get('auth/callback')
  @Public()
  @ApiOperation({ summary: 'Where an identity provider sends the browser back to' })
  @SendsElsewhere('To returnTo with a session, or to /login?error=<code>.', 'Set-Cookie')
  @AnswersText(
    'text/html',
    'The same, for a browser that another site sent: a page that goes on to returnTo.',
    'Set-Cookie',
  )
  async comeBack(
    @Origin() origin: RequestOrigin,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const query = new URL(request.url, this.publicOrigin).searchParams;
    const { path, opened, cookie } = await this.signIn.handleCallback(query, request.headers.cookie, origin);
    const before = sessionIdFromCookies(request.headers.cookie);
    if (opened && before !== undefined) await this.signIn.endReplaced(before, origin);
    const cookies = [
      ...(opened ? [this.cookie.set(opened.sessionId, opened.expiresAt, this.clock.now())] : []),
      ...(cookie ? [cookie] : []),
    ];
    if (cookies.length > 0) void reply.header('set-cookie', cookies);
    // The URL contains the code: no referrer is sent to the next page.
    void reply.header('referrer-policy', 'no-referrer').header('cache-control', 'no-store');
    if (isCrossSiteNavigation(request.headers['sec-fetch-site'])) {
      void reply
        .header('content-security-policy', CONTINUE_PAGE_POLICY)
        .type('text/html; charset=utf-8')
        .send(continuePage(path));
    } else {
      void reply.redirect(path, 302);
    }
  }

  /** The user who links an account. Requests from other sites are refused: no other site may link an account to a user's. */
  private async callerAtHome({ headers }: FastifyRequest): Promise<Principal> {
    const sessionId = sessionIdFromCookies(headers.cookie);
    if (sessionId === undefined) throw new WeftError('unauthenticated', 'Sign in first, then tie an account to yours.');
    if (isCrossSite(headers, this.publicOrigin)) {
      throw new WeftError('cross_site', 'A page of another site may not act with your session.');
    }
    return this.checker.bySessionId(sessionId);
  }
}
