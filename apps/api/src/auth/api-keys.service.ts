import { Inject, Injectable } from '@nestjs/common';
import { parseScopes, scopesNotCovered, type McpLimits, type Principal, type Scope } from '@weft/access';
import { ApiKeyTokens } from '@weft/identity';
import { WeftError, type Clock, type ErrorCode, type NewId, CLOCK, NEW_ID } from '@weft/kernel';
import {
  TenantScope,
  type AuditAction,
  type AuditChange,
  type AuditEntryInput,
  type PageOf,
  type PageRequest,
} from '@weft/store';
import { API_KEYS, ApiKeyRepository, openMembershipIn, UserRepository, type ApiKeyDocument } from '@weft/records';
import { InvalidationBus } from '@weft/realtime-bus';
import { actorEntry, changesBetween, type Actor } from '../audit/actor-entry.js';
import { readTime } from '../http/iso-time.js';
import type { CreateApiKeyBody } from './api-key.requests.js';

const DEFAULT_SCOPE = 'api';
const DEFAULT_LIFETIME_MS = 24 * 3_600_000;
/** Tolerance for a caller's clock that runs ahead, in a request for exactly a year. */
const CLOCK_SKEW_MS = 60_000;

/** The API keys of the caller's company. */
@Injectable()
export class ApiKeysService {
  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly users: UserRepository,
    private readonly tokens: ApiKeyTokens,
    private readonly bus: InvalidationBus,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(NEW_ID) private readonly newId: NewId,
  ) {}

  /** @throws WeftError `not_found` (another company), `insufficient_scope`, `invalid_body`, `unknown_scope`, `unknown_id`, `denied` */
  async create(
    actor: Actor,
    body: CreateApiKeyBody,
  ): Promise<{ readonly key: ApiKeyDocument; readonly token: string }> {
    const { caller } = actor;
    const now = this.clock.now();
    const expiresAt = expiryOf(body.expires_at, now);
    if (body.company_id !== undefined && body.company_id !== caller.companyId) {
      throw new WeftError('not_found', 'You have no such company.');
    }
    const scope = this.scopesOf(caller, body.scope ?? DEFAULT_SCOPE);
    if (body.mcp && scope.includes('admin')) throw refusal('invalid_body', 'scope', LIMITS_NOBODY);
    const userId = body.user_id ?? caller.userId;
    await this.assertMayActAs(caller, userId);
    const key: ApiKeyDocument = {
      _id: this.newId(),
      name: body.name,
      user_id: userId,
      company_id: caller.companyId,
      scope,
      expires_at: expiresAt,
      created_at: new Date(now),
      created_by: caller.userId,
      revoked_at: null,
      last_used_at: null,
      ...(body.mcp && { mcp: given(body.mcp) }),
    };
    const changes = changesBetween(null, key, ['name', 'user_id', 'scope', 'expires_at', 'mcp']);
    await this.keys.insert(scopeOf(caller), key, entryOf(actor, 'api_key_created', key._id, changes));
    const token = this.tokens.sign({
      sub: key.user_id,
      company_id: key.company_id,
      key_id: key._id,
      scope: key.scope,
      iat: Math.floor(now / 1000),
      exp: expiresAt.getTime() / 1000,
    });
    return { key, token };
  }

  async list(caller: Principal, userId: string | undefined, page: PageRequest): Promise<PageOf<ApiKeyDocument>> {
    return this.keys.list(scopeOf(caller), { userId }, page);
  }

  /** @throws WeftError `not_found` */
  async read(caller: Principal, id: string): Promise<ApiKeyDocument> {
    const key = await this.keys.find(scopeOf(caller), id);
    if (!key) throw new WeftError('not_found', 'Your company has no such API key.');
    return key;
  }

  /** Revoking again changes nothing. */
  async revoke(actor: Actor, id: string): Promise<void> {
    const key = await this.read(actor.caller, id);
    const at = new Date(this.clock.now());
    const changes = { revoked_at: { before: null, after: at } };
    await this.keys.revoke(scopeOf(actor.caller), key._id, at, entryOf(actor, 'api_key_revoked', key._id, changes));
    this.bus.publish({ kind: 'api-key', id: key._id });
  }

  /** A key can give only the scopes that it has itself. */
  private scopesOf(caller: Principal, text: string): readonly Scope[] {
    const { scopes, unknown } = parseScopes(text);
    if (unknown.length > 0 || scopes.length === 0) {
      throw refusal('unknown_scope', 'scope', `there is no scope ${unknown.join(', ') || 'in an empty list'}`);
    }
    const beyond = caller.auth === 'api_key' ? scopesNotCovered(caller.scopes, scopes) : [];
    if (beyond.length > 0) {
      throw new WeftError('insufficient_scope', `Your API key does not have the scope ${beyond.join(', ')}.`);
    }
    return scopes;
  }

  /** Who acts as an operator could make a key of the operator's own next, which has the operator's rights. */
  private async assertMayActAs(caller: Principal, userId: string): Promise<void> {
    const user = await this.users.findMember(scopeOf(caller), userId);
    if (!user || !openMembershipIn(user, caller.companyId))
      throw refusal('unknown_id', 'user_id', 'your company has no such active user');
    if (user.operator && !caller.operator)
      throw new WeftError('denied', 'Only an operator makes keys that act as an operator.');
  }
}

const LIMITS_NOBODY =
  'a key with limits for mcp cannot have the scope admin: it could make keys and users that have no limits';

/** Without fields that were left out: stored, they would be null. */
function given({ flow_ids, drafts_only, decide_approvals, plays_per_minute }: McpLimits): McpLimits {
  return {
    ...(flow_ids && { flow_ids }),
    ...(drafts_only !== undefined && { drafts_only }),
    ...(decide_approvals !== undefined && { decide_approvals }),
    ...(plays_per_minute !== undefined && { plays_per_minute }),
  };
}

/** Whole seconds: the token's `exp` has no finer measure. */
function expiryOf(text: string | undefined, nowMs: number): Date {
  const askedMs = text === undefined ? nowMs + DEFAULT_LIFETIME_MS : (readTime(text)?.getTime() ?? Number.NaN);
  const wholeMs = Math.floor(askedMs / 1000) * 1000;
  const lastMs = new Date(nowMs).setUTCFullYear(new Date(nowMs).getUTCFullYear() + 1) + CLOCK_SKEW_MS;
  if (!(wholeMs > nowMs && wholeMs <= lastMs)) {
    throw refusal('invalid_body', 'expires_at', 'expires_at must lie in the future, at most a year ahead');
  }
  return new Date(wholeMs);
}

function refusal(code: ErrorCode, path: string, message: string): WeftError {
  return new WeftError(code, `${message}.`, { errors: [{ path, code, message }] });
}

function scopeOf(caller: Principal): TenantScope {
  return new TenantScope(caller.companyId);
}

function entryOf(
  actor: Actor,
  action: AuditAction,
  keyId: string,
  changes: Readonly<Record<string, AuditChange>>,
): AuditEntryInput {
  return actorEntry(actor, action, { collection: API_KEYS, resource_type: 'api_key', resource_id: keyId }, changes);
}
