import type { Principal } from '@weft/access';
import type { Clock, NewId } from '@weft/kernel';
import { SystemScope, TenantScope, type PageOf, type PageRequest } from '@weft/store';
import { SessionRepository, SESSIONS, type SessionDocument, type SignInProof, type UserDocument } from '@weft/records';
import type { CredentialChecker } from './credential-checker.js';
import { hashSessionId, newSessionId } from './session-id.js';
import { expiryAt, renewalAt, type SessionRules } from './session-lifetime.js';

/** The origin of a request, for the session record and the audit entry. */
export interface RequestOrigin {
  readonly address: string;
  readonly userAgent: string;
  readonly requestId: string;
}

const MAX_USER_AGENT = 512;

const OWN = new SystemScope("a user's own sessions, in whichever companies they act");

const ENDED_BY_USER = { action_type: 'session_ended', reason: 'ended by its user' } as const;

/** A new session, with the id that only its cookie contains. */
export interface OpenedSession {
  readonly sessionId: string;
  readonly session: SessionDocument;
}

/** Opens sessions at sign-in, renews them when they are used, and ends them at logout. */
export class Sessions {
  private readonly renewing = new Set<string>();

  constructor(
    private readonly records: SessionRepository,
    private readonly checker: CredentialChecker,
    /** Called each time, because the TTL may change while the process runs. */
    private readonly rules: () => SessionRules,
    private readonly clock: Clock,
    private readonly newId: NewId,
  ) {}

  /**
   * Stores a new session with its audit entry. Only the hash of the id is stored.
   *
   * @param user as it was read when the proof was checked
   * @returns null when the proof is no longer valid, or the user was deactivated in the company meanwhile
   */
  async open(
    user: UserDocument,
    companyId: string,
    origin: RequestOrigin,
    proof: SignInProof,
  ): Promise<OpenedSession | null> {
    const opened = this.make(user._id, companyId, origin, { createdAtMs: this.clock.now(), proof });
    const { session } = opened;
    const isOpen = await this.records.insert(new TenantScope(companyId), user, session, {
      action_type: 'login_succeeded',
      ...entryOf(session, user.email, origin),
      changes: { method: { before: null, after: proof.kind === 'password' ? 'password' : 'oauth' } },
    });
    return isOpen ? opened : null;
  }

  /**
   * Ends the caller's session and opens one in another company, under a new id. The absolute maximum still counts from the
   * original sign-in.
   *
   * @param user the caller's account, or another one that the sign-in opened
   * @returns null when the caller's session had ended before, or no longer opens that account
   */
  async moveTo(
    user: Pick<UserDocument, '_id' | 'email' | 'password_hash'>,
    companyId: string,
    caller: Principal,
    origin: RequestOrigin,
  ): Promise<OpenedSession | null> {
    const from = new TenantScope(caller.companyId);
    const before = await this.records.find(from, caller.credentialId);
    if (!before) return null;
    const opened = this.make(user._id, companyId, origin, {
      createdAtMs: before.CreatedAt.getTime(),
      proof: before.Proof ?? null,
    });
    const left = { action_type: 'session_ended', reason: 'switched to another company' } as const;
    const moved = await this.records.replace(from, before._id, user, opened.session, [
      { ...left, ...entryOf(before, caller.email, origin) },
      { action_type: 'company_switched', ...entryOf(opened.session, user.email, origin) },
    ]);
    return moved ? opened : null;
  }

  /** How the user of a session signed in; null when the session has ended, or was stored by a version that did not record it. */
  async proofOf({ companyId, credentialId }: Principal): Promise<SignInProof | null> {
    return (await this.records.find(new TenantScope(companyId), credentialId))?.Proof ?? null;
  }

  /** The open sessions of a person's accounts, newest first. */
  listOf(userIds: readonly string[], page: PageRequest): Promise<PageOf<SessionDocument>> {
    return this.records.listOf(OWN, userIds, new Date(this.clock.now()), page);
  }

