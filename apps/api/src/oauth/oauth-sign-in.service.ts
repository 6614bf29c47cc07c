import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Principal } from '@weft/access';
import { CLOCK } from '@weft/host';
import {
  AddressThrottle,
  CredentialChecker,
  networkOf,
  OidcFailure,
  ProviderDirectory,
  Sessions,
  type RequestOrigin,
} from '@weft/identity';
import { WeftError, type Clock } from '@weft/kernel';
import { Metrics } from '@weft/observability';
import { Mongo, recordAudit, SESSIONS, type OAuthLoginDocument } from '@weft/persistence';
import { InvalidationBus } from '@weft/realtime-bus';
import { ConnectedIntegrations } from '../integrations/connected-integrations.js';
import { ExternalUsers } from './external-users.js';
import { OAuthRefusal } from './oauth-refusal.js';
import { OAuthWays } from './oauth-ways.js';

/** A minute and address: each way that is begun is a record, asks the provider, and may end in an audit entry. */
const MAX_BEGUN = 100;

/** How a way to a provider and back ended. */
export interface HomeComing {
  /** Path on this site. */
  readonly to: string;
  /** The session of who signed in; null for who had one all along. */
  readonly opened: { readonly sessionId: string; readonly expiresAt: Date } | null;
  /** `Set-Cookie` value that ends the way; null where no way was found. */
  readonly cookie: string | null;
}

/** Signing in at an identity provider: specification §5.3. */
@Injectable()
export class OAuthSignInService {
  private readonly logger = new Logger('auth');
  private readonly begun: AddressThrottle;

  constructor(
    private readonly mongo: Mongo,
    private readonly providers: ProviderDirectory,
    private readonly ways: OAuthWays,
    private readonly users: ExternalUsers,
    private readonly integrations: ConnectedIntegrations,
    private readonly sessions: Sessions,
    private readonly checker: CredentialChecker,
    private readonly bus: InvalidationBus,
    private readonly metrics: Metrics,
    @Inject(CLOCK) clock: Clock,
  ) {
    this.begun = new AddressThrottle(clock, MAX_BEGUN);
  }

  /**
   * @param caller the signed-in user who ties an account to theirs; null to sign in
   * @returns where to send the browser; without a cookie that is the sign-in page, with what went wrong
   * @throws WeftError `not_found`, `too_many_attempts`
   */
  async setOut(
    providerId: string,
    returnTo: string,
    caller: Principal | null,
    origin: RequestOrigin,
  ): Promise<{ readonly url: string; readonly cookie: string | null }> {
    const provider = await this.providers.find(providerId);
    if (!provider) throw new WeftError('not_found', 'There is no such identity provider.');
    const network = networkOf(origin.address);
    this.begun.assertOpen(network);
    this.begun.count(network);
    const purpose = caller === null ? 'sign_in' : 'link';
    try {
      return await this.ways.setOut({ provider, purpose, returnTo, traveller: caller });
    } catch (error) {
      if (!(error instanceof OidcFailure)) throw error;
      this.tellRefusal(new OAuthRefusal(error.code, error.message, {}, { cause: error }), origin);
      return { url: failurePath(error.code), cookie: null };
    }
  }

  /** @param cookies the request's `Cookie` header */
  async comeBack(query: URLSearchParams, cookies: string | undefined, origin: RequestOrigin): Promise<HomeComing> {
    let cookie: string | null = null;
    let way: OAuthLoginDocument | null = null;
    try {
      const ended = await this.ways.end(query, cookies);
      ({ way, cookie } = ended);
      const opened = await this.finish(way, ended.state, query, origin);
      return { to: way.return_to, opened, cookie };
    } catch (error) {
      if (!(error instanceof OAuthRefusal)) throw error;
      this.tellRefusal(error, origin);
      if (way) await this.recordRefusal(error, origin);
      // Who only connects or links is signed in: they go back to where they were, and hear why there.
      const to = way && way.purpose !== 'sign_in' ? withError(way.return_to, error.code) : failurePath(error.code);
      return { to, opened: null, cookie };
    }
  }

  /** As with a password: who signs in anew leaves no session behind in the same browser. */
  async endReplaced(sessionId: string, origin: RequestOrigin): Promise<void> {
    try {
      const caller = await this.checker.bySessionId(sessionId);
      await this.sessions.end(caller, origin, { action_type: 'session_ended', reason: 'replaced by a new sign-in' });
      this.bus.publish({ kind: 'session', id: caller.credentialId });
    } catch (error) {
      if (!(error instanceof WeftError && error.status === 401)) throw error; // it had ended before
    }
  }

  private async finish(
    way: OAuthLoginDocument,
    state: string,
    query: URLSearchParams,
    origin: RequestOrigin,
  ): Promise<HomeComing['opened']> {
    const { provider, account, tokens } = await this.ways.arrive(way, state, query);
    const visitor = { provider, account, tokens, origin };
    const { user_id, company_id, session_id } = way;
    if (way.purpose === 'sign_in') {
      const { user, companyId } = await this.users.admit(visitor);
      const { issuer, subject } = account;
      const opened = await this.sessions.open(user, companyId, origin, { kind: 'identity', issuer, subject });
      if (!opened)
        throw new OAuthRefusal('denied', 'the account was untied meanwhile', { userId: user._id, companyId });
      const { sessionId, session } = opened;
      this.metrics.authAttempt('oauth', 'success');
      return { sessionId, expiresAt: session.ExpiresAt };
    }
    if (user_id === null || company_id === null || session_id === null) {
      throw new OAuthRefusal('denied', 'nobody set out');
    }
    // Who ends a stolen session, or is given another password, also ends what was begun with it.
    if (!(await this.sessions.findOf([user_id], session_id))) {
      throw new OAuthRefusal('denied', 'the session that set out has ended', {
        userId: user_id,
        companyId: company_id,
      });
    }
    if (way.purpose === 'link') await this.users.link(visitor, user_id, company_id);
    else await this.integrations.keep(visitor, user_id, company_id);
    return null;
  }

  private tellRefusal({ code, message, who }: OAuthRefusal, origin: RequestOrigin): void {
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

  /** Of ways that a browser of ours set out on: whoever only calls the callback must not be able to fill the audit log. */
  private async recordRefusal({ code, who }: OAuthRefusal, origin: RequestOrigin): Promise<void> {
    await this.mongo.transaction((session) =>
      recordAudit(session, {
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
      }),
    );
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
