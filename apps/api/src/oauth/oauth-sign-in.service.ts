import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Principal } from '@weft/access';
import {
  AddressThrottle,
  CredentialChecker,
  networkOf,
  OidcFailure,
  ProviderDirectory,
  Sessions,
  type RequestOrigin,
} from '@weft/identity';
import { WeftError, type Clock, CLOCK } from '@weft/kernel';
import { Metrics } from '@weft/observability';
import { Mongo, recordAlone } from '@weft/store';
import { SESSIONS, type OAuthLoginDocument } from '@weft/records';
import { InvalidationBus } from '@weft/realtime-bus';
import { ConnectedIntegrations } from '../integrations/connected-integrations.js';
import { ExternalUsers } from './external-users.js';
import { OAuthRefusal } from './oauth-refusal.js';
import { AuthorizationFlow } from './authorization-flow.js';
import { LinkAuthorization } from './link-authorization.js';

/** In a minute, for one network: each attempt stores a record, calls the provider, and may write an audit entry. */
const MAX_ATTEMPTS = 100;

/** How an authorization flow ended. */
export interface SignInResult {
  /** Where to send the browser: a path on this site. */
  readonly path: string;
  /** The new session; null unless the user signed in. */
  readonly opened: { readonly sessionId: string; readonly expiresAt: Date } | null;
  /** `Set-Cookie` value that clears the flow's cookie; null when no pending login was found. */
  readonly cookie: string | null;
}

/** Signing in at an identity provider: docs/http-api.md §2. */
@Injectable()
export class OAuthSignInService {
  private readonly logger = new Logger('auth');
  private readonly attempts: AddressThrottle;

  constructor(
    private readonly mongo: Mongo,
    private readonly providers: ProviderDirectory,
    private readonly authorizations: AuthorizationFlow,
    private readonly linkAuthorizations: LinkAuthorization,
    private readonly users: ExternalUsers,
    private readonly integrations: ConnectedIntegrations,
    private readonly sessions: Sessions,
    private readonly checker: CredentialChecker,
    private readonly bus: InvalidationBus,
    private readonly metrics: Metrics,
    @Inject(CLOCK) clock: Clock,
  ) {
    this.attempts = new AddressThrottle(clock, MAX_ATTEMPTS);
  }

  /**
   * @param caller the signed-in user who links an account to theirs; null to sign in
   * @returns where to send the browser; without a cookie that is the sign-in page, with an error code
   * @throws WeftError `not_found`, `too_many_attempts`
   */
  async begin(
    providerId: string,
    returnTo: string,
    caller: Principal | null,
    origin: RequestOrigin,
  ): Promise<{ readonly url: string; readonly cookie: string | null }> {
    const provider = await this.providers.find(providerId);
    if (!provider) throw new WeftError('not_found', 'There is no such identity provider.');
    const network = networkOf(origin.address);
    this.attempts.assertOpen(network);
    this.attempts.count(network);
    const purpose = caller === null ? 'sign_in' : 'link';
    try {
      return await this.authorizations.begin({ provider, purpose, returnTo, initiator: caller });
    } catch (error) {
      if (!(error instanceof OidcFailure)) throw error;
      this.reportRefusal(new OAuthRefusal(error.code, error.message, {}, { cause: error }), origin);
      return { url: failurePath(error.code), cookie: null };
    }
  }

  /** @param cookies the request's `Cookie` header */
  async handleCallback(
    query: URLSearchParams,
    cookies: string | undefined,
    origin: RequestOrigin,
  ): Promise<SignInResult> {
    let cookie: string | null = null;
    let login: OAuthLoginDocument | null = null;
    try {
      const redeemed = await this.authorizations.redeemState(query, cookies);
      ({ login, cookie } = redeemed);
      const opened = await this.finish(login, redeemed.state, query, origin);
      return { path: login.return_to, opened, cookie };
    } catch (error) {
      if (!(error instanceof OAuthRefusal)) throw error;
      this.reportRefusal(error, origin);
      if (login) await this.recordRefusal(error, origin);
      // A user who connects or links is signed in: they return to their page, which shows the error.
      const path =
        login && login.purpose !== 'sign_in' ? withError(login.return_to, error.code) : failurePath(error.code);
      return { path, opened: null, cookie };
    }
  }