  /** Null when none of the accounts has an open session with this id. */
  findOf(userIds: readonly string[], id: string): Promise<SessionDocument | null> {
    return this.records.findOf(OWN, userIds, id, new Date(this.clock.now()));
  }

  /** Ends one of the caller's sessions; false when it had ended before. */
  endOf(caller: Principal, session: SessionDocument, origin: Omit<RequestOrigin, 'userAgent'>): Promise<boolean> {
    return this.records.end(new TenantScope(session.CompanyID), session._id, {
      ...ENDED_BY_USER,
      ...entryOf(session, caller.email, origin),
    });
  }

  /** Ends all sessions of the caller's accounts, including the caller's current one. */
  endAllOf(caller: Principal, userIds: readonly string[], origin: Omit<RequestOrigin, 'userAgent'>): Promise<number> {
    return this.records.endAllOf(OWN, userIds, new Date(this.clock.now()), (session) => ({
      ...ENDED_BY_USER,
      ...entryOf(session, caller.email, origin),
    }));
  }

  /**
   * Extends the expiry of a session that was just verified.
   *
   * @returns null without a promise when no renewal is due; otherwise the new expiry, or null when the session has ended
   */
  renewIfDue(sessionId: string): Promise<Date | null> | null {
    const session = this.checker.sessionOf(sessionId);
    if (!session || this.renewing.has(session._id)) return null;
    const times = {
      createdAtMs: session.CreatedAt.getTime(),
      renewedAtMs: session.LastActivity.getTime(),
      expiresAtMs: session.ExpiresAt.getTime(),
    };
    const nowMs = this.clock.now();
    const expiryMs = renewalAt(this.rules(), times, nowMs);
    return expiryMs === null ? null : this.renew(sessionId, session, new Date(expiryMs), new Date(nowMs));
  }

  /**
   * @param action `logout` when the user asked for it, otherwise `session_ended` with the reason
   * @returns false when it had ended before
   */
  async end(
    caller: Principal,
    origin: Omit<RequestOrigin, 'userAgent'>,
    action: { readonly action_type: 'logout' | 'session_ended'; readonly reason?: string },
  ): Promise<boolean> {
    const session = { _id: caller.credentialId, CompanyID: caller.companyId, UserID: caller.userId };
    return this.records.end(new TenantScope(caller.companyId), session._id, {
      ...action,
      ...entryOf(session, caller.email, origin),
    });
  }

  private make(
    userId: string,
    companyId: string,
    origin: RequestOrigin,
    { createdAtMs, proof }: { readonly createdAtMs: number; readonly proof: SignInProof | null },
  ): OpenedSession {
    const sessionId = newSessionId();
    const now = this.clock.now();
    const session: SessionDocument = {
      _id: this.newId(),
      UserID: userId,
      CompanyID: companyId,
      SessionHash: hashSessionId(sessionId),
      CreatedAt: new Date(createdAtMs),
      ExpiresAt: new Date(expiryAt(this.rules(), createdAtMs, now)),
      LastActivity: new Date(now),
      UserAgent: origin.userAgent.slice(0, MAX_USER_AGENT),
      IPAddress: origin.address,
      ...(proof && { Proof: proof }),
    };
    return { sessionId, session };
  }

  private async renew(sessionId: string, session: SessionDocument, expiresAt: Date, now: Date): Promise<Date | null> {
    this.renewing.add(session._id);
    try {
      const renewed = await this.records.renew(new TenantScope(session.CompanyID), session._id, expiresAt, now);
      if (!renewed) return null;
      this.checker.onRenewed(sessionId, now, expiresAt);
      return expiresAt;
    } finally {
      this.renewing.delete(session._id);
    }
  }
}

function entryOf(
  session: Pick<SessionDocument, '_id' | 'CompanyID' | 'UserID'>,
  email: string,
  origin: Omit<RequestOrigin, 'userAgent'>,
) {
  return {
    collection: SESSIONS,
    company_id: session.CompanyID,
    UserID: session.UserID,
    UserEmail: email,
    UserIPAddress: origin.address,
    resource_type: 'session',
    resource_id: session._id,
    request_id: origin.requestId,
  };
}
