import type { BatchOutcome } from '@weft/concurrency';
import { SCOPES, type Principal } from '@weft/access';
import { WeftError } from '@weft/kernel';
import type { SessionDocument } from '@weft/records';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ApiKeyClaims } from './api-key-claims.js';
import { ApiKeyTokens, deriveTokenKey } from './api-key-tokens.js';
import { CredentialChecker, type CredentialSource } from './credential-checker.js';
import type { VerifiedCredential } from './principal-source.js';

const START_MS = 1_800_000_000_000;
const HOUR_MS = 3_600_000;
const SID = 'one';

let nowMs: number;
const clock = { now: () => START_MS + nowMs, monotonicMs: () => nowMs };
const tokens = new ApiKeyTokens([deriveTokenKey('secret', 'salt')], clock);

/** The store, as it answers now; each look can be held back to let something happen meanwhile. */
class StoredCredentials implements CredentialSource {
  role: Principal['role'] = 'admin';
  refusal: Error | null = null;
  expiresAtMs = START_MS + HOUR_MS;
  looks = 0;
  /** Those that there are; null: any. */
  sessionIds: readonly string[] | null = null;
  readonly batches: string[][] = [];
  private held: (() => void)[] | null = null;

  async ofSessionId(sessionId: string): Promise<VerifiedCredential> {
    if (this.sessionIds && !this.sessionIds.includes(sessionId)) throw ended;
    return this.look({ auth: 'session', scopes: SCOPES, credentialId: 's1' });
  }

  ofKey(claims: Pick<ApiKeyClaims, 'scope' | 'key_id'>): Promise<VerifiedCredential> {
    return this.look({ auth: 'api_key', scopes: claims.scope, credentialId: claims.key_id });
  }

  async rereadAll(principals: readonly Principal[]): Promise<BatchOutcome<VerifiedCredential>[]> {
    this.batches.push(principals.map(({ credentialId }) => credentialId));
    const looks = principals.map(({ auth, scopes, credentialId }) => this.look({ auth, scopes, credentialId }));
    const settled = await Promise.allSettled(looks);
    return settled.map((one) => (one.status === 'fulfilled' ? { ok: one.value } : { error: one.reason as unknown }));
  }

  hold(): void {
    this.held = [];
  }

  release(): void {
    for (const go of this.held ?? []) go();
    this.held = null;
  }

  private async look(own: Pick<Principal, 'auth' | 'scopes' | 'credentialId'>): Promise<VerifiedCredential> {
    this.looks += 1;
    const { role, refusal, expiresAtMs } = this;
    await new Promise<void>((go) => (this.held ? this.held.push(go) : go()));
    if (refusal) throw refusal;
    const expiresAt = new Date(expiresAtMs);
    const base = { userId: 'u1', email: 'ada@example.org', companyId: 'c1', operator: false, groupIds: [] };
    const session =
      own.auth === 'session'
        ? ({ _id: 's1', ExpiresAt: expiresAt, LastActivity: new Date(0) } as SessionDocument)
        : null;
    return { principal: { ...base, ...own, role, expiresAt }, session };
  }
}

let store: StoredCredentials;
let checker: CredentialChecker;
let token: string;

beforeEach(() => {
  nowMs = 5_000;
  store = new StoredCredentials();
  checker = new CredentialChecker(store, tokens, clock);
  const seconds = START_MS / 1000;
  token = tokens.sign({
    sub: 'u1',
    company_id: 'c1',
    key_id: 'k1',
    scope: ['api'],
    iat: seconds,
    exp: seconds + 3_600,
  });
});

afterEach(() => void vi.useRealTimers());

const ended = new WeftError('session_expired', 'The session has ended.');
const revoked = new WeftError('token_revoked', 'The API key was revoked.');

