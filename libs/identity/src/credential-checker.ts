/**
 * Decides whether a credential holds, and for whom. What was read is kept in memory and answered without a promise: on the
 * run path a known token costs a look into a map. MongoDB is asked again after a second, so that a revocation or a changed
 * role is effective by then even when no message comes; the invalidation bus drops an entry at once. Credentials in use are read
 * again before the second is over, all in one question.
 */
import type { Principal } from '@weft/access';
import type { Invalidation } from '@weft/contracts';
import { WeftError, type Clock } from '@weft/kernel';
import { FRESH_MS, GroupCommit, RefreshAhead } from '@weft/persistence';
import { LRUCache } from 'lru-cache';
import type { ApiKeyClaims } from './api-key-claims.js';
import type { ApiKeyTokens } from './api-key-tokens.js';
import type { Admission, PrincipalSource } from './principal-source.js';

const MAX_REMEMBERED = 20_000;
const MOST_AT_ONCE = 500;
const NEVER = Number.NEGATIVE_INFINITY;

/** Where the truth is asked for. */
export type CredentialSource = Pick<PrincipalSource, 'ofSessionId' | 'ofKey' | 'rereadAll'>;

type Kind = Principal['auth'];

/** A credential that held when it was last looked at. */
interface Known {
  readonly credential: string;
  admission: Admission;
  expiresAtMs: number;
  /** Monotonic ms when the read began; NEVER: it must be read again before use. */
  readAtMs: number;
  flight: Flight | null;
}

/** A look into the store under way. Who comes after an invalidation does not join one that began before it. */
interface Flight {
  readonly promise: Promise<Principal>;
  readonly generation: number;
}

export class CredentialChecker {
  /** By the credential's own text: nothing is hashed on a hit. */
  private readonly known: LRUCache<string, Known>;
  private readonly byCredentialId = new Map<string, Known>();
  /** By kind and text. */
  private readonly firstLooks = new Map<string, Flight>();
  /** Rises with each invalidation: an answer whose question was asked before one is not kept as fresh. */
  private generation = 0;
  private readonly rereads: GroupCommit<Principal, Admission>;
  private readonly ahead = new RefreshAhead<Known>((entries) => {
    for (const entry of entries) {
      if (entry.readAtMs !== NEVER) this.join(entry).catch(() => undefined); // who comes next asks, and hears it
    }
  });

  constructor(
    private readonly source: CredentialSource,
    private readonly tokens: ApiKeyTokens,
    private readonly clock: Clock,
    maxRemembered = MAX_REMEMBERED,
  ) {
    this.rereads = new GroupCommit((principals) => source.rereadAll(principals), { maxBatch: MOST_AT_ONCE });
    this.known = new LRUCache({
      max: maxRemembered,
      dispose: (entry) => {
        const id = entry.admission.principal.credentialId;
        if (this.byCredentialId.get(id) === entry) this.byCredentialId.delete(id);
      },
    });
  }

  /** @throws WeftError `token_invalid`, `token_expired`, `token_revoked` */
  byBearer(token: string): Principal | Promise<Principal> {
    return this.recall('api_key', token) ?? this.admitBearer(token, this.tokens.verify(token));
  }

  /** @throws WeftError `session_expired` */
  bySessionId(sessionId: string): Principal | Promise<Principal> {
    return (
      this.recall('session', sessionId) ??
      this.firstLook('session', sessionId, () => this.source.ofSessionId(sessionId))
    );
  }

  /** What is known of a credential that was admitted before; undefined for one that has yet to be verified. */
  recall(kind: Kind, credential: string): Principal | Promise<Principal> | undefined {
    const entry = this.known.get(credential);
    // a session id in the header of a token would get past the rule for browsers, a token in a cookie past what it is for
    return entry?.admission.principal.auth === kind ? this.current(entry) : undefined;
  }

  /** @param claims of the token, whose signature the caller has verified */
  admitBearer(token: string, claims: ApiKeyClaims): Promise<Principal> {
    return this.firstLook('api_key', token, () => this.source.ofKey(claims));
  }

