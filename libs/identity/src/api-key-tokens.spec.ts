import { createHmac } from 'node:crypto';
import { WeftError } from '@weft/kernel';
import { describe, expect, it } from 'vitest';
import { ApiKeyTokens, deriveTokenKey } from './api-key-tokens.js';

const NOW_MS = 1_800_000_000_000;
const NOW = NOW_MS / 1000;
const clock = { now: () => NOW_MS, monotonicMs: () => 0 };
const key = deriveTokenKey('current-secret', 'salt');
const tokens = new ApiKeyTokens([key], clock);

const header = { alg: 'HS256', typ: 'JWT' };
const claims = {
  sub: 'u1',
  iss: 'weft',
  aud: ['api'],
  company_id: 'c1',
  key_id: 'k1',
  scope: ['api', 'flow:execute'],
  iat: NOW,
  exp: NOW + 60,
};

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const mac = (signed: string, by: Buffer, hash: string): string =>
  createHmac(hash, by).update(signed).digest('base64url');

function tokenOf(changes: object = {}, head: object = header, by = key, hash = 'sha256'): string {
  const signed = `${encode(head)}.${encode({ ...claims, ...changes })}`;
  return `${signed}.${mac(signed, by, hash)}`;
}

function refusal(token: string, by = tokens): string | null {
  try {
    by.verify(token);
    return null;
  } catch (error) {
    return error instanceof WeftError ? error.code : String(error);
  }
}

describe('tokens of API keys', () => {
  it('have exactly the specified header and claims', () => {
    const token = tokens.sign({
      sub: 'u1',
      company_id: 'c1',
      key_id: 'k1',
      scope: ['api', 'flow:execute'],
      iat: NOW,
      exp: NOW + 60,
    });
    const [head, payload, signature] = token.split('.') as [string, string, string];
    expect(JSON.parse(Buffer.from(head, 'base64url').toString())).toEqual(header);
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toEqual(claims);
    expect(signature).toBe(mac(`${head}.${payload}`, key, 'sha256'));
    expect(tokens.verify(token)).toEqual(claims);
  });

  it('pass when somebody else signs the same with the same secret', () => {
    expect(refusal(tokenOf())).toBeNull();
    expect(refusal(tokenOf({}, { typ: 'JWT', alg: 'HS256' }))).toBeNull();
  });

  const headers: readonly [string, object][] = [
    ['none', { alg: 'none', typ: 'JWT' }],
    ['None', { alg: 'None', typ: 'JWT' }],
    ['HS384', { alg: 'HS384', typ: 'JWT' }],
    ['RS256', { alg: 'RS256', typ: 'JWT' }],
    ['no alg', { typ: 'JWT' }],
    ['no typ', { alg: 'HS256' }],
    ['a foreign typ', { alg: 'HS256', typ: 'at+jwt' }],
    ['kid', { ...header, kid: '../../secret' }],
    ['jku', { ...header, jku: 'https://evil.example/keys' }],
    ['crit', { ...header, crit: ['exp'] }],
  ];
  for (const [what, head] of headers) {
    it(`are refused with the header ${what}`, () => {
      expect(refusal(tokenOf({}, head))).toBe('token_invalid');
    });
  }

  it('are refused with a signature of another hash, another key, or none', () => {
    const unsigned = `${encode({ alg: 'none', typ: 'JWT' })}.${encode(claims)}.`;
    const good = tokenOf();
    expect(refusal(tokenOf({}, header, key, 'sha512'))).toBe('token_invalid');
    expect(refusal(tokenOf({}, header, Buffer.alloc(32)))).toBe('token_invalid');
    expect(refusal(unsigned)).toBe('token_invalid');
    expect(refusal(good.slice(0, good.lastIndexOf('.') + 1))).toBe('token_invalid');
    for (const text of ['', 'x', 'a.b', 'a.b.c', 'a.b.c.d', `${good}.`, `${good}=`, `${good} `, 'a'.repeat(5_000)]) {
      expect(refusal(text), text.slice(0, 20)).toBe('token_invalid');
    }
  });

  it('are refused in another spelling of the same signature bytes', () => {
    const good = tokenOf();
    const last = good.at(-1) as string;
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const twin = alphabet[alphabet.indexOf(last) ^ 1] as string;
    const respelled = good.slice(0, -1) + twin;
    const bytesOf = (token: string): Buffer => Buffer.from(token.split('.')[2] as string, 'base64url');
    expect(bytesOf(respelled)).toEqual(bytesOf(good));
    expect(refusal(respelled)).toBe('token_invalid');
  });

  const wrongClaims: readonly [string, object][] = [
    ['a foreign issuer', { iss: 'other' }],
    ['no issuer', { iss: undefined }],
    ['an audience that is no list', { aud: 'api' }],
    ['another audience', { aud: ['web'] }],
    ['one audience too many', { aud: ['api', 'web'] }],
    ['no subject', { sub: undefined }],
    ['an object as subject', { sub: { $ne: null } }],
    ['no company', { company_id: '' }],
    ['no key', { key_id: undefined }],
    ['scope as text', { scope: 'api' }],
    ['an unknown scope', { scope: ['api', 'root'] }],
    ['no end', { exp: undefined }],
    ['an end as text', { exp: String(NOW + 60) }],
    ['a broken end', { exp: NOW + 60.5 }],
    ['no beginning', { iat: undefined }],
    ['a beginning over a minute ahead', { iat: NOW + 61 }],
  ];
  for (const [what, changes] of wrongClaims) {
    it(`are refused with ${what}`, () => {
      expect(refusal(tokenOf(changes))).toBe('token_invalid');
    });
  }

  it('end at exp without leeway, and may begin up to a minute ahead', () => {
    expect(refusal(tokenOf({ exp: NOW }))).toBe('token_expired');
    expect(refusal(tokenOf({ exp: NOW + 1 }))).toBeNull();
    expect(refusal(tokenOf({ iat: NOW + 60, exp: NOW + 90 }))).toBeNull();
  });

  it('of the secret before still pass while it is rotated, new ones are signed with the current', () => {
    const next = deriveTokenKey('next-secret', 'salt');
    const rotating = new ApiKeyTokens([next, key], clock);
    expect(refusal(tokenOf(), rotating)).toBeNull();
    expect(refusal(tokenOf({}, header, next), rotating)).toBeNull();
    expect(refusal(tokenOf({}, header, next))).toBe('token_invalid');
    const { sub, company_id, key_id, iat, exp } = claims;
    const fresh = rotating.sign({ sub, company_id, key_id, scope: ['api'], iat, exp });
    expect(refusal(fresh, new ApiKeyTokens([next], clock))).toBeNull();
  });

  it('are signed with a key that depends on secret and salt', () => {
    const of = (secret: string, salt: string): string => deriveTokenKey(secret, salt).toString('hex');
    expect(new Set([of('a', 'b'), of('a', 'c'), of('b', 'b'), of('a', 'b')]).size).toBe(3);
  });
});
