import { Injectable, Logger } from '@nestjs/common';
import type { Principal } from '@weft/access';
import {
  assertHashable,
  companyStopped,
  CredentialChecker,
  networkOf,
  PasswordHasher,
  Sessions,
  SharedLoginThrottle,
  type RequestOrigin,
} from '@weft/identity';
import { WeftError } from '@weft/kernel';
import { Metrics } from '@weft/observability';
import { emailKey, Mongo, recordAudit, SystemScope } from '@weft/store';
import { openMembershipIn, PasswordRepository, SESSIONS, UserRepository, type UserDocument } from '@weft/records';
import { InvalidationBus } from '@weft/realtime-bus';
import type { SignedIn } from './auth.view.js';
import { chooseMembership, OpenedAccounts, type OpenedBySignIn } from './opened-accounts.js';

const SIGN_IN = new SystemScope('a user name names no company');

/**
 * Why a sign-in failed: for the log, the audit entry and the metric. The caller gets the same answer for all of them, except
 * that a password which is right learns that the company is stopped.
 */
type Refusal = 'unknown_user' | 'invalid_password' | 'user_deactivated' | 'company_stopped' | 'no_company';

type Judgement =
  | ({ readonly ok: true; readonly user: UserDocument; readonly companyId: string } & OpenedBySignIn)
  | { readonly ok: false; readonly reason: Refusal; readonly accounts: readonly UserDocument[] };

const BY_PASSWORD = { kind: 'password' } as const;

/** Signing in with a password and signing out. */
@Injectable()
export class SignInService {
  private readonly logger = new Logger('auth');

  constructor(
    private readonly mongo: Mongo,
    private readonly users: UserRepository,
    private readonly hashes: PasswordRepository,
    private readonly opened: OpenedAccounts,
    private readonly sessions: Sessions,
    private readonly checker: CredentialChecker,
    private readonly bus: InvalidationBus,
    private readonly metrics: Metrics,
    private readonly throttle: SharedLoginThrottle,
    private readonly passwords: PasswordHasher,
  ) {}

  /** @throws WeftError `invalid_credentials`, `company_stopped`, `too_many_attempts`, `password_too_long` */
  async signIn(
    account: string,
    password: string,
    origin: RequestOrigin,
  ): Promise<SignedIn & { readonly sessionId: string }> {
    assertHashable(password);
    const attempt = await this.throttle.begin(emailKey(account), networkOf(origin.address)).catch((error: unknown) => {
      this.countFailure('too_many_attempts');
      throw error;
    });
    let failed = false;
    try {
      const judgement = await this.judge(account, password);
      failed = !judgement.ok;
      if (!judgement.ok) throw await this.refusal(judgement, account, origin);
      const { user, companyId, accounts, companies } = judgement;
      const opened = await this.sessions.open(user, companyId, origin, BY_PASSWORD);
      failed = opened === null;
      if (!opened)
        throw await this.refusal({ ok: false, reason: 'invalid_password', accounts: [user] }, account, origin);
      const { sessionId, session } = opened;
      this.metrics.authAttempt('password', 'success');
      const seen = { ...user, last_activity: session.CreatedAt };
      return { user: seen, companyId, accounts, companies, expiresAt: session.ExpiresAt, sessionId };
    } finally {
      attempt.end(failed);
    }
  }

  /** Ends the session if it exists. */
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
    const opened = await this.opened.openedBySession(caller);
    const isActive = opened?.companies.some(({ _id }) => _id === companyId);
    const user = opened?.accounts.find((account) => openMembershipIn(account, companyId));
    if (!opened || !isActive || !user) throw new WeftError('not_found', 'You belong to no such company.');
    if (openMembershipIn(user, companyId)?.role === 'none') {
      throw new WeftError('denied', 'You have no role in this company.');
    }
    const moved = await this.sessions.moveTo(user, companyId, caller, origin);
    if (!moved) throw new WeftError('session_expired', 'The session has ended. Sign in again.');
    this.bus.publish({ kind: 'session', id: caller.credentialId });
    return { ...opened, user, companyId, expiresAt: moved.session.ExpiresAt, sessionId: moved.sessionId };
  }

  /** The caller and the companies that this credential opens. */
  async describe(caller: Principal): Promise<SignedIn> {
    const opened = await this.opened.openedBySession(caller);
    const user = opened?.accounts[0];
    if (!opened || !user) throw new WeftError('unauthenticated', 'The user is no longer in the company.');
    return { ...opened, user, companyId: caller.companyId, expiresAt: caller.expiresAt };
  }

  /** Takes the same time for every address: no account, or several accounts, cost one hash. */
  private async judge(account: string, password: string): Promise<Judgement> {
    const known = await this.users.findByEmail(SIGN_IN, account);
    const matching = await this.passwords.matching(
      password,
      known.map(({ password_hash }) => password_hash),
    );
    const accounts = known.filter(({ password_hash }) => password_hash !== null && matching.has(password_hash));
    if (known.length === 0) return { ok: false, reason: 'unknown_user', accounts };
    if (accounts.length === 0) return { ok: false, reason: 'invalid_password', accounts: known };
    const opened = await this.opened.withCompanies(await this.align(accounts));
    const entered = chooseMembership(opened);
    if (entered) return { ok: true, ...entered, ...opened };
    const places = accounts.flatMap(({ company_roles }) => company_roles);
    const isKeptOut = places.length > 0 && places.every(({ deactivated }) => deactivated);
    if (isKeptOut) return { ok: false, reason: 'user_deactivated', accounts };
    return { ok: false, reason: opened.isStopped ? 'company_stopped' : 'no_company', accounts };
  }

  /** Two first passwords that were chosen at once had no salt to share: their hashes become one. */
  private async align(accounts: readonly UserDocument[]): Promise<UserDocument[]> {
    const shared = accounts[0]?.password_hash ?? null;
    for (const { _id, password_hash } of accounts) {
      if (shared === null || password_hash === null || password_hash === shared) continue;
      await this.hashes.alignHash(SIGN_IN, _id, password_hash, shared);
    }
    return accounts.map((account) => ({ ...account, password_hash: shared }));
  }

  /**
   * Writes the same entry for each company that has an account with the address: a guess is a guess at all of them, and a
   * missing or shorter entry would reveal to a company that there are others.
   */
  private async refusal(
    { reason, accounts }: Extract<Judgement, { ok: false }>,
    account: string,
    origin: RequestOrigin,
  ): Promise<WeftError> {
    this.countFailure(reason);
    const { address, requestId } = origin;
    this.logger.warn({
      ...{ reason, user_id: accounts[0]?._id ?? null, address, request_id: requestId },
      message: 'a sign-in was refused',
    });
    const tried = accounts.length > 0 ? accounts : [null];
    const entries = tried.map((user) => ({
      action_type: 'login_failed' as const,
      collection: SESSIONS,
      company_id: user?.company_roles[0]?.company_id ?? null,
      UserID: user?._id ?? null,
      UserEmail: user?.email ?? account,
      UserIPAddress: address,
      resource_type: 'user',
      resource_id: user?._id ?? null,
      request_id: requestId,
      outcome: 'failure' as const,
      reason,
    }));
    await this.mongo.transaction((session) => recordAudit(session, ...entries));
    if (reason === 'company_stopped') return companyStopped();
    return new WeftError('invalid_credentials', 'The user name or the password is wrong.');
  }

  private countFailure(reason: string): void {
    this.metrics.authAttempt('password', 'failure');
    this.metrics.authFailure(reason);
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