  /**
   * For what lives longer than a request: whom the credential of this caller stands for now.
   *
   * @throws WeftError 401 when it holds no more; whatever kept MongoDB from answering: nothing is known then
   */
  recheck(principal: Principal): Principal | Promise<Principal> {
    const entry = this.byCredentialId.get(principal.credentialId);
    return entry ? this.current(entry) : this.rereads.add(principal).then((admission) => admission.principal);
  }

  /** The session record behind a session id that was just checked. */
  sessionOf(sessionId: string): Admission['session'] {
    return this.known.get(sessionId)?.admission.session ?? null;
  }

  /** Told by whoever renewed a session: saves the next look into the store. */
  noteRenewal(sessionId: string, renewedAt: Date, expiresAt: Date): void {
    const entry = this.known.get(sessionId);
    if (!entry?.admission.session || entry.expiresAtMs >= expiresAt.getTime()) return;
    const { principal, session } = entry.admission;
    entry.admission = {
      principal: { ...principal, expiresAt },
      session: { ...session, ExpiresAt: expiresAt, LastActivity: renewedAt },
    };
    entry.expiresAtMs = expiresAt.getTime();
  }

  /** Whatever the message names is read again before it is believed. */
  forget({ kind, id }: Invalidation): void {
    this.generation += 1;
    if (kind === 'session' || kind === 'api-key') {
      const entry = this.byCredentialId.get(id);
      if (entry) entry.readAtMs = NEVER;
      return;
    }
    if (kind !== 'user' && kind !== 'company') return;
    for (const entry of this.known.values()) {
      const { userId, companyId } = entry.admission.principal;
      if (id === (kind === 'user' ? userId : companyId)) entry.readAtMs = NEVER;
    }
  }

  private current(entry: Known): Principal | Promise<Principal> {
    const ageMs = this.clock.monotonicMs() - entry.readAtMs;
    if (ageMs >= FRESH_MS || this.clock.now() >= entry.expiresAtMs) return this.join(entry);
    this.ahead.used(entry, ageMs);
    return entry.admission.principal;
  }

  /** A look that nothing was changed behind, or a new one. */
  private join(entry: Known): Promise<Principal> {
    if (entry.flight?.generation === this.generation) return entry.flight.promise;
    const flight = { promise: this.reread(entry), generation: this.generation };
    entry.flight = flight;
    const land = (): void => {
      if (entry.flight === flight) entry.flight = null;
    };
    flight.promise.then(land, land);
    return flight.promise;
  }

  private async reread(entry: Known): Promise<Principal> {
    const generation = this.generation;
    const beganAtMs = this.clock.monotonicMs();
    try {
      const admission = await this.rereads.add(entry.admission.principal);
      entry.admission = admission;
      entry.expiresAtMs = admission.principal.expiresAt.getTime();
      entry.readAtMs = generation === this.generation ? beganAtMs : NEVER;
      return admission.principal;
    } catch (error) {
      if (error instanceof WeftError) this.drop(entry);
      throw error;
    }
  }

  private firstLook(kind: Kind, credential: string, read: () => Promise<Admission>): Promise<Principal> {
    const key = `${kind} ${credential}`;
    const underway = this.firstLooks.get(key);
    if (underway?.generation === this.generation) return underway.promise;
    const flight = { promise: this.look(credential, read), generation: this.generation };
    this.firstLooks.set(key, flight);
    const land = (): void => {
      if (this.firstLooks.get(key) === flight) this.firstLooks.delete(key);
    };
    flight.promise.then(land, land);
    return flight.promise;
  }

  private async look(credential: string, read: () => Promise<Admission>): Promise<Principal> {
    const generation = this.generation;
    const beganAtMs = this.clock.monotonicMs();
    const admission = await read();
    const entry: Known = {
      credential,
      admission,
      expiresAtMs: admission.principal.expiresAt.getTime(),
      readAtMs: generation === this.generation ? beganAtMs : NEVER,
      flight: null,
    };
    this.known.set(credential, entry);
    this.byCredentialId.set(admission.principal.credentialId, entry);
    return admission.principal;
  }

  private drop(entry: Known): void {
    entry.readAtMs = NEVER;
    if (this.known.peek(entry.credential) === entry) this.known.delete(entry.credential);
  }
}
