/**
 * Verifies credentials and returns their principals. Verified credentials are cached and returned without a promise: on the run
 * path a cached token costs one map lookup. An entry is valid for a second, so that a revocation or a changed role is effective
 * by then even when no message arrives; the invalidation bus expires entries at once. Credentials in use are read again before
 * the second is over, in one batch.
 */
import { FRESH_MS, GroupCommit, RefreshAhead, SingleFlight } from '@weft/concurrency';
import type { Principal } from '@weft/access';
import type { Invalidation } from '@weft/contracts';
import { WeftError, type Clock } from '@weft/kernel';
import { LRUCache } from 'lru-cache';
import type { ApiKeyClaims } from './api-key-claims.js';
import type { ApiKeyTokens } from './api-key-tokens.js';
import type { VerifiedCredential, PrincipalSource } from './principal-source.js';

const MAX_CACHED = 20_000;
const MAX_BATCH = 500;
const NEVER = Number.NEGATIVE_INFINITY;

/** Reads credentials from the store. */
export type CredentialSource = Pick<PrincipalSource, 'ofSessionId' | 'ofKey' | 'rereadAll'>;

type Kind = Principal['auth'];

/** A credential that was valid when it was last read. */
interface CachedCredential {
  readonly credential: string;
  verified: VerifiedCredential;
  expiresAtMs: number;
  /** Monotonic ms when the read began; NEVER: it must be read again before use. */
  readAtMs: number;
}

export class CredentialChecker {
  /** By the credential's text: nothing is hashed on a hit. */
  private readonly cache: LRUCache<string, CachedCredential>;
  private readonly byCredentialId = new Map<string, CachedCredential>();
  /** By kind and text. Callers that come after an invalidation do not share a read that began before it. */
  private readonly firstReads = new SingleFlight<string, Principal>();
  private readonly sharedRereads = new SingleFlight<CachedCredential, Principal>();
  /** Incremented by each invalidation: the result of a read that began before one is not cached as fresh. */
  private generation = 0;
  private readonly rereads: GroupCommit<Principal, VerifiedCredential>;
  private readonly ahead = new RefreshAhead<CachedCredential>((entries) => {
    for (const entry of entries) {
      if (entry.readAtMs !== NEVER) this.join(entry).catch(() => undefined); // the next caller reads again and gets the error
    }
  });

  constructor(
    private readonly source: CredentialSource,
    private readonly tokens: ApiKeyTokens,
    private readonly clock: Clock,
    maxRemembered = MAX_CACHED,
  ) {
    this.rereads = new GroupCommit((principals) => source.rereadAll(principals), { maxBatch: MAX_BATCH });
    this.cache = new LRUCache({
      max: maxRemembered,
      dispose: (entry) => {
        const id = entry.verified.principal.credentialId;
        if (this.byCredentialId.get(id) === entry) this.byCredentialId.delete(id);
      },
    });
  }

  /** @throws WeftError `token_invalid`, `token_expired`, `token_revoked` */
  byBearer(token: string): Principal | Promise<Principal> {
    return this.fromCache('api_key', token) ?? this.verifyBearer(token, this.tokens.verify(token));
  }

  /** @throws WeftError `session_expired` */
  bySessionId(sessionId: string): Principal | Promise<Principal> {
    return (
      this.fromCache('session', sessionId) ??
      this.readOnce('session', sessionId, () => this.source.ofSessionId(sessionId))
    );
  }

  /** The principal of a cached credential; undefined when the credential must be verified first. */
  fromCache(kind: Kind, credential: string): Principal | Promise<Principal> | undefined {
    const entry = this.cache.get(credential);
    // the kind must match: a session id sent as a bearer token would evade the browser rule, and a token must not work as a cookie
    return entry?.verified.principal.auth === kind ? this.current(entry) : undefined;
  }

  /** @param claims of the token, whose signature the caller has verified */
  verifyBearer(token: string, claims: ApiKeyClaims): Promise<Principal> {
    return this.readOnce('api_key', token, () => this.source.ofKey(claims));
  }

