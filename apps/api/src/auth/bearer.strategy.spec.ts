import type { Principal } from '@weft/access';
import { ApiKeyTokens, type CredentialChecker } from '@weft/identity';
import { WeftError } from '@weft/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import { BearerStrategy } from './bearer.strategy.js';

const clock = { now: () => Date.now(), monotonicMs: () => 0 };
const first = Buffer.alloc(32, 1);
const second = Buffer.alloc(32, 2);
const foreign = Buffer.alloc(32, 3);
const caller = { userId: 'u1' } as Principal;
const checker = { verifyBearer: () => Promise.resolve(caller) } as unknown as CredentialChecker;

function tokenBy(key: Buffer, lifetimeSeconds = 60): string {
  const now = Math.floor(Date.now() / 1000);
  const claims = { sub: 'u1', company_id: 'c1', key_id: 'k1', scope: ['api'], iat: now - 60 } as const;
  return new ApiKeyTokens([key], clock).sign({ ...claims, exp: now + lifetimeSeconds });
}

function admit(keys: readonly [Buffer, ...Buffer[]], token: string): Promise<Principal | string> {
  const request = { headers: { authorization: `Bearer ${token}` } } as FastifyRequest;
  return new BearerStrategy(new ApiKeyTokens(keys, clock), checker)
    .admit(request, {} as FastifyReply)
    .catch((error: unknown) => (error instanceof WeftError ? `${error.code}: ${error.message}` : String(error)));
}

describe('the passport strategy of API keys', () => {
  it('admits tokens of the current key, and of previous ones while they are rotated', async () => {
    expect(await admit([first], tokenBy(first))).toBe(caller);
    expect(await admit([second, first], tokenBy(first))).toBe(caller);
    expect(await admit([second, first], tokenBy(second))).toBe(caller);
  });

  it('refuses the signature of a foreign key, with and without a rotation', async () => {
    const refusal = 'token_invalid: The bearer token is not valid: its signature does not hold.';
    expect(await admit([first], tokenBy(foreign))).toBe(refusal);
    expect(await admit([second, first], tokenBy(foreign))).toBe(refusal);
  });

  it('refuses an expired token, also of a previous key', async () => {
    expect(await admit([first], tokenBy(first, -1))).toMatch(/^token_expired: /);
    expect(await admit([second, first], tokenBy(first, -1))).toMatch(/^token_expired: /);
  });

  it('refuses a header other than ours before it verifies anything', async () => {
    const [, payload, signature] = tokenBy(first).split('.') as [string, string, string];
    const header = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url');
    expect(await admit([first], `${header}.${payload}.${signature}`)).toMatch(/its header is not/);
  });
});