describe('the credential checker', () => {
  it('answers a known credential at once, without a promise, and asks the store once a second', async () => {
    const first = await checker.byBearer(token);
    expect(first).toMatchObject({ userId: 'u1', role: 'admin', credentialId: 'k1', scopes: ['api'] });
    nowMs += 999;
    expect(checker.byBearer(token)).toBe(first);
    expect(store.looks).toBe(1);
    nowMs += 1;
    expect(checker.byBearer(token)).toBeInstanceOf(Promise);
    await checker.byBearer(token);
    expect(store.looks).toBe(2);
  });

  it('takes no session id for a token and no token for a session id, known or being looked up', async () => {
    await checker.bySessionId(SID);
    await checker.byBearer(token);
    store.sessionIds = [SID];
    expect(() => checker.byBearer(SID)).toThrow(WeftError);
    await expect(async () => checker.bySessionId(token)).rejects.toThrow(ended);
    expect(checker.fromCache('api_key', SID)).toBeUndefined();
    expect(checker.fromCache('session', token)).toBeUndefined();

    checker = new CredentialChecker(store, tokens, clock);
    store.hold();
    const looking = checker.byBearer(token);
    const joined = checker.bySessionId(token);
    store.release();
    await expect(joined).rejects.toThrow(ended);
    await expect(looking).resolves.toMatchObject({ auth: 'api_key' });
  });

  it('asks the store once for all who come at the same time, the first time and later', async () => {
    await Promise.all(Array.from({ length: 20 }, async () => checker.bySessionId(SID)));
    nowMs += 1_000;
    await Promise.all(Array.from({ length: 20 }, async () => checker.bySessionId(SID)));
    expect(store.looks).toBe(2);
  });

  it('reads those in use again before their second is over, all in one question, while they are answered as before', async () => {
    vi.useFakeTimers();
    const session = await checker.bySessionId(SID);
    const key = await checker.byBearer(token);
    nowMs += 600;
    expect([checker.bySessionId(SID), checker.byBearer(token), checker.bySessionId(SID)]).toEqual([
      session,
      key,
      session,
    ]);
    store.role = 'viewer';
    await vi.runAllTimersAsync();
    expect(store.batches).toEqual([['s1', 'k1']]);
    nowMs += 400;
    expect([checker.bySessionId(SID), checker.byBearer(token)]).toMatchObject([{ role: 'viewer' }, { role: 'viewer' }]);
    expect(store.looks).toBe(4);
  });

  it('drops who is found to have ended while nobody waited for the answer', async () => {
    vi.useFakeTimers();
    await checker.byBearer(token);
    nowMs += 600;
    void checker.byBearer(token);
    store.refusal = revoked;
    await vi.runAllTimersAsync();
    expect(checker.fromCache('api_key', token)).toBeUndefined();
  });

  it('sees a changed role within a second without any message', async () => {
    await checker.bySessionId(SID);
    store.role = 'viewer';
    nowMs += 1_000;
    expect(await checker.bySessionId(SID)).toMatchObject({ role: 'viewer' });
  });

  it('refuses a bad token before it asks the store', () => {
    expect(() => checker.byBearer(`${token}x`)).toThrow(WeftError);
    expect(store.looks).toBe(0);
  });

  const messages = [
    { kind: 'api-key', id: 'k1' },
    { kind: 'user', id: 'u1' },
    { kind: 'company', id: 'c1' },
  ] as const;
  for (const message of messages) {
    it(`believes nothing of before a message about the ${message.kind}`, async () => {
      await checker.byBearer(token);
      store.refusal = revoked;
      checker.forget(message);
      await expect(checker.byBearer(token)).rejects.toMatchObject({ code: 'token_revoked' });
    });
  }

  it('keeps what a message about somebody else does not concern', async () => {
    await checker.byBearer(token);
    checker.forget({ kind: 'user', id: 'u2' });
    checker.forget({ kind: 'session', id: 's1' });
    checker.forget({ kind: 'flow', id: 'u1' });
    expect(checker.byBearer(token)).not.toBeInstanceOf(Promise);
  });

  it('lets nobody who comes after a revocation join a look that began before it', async () => {
    store.hold();
    const early = checker.byBearer(token);
    store.refusal = revoked;
    checker.forget({ kind: 'api-key', id: 'k1' });
    const late = checker.byBearer(token) as Promise<Principal>;
    const refusal = late.catch((error: unknown) => error);
    store.release();
    await expect(early).resolves.toMatchObject({ userId: 'u1' });
    expect(await refusal).toMatchObject({ code: 'token_revoked' });
  });

  it('does not take for fresh what was read while a revocation came', async () => {
    await checker.byBearer(token);
    nowMs += 1_000;
    store.hold();
    const early = checker.byBearer(token);
    checker.forget({ kind: 'api-key', id: 'k1' });
    store.release();
    await early;
    store.refusal = revoked;
    await expect(checker.byBearer(token)).rejects.toMatchObject({ code: 'token_revoked' });
  });

  it('looks again when a session reaches its end, which another replica may have moved', async () => {
    store.expiresAtMs = START_MS + nowMs + 300;
    await checker.bySessionId(SID);
    store.expiresAtMs += HOUR_MS;
    nowMs += 300;
    expect(await checker.bySessionId(SID)).toMatchObject({ userId: 'u1' });
    expect(store.looks).toBe(2);
  });

  it('takes over a renewal that this process wrote', async () => {
    await checker.bySessionId(SID);
    const later = new Date(START_MS + 2 * HOUR_MS);
    checker.onRenewed(SID, new Date(START_MS), later);
    expect(checker.bySessionId(SID)).toMatchObject({ expiresAt: later });
    expect(checker.sessionOf(SID)?.ExpiresAt).toEqual(later);
  });

  it('passes a failure of the store on, and answers again when it is back', async () => {
    await checker.bySessionId(SID);
    nowMs += 1_000;
    store.refusal = new Error('no primary');
    await expect(checker.bySessionId(SID)).rejects.toThrow('no primary');
    store.refusal = null;
    expect(await checker.bySessionId(SID)).toMatchObject({ userId: 'u1' });
  });

  it('tells whom a long-lived caller stands for now, known or forgotten', async () => {
    const caller = await checker.bySessionId(SID);
    expect(checker.recheck(caller)).toBe(caller);
    const stranger = new CredentialChecker(store, tokens, clock);
    store.role = 'viewer';
    expect(await stranger.recheck(caller)).toMatchObject({ role: 'viewer' });
    store.refusal = ended;
    checker.forget({ kind: 'session', id: 's1' });
    await expect(checker.recheck(caller)).rejects.toMatchObject({ code: 'session_expired' });
    await expect(stranger.recheck(caller)).rejects.toMatchObject({ code: 'session_expired' });
  });

  it('remembers no more than it may', async () => {
    const small = new CredentialChecker(store, tokens, clock, 2);
    for (const sid of ['a', 'b', 'c']) await small.bySessionId(sid);
    expect(store.looks).toBe(3);
    expect(small.fromCache('session', 'a')).toBeUndefined();
    expect(small.fromCache('session', 'c')).toBeDefined();
  });
});
