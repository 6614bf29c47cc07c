import { Injectable, Logger } from '@nestjs/common';
import type { Principal } from '@weft/access';
import {
  assertHashable,
  CredentialChecker,
  PasswordHasher,
  Sessions,
  SharedLoginThrottle,
  type RequestOrigin,
} from '@weft/identity';
import { WeftError } from '@weft/kernel';
import { Metrics } from '@weft/observability';
import {
  CompanyRepository,
  emailKey,
  Mongo,
  openPlaceIn,
  recordAudit,
  SESSIONS,
  SystemScope,
  TenantScope,
  UserRepository,
  type CompanyDocument,
  type UserDocument,
} from '@weft/persistence';
import { InvalidationBus } from '@weft/realtime-bus';
import type { SignedIn } from './auth.view.js';

const SIGN_IN = new SystemScope('a user name names no company');

/** Why a sign-in failed: for the log, the audit entry and the metric. The caller hears one answer for all. */
type Refusal = 'unknown_user' | 'invalid_password' | 'user_deactivated' | 'no_company';

type Judgement =
  | {
      readonly ok: true;
      readonly user: UserDocument;
      readonly companyId: string;
      readonly companies: CompanyDocument[];
    }
  | { readonly ok: false; readonly reason: Refusal; readonly user: UserDocument | null };

/** Signing in with a password and signing out. */
@Injectable()
export class SignInService {
  private readonly logger = new Logger('auth');
  private readonly users: UserRepository;
  private readonly companies: CompanyRepository;

  constructor(
    private readonly mongo: Mongo,
    private readonly sessions: Sessions,
    private readonly checker: CredentialChecker,
    private readonly bus: InvalidationBus,
    private readonly metrics: Metrics,
    private readonly throttle: SharedLoginThrottle,
    private readonly passwords: PasswordHasher,
  ) {
    this.users = new UserRepository(mongo);
    this.companies = new CompanyRepository(mongo);
  }

  /** @throws WeftError `invalid_credentials`, `too_many_attempts`, `password_too_long` */
  async signIn(
    account: string,
    password: string,
    origin: RequestOrigin,
  ): Promise<SignedIn & { readonly sessionId: string }> {
    assertHashable(password);
    const attempt = await this.throttle.begin(emailKey(account), origin.address).catch((error: unknown) => {
      this.countFailure('too_many_attempts');
      throw error;
    });
    let failed = false;
    try {
      const judgement = await this.judge(account, password);
      failed = !judgement.ok;
      if (!judgement.ok) throw await this.refusal(judgement, account, origin);
      const { user, companyId, companies } = judgement;
      const { sessionId, session } = await this.sessions.open(user, companyId, origin);
      this.metrics.authAttempt('password', 'success');
      const seen = { ...user, last_activity: session.CreatedAt };
      return { user: seen, companyId, companies, expiresAt: session.ExpiresAt, sessionId };
    } finally {
      attempt.end(failed);
    }
  }

  /** Ends the session, if there is one; nothing happens otherwise. */
  async signOut(
    sessionId: string,
    origin: Omit<RequestOrigin, 'userAgent'>,
    action: Parameters<Sessions['end']>[2] = { action_type: 'logout' },
  ): Promise<void> {
    const caller = await this.whose(sessionId);
    if (!caller) return;
    await this.sessions.end(caller, origin, action);
    this.bus.publish({ kind: 'session', id: caller.credentialId });
  }

  /**
   * Moves the caller to another of their companies, under a new session id; the old one ends.
   *
   * @throws WeftError `not_found` when the caller has no place there, `denied` when the role there is `none`
   */
  async switchCompany(
    caller: Principal,
    companyId: string,
    origin: RequestOrigin,
  ): Promise<SignedIn & { readonly sessionId: string }> {
    const user = await this.users.findMember(new TenantScope(companyId), caller.userId);
    const companies = user ? await this.activeCompanies(user) : [];
    const place = companies.some(({ _id }) => _id === companyId) && user ? openPlaceIn(user, companyId) : undefined;
    if (!user || !place) throw new WeftError('not_found', 'You belong to no such company.');
    if (place.role === 'none') throw new WeftError('denied', 'You have no role in this company.');
    const moved = await this.sessions.moveTo(companyId, caller, origin);
    if (!moved) throw new WeftError('session_expired', 'The session has ended. Sign in again.');
    this.bus.publish({ kind: 'session', id: caller.credentialId });
    return { user, companyId, companies, expiresAt: moved.session.ExpiresAt, sessionId: moved.sessionId };
  }

  /** The caller and the companies that this credential opens. */
  async describe(caller: Principal): Promise<SignedIn> {
    const user = await this.users.findMember(new TenantScope(caller.companyId), caller.userId);
    if (!user) throw new WeftError('unauthenticated', 'The user is no longer in the company.');
    const companies =
      caller.auth === 'session'
        ? await this.activeCompanies(user)
        : [await this.companies.find(new TenantScope(caller.companyId))].filter((company) => company !== null);
    return { user, companyId: caller.companyId, companies, expiresAt: caller.expiresAt };
  }

  /** Costs the same whoever is asked for: a missing hash is compared with nobody's. */
  private async judge(account: string, password: string): Promise<Judgement> {
    const user = await this.users.findByEmail(SIGN_IN, account);
    const matches = await this.passwords.verify(password, user?.password_hash ?? null);
    if (!user) return { ok: false, reason: 'unknown_user', user };
    if (!matches) return { ok: false, reason: 'invalid_password', user };
    const open = user.company_roles.filter(({ company_id }) => openPlaceIn(user, company_id));
    if (open.length === 0 && user.company_roles.length > 0) return { ok: false, reason: 'user_deactivated', user };
    const companies = await this.activeCompanies(user);
    const places = open.filter((place) => companies.some((company) => company._id === place.company_id));
    const place = places.find(({ role }) => role !== 'none') ?? places[0];
    return place
      ? { ok: true, user, companyId: place.company_id, companies }
      : { ok: false, reason: 'no_company', user };
  }

  private async refusal(
    { reason, user }: Extract<Judgement, { ok: false }>,
    account: string,
    origin: RequestOrigin,
  ): Promise<WeftError> {
    this.countFailure(reason);
    this.logger.warn({ reason, user_id: user?._id ?? null, address: origin.address, request_id: origin.requestId });
    await this.mongo.transaction((session) =>
      recordAudit(session, {
        action_type: 'login_failed',
        collection: SESSIONS,
        company_id: user?.company_roles[0]?.company_id ?? null,
        UserID: user?._id ?? null,
        UserEmail: user?.email ?? account,
        UserIPAddress: origin.address,
        resource_type: 'user',
        resource_id: user?._id ?? null,
        request_id: origin.requestId,
        outcome: 'failure',
        reason,
      }),
    );
    return new WeftError('invalid_credentials', 'The user name or the password is wrong.');
  }

  private countFailure(reason: string): void {
    this.metrics.authAttempt('password', 'failure');
    this.metrics.authFailure(reason);
  }

  private async activeCompanies(user: UserDocument): Promise<CompanyDocument[]> {
    const ids = user.company_roles.map(({ company_id }) => company_id).filter((id) => openPlaceIn(user, id));
    const companies = await this.companies.findMany(SIGN_IN, ids);
    return companies.filter(({ active }) => active);
  }

  private async whose(sessionId: string): Promise<Principal | null> {
    try {
      return await this.checker.bySessionId(sessionId);
    } catch (error) {
      if (error instanceof WeftError && error.status === 401) return null;
      throw error;
    }
  }
}