  /**
   * The current principal of a credential, for connections that outlive a request.
   *
   * @throws WeftError 401 when the credential is no longer valid; any other error when MongoDB could not be read
   */
  recheck(principal: Principal): Principal | Promise<Principal> {
    const entry = this.byCredentialId.get(principal.credentialId);
    return entry ? this.current(entry) : this.rereads.add(principal).then((verified) => verified.principal);
  }

  /** The session record of a session id that was just verified. */
  sessionOf(sessionId: string): VerifiedCredential['session'] {
    return this.cache.get(sessionId)?.verified.session ?? null;
  }

  /** Updates the cache after a session was renewed, which saves the next read. */
  onRenewed(sessionId: string, renewedAt: Date, expiresAt: Date): void {
    const entry = this.cache.get(sessionId);
    if (!entry?.verified.session || entry.expiresAtMs >= expiresAt.getTime()) return;
    const { principal, session } = entry.verified;
    entry.verified = {
      principal: { ...principal, expiresAt },
      session: { ...session, ExpiresAt: expiresAt, LastActivity: renewedAt },
    };
    entry.expiresAtMs = expiresAt.getTime();
  }

  /** Expires the entries that the message names: they are read again before their next use. */
  forget({ kind, id }: Invalidation): void {
    this.generation += 1;
    this.firstReads.detach();
    this.sharedRereads.detach();
    if (kind === 'session' || kind === 'api-key') {
      const entry = this.byCredentialId.get(id);
      if (entry) entry.readAtMs = NEVER;
      return;
    }
    if (kind !== 'user' && kind !== 'company') return;
    for (const entry of this.cache.values()) {
      const { userId, companyId } = entry.verified.principal;
      if (id === (kind === 'user' ? userId : companyId)) entry.readAtMs = NEVER;
    }
  }

  private current(entry: CachedCredential): Principal | Promise<Principal> {
    const ageMs = this.clock.monotonicMs() - entry.readAtMs;
    if (ageMs >= FRESH_MS || this.clock.now() >= entry.expiresAtMs) return this.join(entry);
    this.ahead.used(entry, ageMs);
    return entry.verified.principal;
  }

  /** Shares the read in progress unless an invalidation came after its start; otherwise begins a new one. */
  private join(entry: CachedCredential): Promise<Principal> {
    return this.sharedRereads.run(entry, () => this.reread(entry));
  }

  private async reread(entry: CachedCredential): Promise<Principal> {
    const generation = this.generation;
    const beganAtMs = this.clock.monotonicMs();
    try {
      const verified = await this.rereads.add(entry.verified.principal);
      entry.verified = verified;
      entry.expiresAtMs = verified.principal.expiresAt.getTime();
      entry.readAtMs = generation === this.generation ? beganAtMs : NEVER;
      return verified.principal;
    } catch (error) {
      if (error instanceof WeftError) this.drop(entry);
      throw error;
    }
  }

  private readOnce(kind: Kind, credential: string, read: () => Promise<VerifiedCredential>): Promise<Principal> {
    return this.firstReads.run(`${kind} ${credential}`, () => this.readAndCache(credential, read));
  }

  private async readAndCache(credential: string, read: () => Promise<VerifiedCredential>): Promise<Principal> {
    const generation = this.generation;
    const beganAtMs = this.clock.monotonicMs();
    const verified = await read();
    const entry: CachedCredential = {
      credential,
      verified,
      expiresAtMs: verified.principal.expiresAt.getTime(),
      readAtMs: generation === this.generation ? beganAtMs : NEVER,
    };
    this.cache.set(credential, entry);
    this.byCredentialId.set(verified.principal.credentialId, entry);
    return verified.principal;
  }

  private drop(entry: CachedCredential): void {
    entry.readAtMs = NEVER;
    if (this.cache.peek(entry.credential) === entry) this.cache.delete(entry.credential);
  }
}
