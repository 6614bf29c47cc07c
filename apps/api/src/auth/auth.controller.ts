import { Body, Controller, Get, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { scopes, SESSION_ONLY, SIGNED_IN, type Principal } from '@weft/access';
import { SETTINGS, type Settings } from '@weft/config';
import type { RequestOrigin } from '@weft/identity';
import { CLOCK, type Clock } from '@weft/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { apiPaths } from '../http/api-paths.js';
import { Refuses } from '../http/refuses.js';
import { Origin } from '../http/request-origin.js';
import { Answers, AnswersNothing } from '../http/schema.js';
import { accountOf, LoginBody, SwitchCompanyBody } from './auth.requests.js';
import { meSchema, signedInSchema, toMeView, toSignedInView, type MeView, type SignedInView } from './auth.view.js';
import { Caller } from './caller.js';
import { credentialOf } from './request-credential.js';
import { Public, Requires } from './requires.js';
import { SessionCookie } from './session-cookie.js';
import { SignInService } from './sign-in.service.js';

@ApiTags('Signing in')
@Controller()
export class AuthController {
  private readonly cookie: SessionCookie;

  constructor(
    private readonly signIn: SignInService,
    @Inject(SETTINGS) settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.cookie = new SessionCookie(settings.session);
  }

  @Post(apiPaths('auth/login'))
  @HttpCode(200)
  @Public()
  @Refuses('invalid_credentials', 'company_stopped', 'too_many_attempts', 'password_too_long')
  @ApiOperation({ summary: 'Sign in with a password; the answer sets the cookie sid' })
  @Answers(200, signedInSchema, 'Who signed in, and where.', 'Set-Cookie')
  async login(
    @Body() body: LoginBody,
    @Origin() origin: RequestOrigin,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SignedInView> {
    const signedIn = await this.signIn.signIn(accountOf(body), body.password, origin);
    const before = credentialOf(request.headers);
    if (before?.kind === 'session') {
      const replaced = { action_type: 'session_ended', reason: 'replaced by a new sign-in' } as const;
      await this.signIn.signOut(before.sessionId, origin, replaced);
    }
    reply.header('set-cookie', this.cookie.set(signedIn.sessionId, signedIn.expiresAt, this.clock.now()));
    return toSignedInView(signedIn);
  }

  @Post(['auth/logout', ...apiPaths('auth/logout')])
  @HttpCode(204)
  @Public()
  @ApiOperation({ summary: 'End the session and clear the cookie' })
  @AnswersNothing('There is no session now.', 'Set-Cookie')
  async logout(
    @Origin() origin: RequestOrigin,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const credential = credentialOf(request.headers);
    if (credential?.kind === 'session') await this.signIn.signOut(credential.sessionId, origin);
    reply.header('set-cookie', this.cookie.clear());
  }

  @Post(apiPaths('auth/switch-company'))
  @HttpCode(200)
  @Requires(SIGNED_IN, SESSION_ONLY)
  @Refuses('not_found', 'denied')
  @ApiOperation({ summary: 'Act in another of your companies; the answer sets a new cookie, the old session ends' })
  @Answers(200, signedInSchema, 'Who is signed in, and where now.', 'Set-Cookie')
  async switchCompany(
    @Caller() caller: Principal,
    @Body() body: SwitchCompanyBody,
    @Origin() origin: RequestOrigin,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SignedInView> {
    const signedIn = await this.signIn.switchCompany(caller, body.company_id, origin);
    reply.header('set-cookie', this.cookie.set(signedIn.sessionId, signedIn.expiresAt, this.clock.now()));
    return toSignedInView(signedIn);
  }

  @Get(apiPaths('auth/me'))
  @Requires(SIGNED_IN, scopes('api', 'api:read', 'api:flows', 'api:plays', 'flow:execute', 'admin'))
  @ApiOperation({ summary: 'Who is calling' })
  @Answers(200, meSchema, 'The user, the company, and what the credential may do.')
  async me(@Caller() caller: Principal): Promise<MeView> {
    return toMeView(await this.signIn.describe(caller), caller);
  }
}
