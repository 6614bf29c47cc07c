import type { BatchOutcome } from '@weft/concurrency';
import { SCOPES, type Principal } from '@weft/access';
import { WeftError, type Clock } from '@weft/kernel';
import { SystemScope, TenantScope } from '@weft/store';
import {
  type ApiKeyDocument,
  type ApiKeyRepository,
  type SessionDocument,
  type SessionRepository,
} from '@weft/records';
import { invalid, type ApiKeyClaims } from './api-key-claims.js';
import { identityOf, type Member, type MemberSource } from './member-source.js';
import { hasSessionIdShape, hashSessionId } from './session-id.js';

/** A credential and its principal, as read from MongoDB at one moment. */
export interface VerifiedCredential {
  readonly principal: Principal;
  /** The record of a session; null for a key. */
  readonly session: SessionDocument | null;
}

type KeyIdentity = Pick<ApiKeyClaims, 'sub' | 'company_id' | 'key_id' | 'scope' | 'exp'>;

const AUTHENTICATION = new SystemScope('a session id names no company, and many credentials are read in one question');
const RECORD_USE_EVERY_MS = 60_000;

/** Reads the principal of a credential. Every call reads MongoDB; `CredentialChecker` caches the answers. */
export class PrincipalSource {
  constructor(
    private readonly sessions: SessionRepository,
    private readonly keys: ApiKeyRepository,
    private readonly members: MemberSource,
    private readonly clock: Clock,
  ) {}

  /** @throws WeftError `session_expired` */
  async ofSessionId(sessionId: string): Promise<VerifiedCredential> {
    const hash = hasSessionIdShape(sessionId) ? hashSessionId(sessionId) : null;
    const session = hash === null ? null : await this.sessions.findByHash(AUTHENTICATION, hash);
    if (!session) throw sessionExpired();
    return this.verifySession(session, await this.members.find(session.CompanyID, session.UserID));
  }

  /**
   * @param claims of a token whose signature was verified, or those of a key that was read before
   * @throws WeftError `token_revoked`, `token_expired`, `token_invalid`, `company_stopped`
   */
  async ofKey(claims: KeyIdentity): Promise<VerifiedCredential> {
    const [key, member] = await Promise.all([
      this.keys.find(new TenantScope(claims.company_id), claims.key_id),
      this.members.find(claims.company_id, claims.sub),
    ]);
    return this.verifyKey(claims, key, member);
  }

  /**
   * Reads the credentials of these principals again, with one query to each collection; the result has their order. An error is
   * a WeftError as `ofSessionId` and `ofKey` throw it.
   */
  async rereadAll(principals: readonly Principal[]): Promise<BatchOutcome<VerifiedCredential>[]> {
    const idsOf = (auth: Principal['auth']) =>
      principals.filter((principal) => principal.auth === auth).map(({ credentialId }) => credentialId);
    const [sessionIds, keyIds] = [idsOf('session'), idsOf('api_key')];
    const [sessions, keys, members] = await Promise.all([
      sessionIds.length > 0 ? this.sessions.findMany(AUTHENTICATION, sessionIds) : [],
      keyIds.length > 0 ? this.keys.findMany(AUTHENTICATION, keyIds) : [],
      this.members.findAll(principals),
    ]);
    const sessionById = new Map(sessions.map((session) => [session._id, session]));
    const keyById = new Map(keys.map((key) => [key._id, key]));
    return Promise.all(
      principals.map(async (principal, i): Promise<BatchOutcome<VerifiedCredential>> => {
        const { credentialId: id, auth } = principal;
        const member = members[i] ?? null;
        try {
          if (auth === 'session') return { ok: this.reverifySession(principal, sessionById.get(id), member) };
          return { ok: await this.verifyKey(claimsOf(principal), keyById.get(id) ?? null, member) };
        } catch (error) {
          return { error };
        }
      }),
    );
  }

  private reverifySession(
    caller: Principal,
    session: SessionDocument | undefined,
    member: Member | null,
  ): VerifiedCredential {
    if (session?.CompanyID !== caller.companyId || session.UserID !== caller.userId) throw sessionExpired();
    return this.verifySession(session, member);
  }

  private async verifyKey(
    claims: KeyIdentity,
    key: ApiKeyDocument | null,
    member: Member | null,
  ): Promise<VerifiedCredential> {
    const now = this.clock.now();
    const isStopped = !member && (await this.members.isStopped(claims.company_id));
    const principal = principalOfKey(claims, key, isStopped ? 'stopped' : member, now);
    if (now - (key?.last_used_at?.getTime() ?? 0) >= RECORD_USE_EVERY_MS) {
      await this.keys.recordUse(new TenantScope(claims.company_id), claims.key_id, new Date(now));
    }
    return { principal, session: null };
  }

  private verifySession(session: SessionDocument, member: Member | null): VerifiedCredential {
    if (!member || session.ExpiresAt.getTime() <= this.clock.now()) throw sessionExpired();
    const principal: Principal = {
      ...identityOf(member),
      operator: member.user.operator,
      auth: 'session',
      scopes: SCOPES,
      credentialId: session._id,
      expiresAt: session.ExpiresAt,
    };
    return { principal, session };
  }
}

/** The claims of a key that was verified before. */
function claimsOf({ userId, companyId, credentialId, scopes, expiresAt }: Principal): KeyIdentity {
  const exp = expiresAt.getTime() / 1000;
  return { sub: userId, company_id: companyId, key_id: credentialId, scope: scopes, exp };
}

function principalOfKey(
  claims: KeyIdentity,
  key: ApiKeyDocument | null,
  member: Member | 'stopped' | null,
  now: number,
): Principal {
  if (key?.revoked_at !== null || key.company_id !== claims.company_id)
    throw new WeftError('token_revoked', 'The API key was revoked.');
  if (key.user_id !== claims.sub) throw invalid('it does not belong to its key');
  if (claims.exp * 1000 > key.expires_at.getTime()) throw invalid('it would outlive its key');
  if (key.expires_at.getTime() <= now) throw new WeftError('token_expired', 'The API key expired.');
  if (member === 'stopped') throw companyStopped();
  if (!member) throw invalid('its user is not active in the company any more');
  return {
    ...identityOf(member),
    // An admin who makes a key for an operator must not become an operator by it.
    operator: member.user.operator && key.created_by === key.user_id,
    auth: 'api_key',
    // with the scope admin it could make keys and users that have no limits
    scopes: claims.scope.filter((scope) => key.scope.includes(scope) && !(key.mcp && scope === 'admin')),
    credentialId: key._id,
    expiresAt: new Date(claims.exp * 1000),
    ...(key.mcp && { mcp: key.mcp }),
  };
}

/** Told to who has proven to belong to it. */
export function companyStopped(): WeftError {
  const message = 'An operator of the installation has stopped the company. Its plays wait until it is resumed.';
  return new WeftError('company_stopped', message);
}

function sessionExpired(): WeftError {
  return new WeftError('session_expired', 'The session has ended. Sign in again.');
}
