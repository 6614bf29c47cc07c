import { describe, expect, it } from 'vitest';
import { hashSessionId, hasSessionIdShape, newSessionId, sessionIdFromCookies } from './session-id.js';

describe('session ids', () => {
  it('hold 32 random bytes, a new set each time', () => {
    const ids = new Set(Array.from({ length: 100 }, newSessionId));
    expect(ids.size).toBe(100);
    for (const id of ids) {
      expect(Buffer.from(id, 'base64url')).toHaveLength(32);
      expect(hasSessionIdShape(id)).toBe(true);
    }
  });

  it('are stored as their SHA-256', () => {
    // echo -n abc | sha256sum | xxd -r -p | base64url
    expect(hashSessionId('abc')).toBe('ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0');
  });

  it('are found among other cookies, the first of several', () => {
    expect(sessionIdFromCookies('a=1; sid=one; sid=two')).toBe('one');
    expect(sessionIdFromCookies('xsid=1;sid=x=y')).toBe('x=y');
    expect(sessionIdFromCookies('asid=1; side=2; sid')).toBeUndefined();
    expect(sessionIdFromCookies('a=%; sid="%41"')).toBe('"%41"');
    expect(sessionIdFromCookies('__proto__=1; toString=2')).toBeUndefined();
    expect(sessionIdFromCookies('')).toBeUndefined();
    expect(sessionIdFromCookies(undefined)).toBeUndefined();
  });

  it('have one shape; anything else is looked up nowhere', () => {
    for (const text of ['', 'x', `${'a'.repeat(42)}=`, `${'a'.repeat(43)} `, 'a'.repeat(44)]) {
      expect(hasSessionIdShape(text)).toBe(false);
    }
  });
});
