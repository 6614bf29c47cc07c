import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Principal } from '@weft/access';
import { SETTINGS, type Settings } from '@weft/config';
import { CredentialChecker, isCrossSite, isSafeMethod, Sessions } from '@weft/identity';
import { WeftError, type Clock, CLOCK } from '@weft/kernel';
import { Metrics } from '@weft/observability';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BearerStrategy } from './bearer.strategy.js';
import { LoginRedirect, loginLocation, prefersHtml } from './login-redirect.js';
import { credentialOf, type RequestCredential } from './request-credential.js';
import { policyOf } from './requires.js';
import { SessionCookie } from './session-cookie.js';

/**
 * Authenticates the caller before every handler that is not public. It is on the run path: a credential that was verified in
 * the last second costs one map lookup and no promise.
 */
@Injectable()
export class AuthenticationGuard implements CanActivate {
  private readonly cookie: SessionCookie;
  private readonly publicOrigin: string;

  constructor(
    private readonly checker: CredentialChecker,
    private readonly sessions: Sessions,
    private readonly bearer: BearerStrategy,
    private readonly metrics: Metrics,
    @Inject(SETTINGS) settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.cookie = new SessionCookie(settings.session);
    this.publicOrigin = new URL(settings.server.apiUrl).origin;
  }

  canActivate(context: ExecutionContext): true | Promise<true> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const credential = credentialOf(request.headers);
    if (policyOf(context.getHandler(), context.getClass()) === 'public') {
      if (credential?.kind === 'session') this.assertSameSite(request);
      return true;
    }
    const reply = http.getResponse<FastifyReply>();
    try {
      const admitted = this.admit(request, reply, credential);
      return admitted === true
        ? true
        : admitted.catch((error: unknown) => this.refuse(error, request, reply, credential));
    } catch (error) {
      return this.refuse(error, request, reply, credential);
    }
  }

  private admit(
    request: FastifyRequest,
    reply: FastifyReply,
    credential: RequestCredential | null,
  ): true | Promise<true> {
    switch (credential?.kind) {
      case 'bearer':
        return this.admitBearer(request, reply, credential.token);
      case 'session':
        return this.admitSession(request, reply, credential.sessionId);
      case 'unknown':
        throw new WeftError('unauthenticated', 'Authorization must be "Bearer " and the token of an API key.');
      default:
        throw new WeftError('unauthenticated', 'Sign in, or send the token of an API key as Authorization: Bearer.');
    }
  }

  private admitBearer(request: FastifyRequest, reply: FastifyReply, token: string): true | Promise<true> {
    const known = this.checker.fromCache('api_key', token);
    if (known === undefined)
      return this.bearer.admit(request, reply).then((caller) => this.welcomeKey(request, caller));
    return known instanceof Promise ? known.then((caller) => letIn(request, caller)) : letIn(request, known);
  }

  private welcomeKey(request: FastifyRequest, caller: Principal): true {
    this.metrics.authAttempt('api_key', 'success');
    return letIn(request, caller);
  }

  private admitSession(request: FastifyRequest, reply: FastifyReply, sessionId: string): true | Promise<true> {
    const known = this.checker.bySessionId(sessionId);
    if (known instanceof Promise) return known.then((caller) => this.welcomeSession(request, reply, sessionId, caller));
    return this.welcomeSession(request, reply, sessionId, known);
  }

  private welcomeSession(
    request: FastifyRequest,
    reply: FastifyReply,
    sessionId: string,
    caller: Principal,
  ): true | Promise<true> {
    this.assertSameSite(request);
    const renewal = this.sessions.renewIfDue(sessionId);
    if (renewal === null) return letIn(request, caller);
    return renewal.then((expiresAt) => {
      if (expiresAt) reply.header('set-cookie', this.cookie.set(sessionId, expiresAt, this.clock.now()));
      return letIn(request, caller);
    });
  }

  private assertSameSite(request: FastifyRequest): void {
    if (isSafeMethod(request.method) || !isCrossSite(request.headers, this.publicOrigin)) return;
    this.metrics.authFailure('cross_site');
    throw new WeftError('cross_site', 'A page of another site may not act with your session.');
  }

  private refuse(
    error: unknown,
    request: FastifyRequest,
    reply: FastifyReply,
    credential: RequestCredential | null,
  ): never {
    if (!(error instanceof WeftError) || error.status !== 401) throw error;
    const isToken = credential?.kind === 'bearer' || credential?.kind === 'unknown';
    if (isToken) this.metrics.authAttempt('api_key', 'failure');
    this.metrics.authFailure(error.code);
    if (!isToken && prefersHtml(request.headers.accept)) throw new LoginRedirect(loginLocation(request), error);
    reply.header('www-authenticate', 'Bearer realm="weft"');
    throw error;
  }
}

function letIn(request: FastifyRequest, caller: Principal): true {
  request.caller = caller;
  return true;
}
