import { describe, expect, it } from 'vitest';
import { SessionCookie } from './session-cookie.js';

const specified = {
  ttlHours: 1,
  maxHours: 24,
  cookieSecure: true,
  cookieHttpOnly: true,
  cookieSameSite: 'strict',
  cookieDomain: '',
  cookiePath: '/',
} as const;

describe('the cookie of a session', () => {
  it('has the attributes of the contract', () => {
    const cookie = new SessionCookie(specified);
    expect(cookie.set('abc', new Date(3_600_000), 0)).toBe(
      'sid=abc; Max-Age=3600; Path=/; HttpOnly; Secure; SameSite=Strict',
    );
    expect(cookie.clear()).toBe('sid=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Strict');
  });

  it('lives as long as the session, in whole seconds', () => {
    const cookie = new SessionCookie(specified);
    expect(cookie.set('abc', new Date(3_600_000), 7)).toContain('Max-Age=3600;');
    expect(cookie.set('abc', new Date(3_600_000), 3_599_900)).toContain('Max-Age=1;');
  });

  it('follows the settings', () => {
    const told = { ...specified, cookieSecure: false, cookieDomain: 'weft.example', cookieSameSite: 'lax' } as const;
    expect(new SessionCookie(told).clear()).toBe(
      'sid=; Max-Age=0; Path=/; Domain=weft.example; HttpOnly; SameSite=Lax',
    );
  });
});