  /** As with a password: a new sign-in ends the session that the same browser had before. */
  async endReplaced(sessionId: string, origin: RequestOrigin): Promise<void> {
    try {
      const caller = await this.checker.bySessionId(sessionId);
      await this.sessions.end(caller, origin, { action_type: 'session_ended', reason: 'replaced by a new sign-in' });
      this.bus.publish({ kind: 'session', id: caller.credentialId });
    } catch (error) {
      if (!(error instanceof WeftError && error.status === 401)) throw error; // 401: it had ended before
    }
  }

  private async finish(
    login: OAuthLoginDocument,
    state: string,
    query: URLSearchParams,
    origin: RequestOrigin,
  ): Promise<SignInResult['opened']> {
    if (login.purpose === 'connect_link') {
      const consent = await this.linkAuthorizations.exchangeCode(login, query);
      const by = await this.initiatorOf(login);
      await this.integrations.renew(consent, origin, by.userId, by.companyId);
      return null;
    }
    const { provider, account, tokens } = await this.authorizations.exchangeCode(login, state, query);
    const authorized = { provider, account, tokens, origin };
    if (login.purpose === 'sign_in') {
      const { user, companyId } = await this.users.admit(authorized);
      const { issuer, subject } = account;
      const opened = await this.sessions.open(user, companyId, origin, { kind: 'identity', issuer, subject });
      if (!opened)
        throw new OAuthRefusal('denied', 'the account was untied meanwhile', { userId: user._id, companyId });
      const { sessionId, session } = opened;
      this.metrics.authAttempt('oauth', 'success');
      return { sessionId, expiresAt: session.ExpiresAt };
    }
    const { userId, companyId } = await this.initiatorOf(login);
    if (login.purpose === 'link') await this.users.link(authorized, userId, companyId);
    else await this.integrations.store(authorized, userId, companyId);
    return null;
  }

  /** @throws OAuthRefusal `denied` */
  private async initiatorOf({ user_id: userId, company_id: companyId, session_id }: OAuthLoginDocument) {
    if (userId === null || companyId === null || session_id === null) {
      throw new OAuthRefusal('denied', 'nobody set out');
    }
    // Ending a stolen session, or changing the password, also ends the flows that were begun with that session.
    if (await this.sessions.findOf([userId], session_id)) return { userId, companyId };
    throw new OAuthRefusal('denied', 'the session that set out has ended', { userId, companyId });
  }

  private reportRefusal({ code, message, who }: OAuthRefusal, origin: RequestOrigin): void {
    this.metrics.authAttempt('oauth', 'failure');
    this.metrics.authFailure(code);
    this.logger.warn({
      reason: code,
      method: 'oauth',
      detail: message,
      user_id: who.userId ?? null,
      address: origin.address,
      request_id: origin.requestId,
      message: 'a sign-in at an identity provider was refused',
    });
  }

  /** Only for flows that began here: calls of the callback without a valid `state` must not fill the audit log. */
  private async recordRefusal({ code, who }: OAuthRefusal, origin: RequestOrigin): Promise<void> {
    await recordAlone(this.mongo, {
      action_type: 'login_failed',
      collection: SESSIONS,
      company_id: who.companyId ?? null,
      UserID: who.userId ?? null,
      UserEmail: who.email ?? null,
      UserIPAddress: origin.address,
      resource_type: 'user',
      resource_id: who.userId ?? null,
      request_id: origin.requestId,
      outcome: 'failure',
      reason: code,
      changes: { method: { before: null, after: 'oauth' } },
    });
  }
}

function failurePath(code: string): string {
  return `/login?error=${code}`;
}

function withError(path: string, code: string): string {
  const [before = '', fragment] = path.split('#');
  const separator = before.includes('?') ? '&' : '?';
  return `${before}${separator}error=${code}${fragment === undefined ? '' : `#${fragment}`}`;
}
