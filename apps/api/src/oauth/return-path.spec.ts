import { describe, expect, it } from 'vitest';
import { returnPath } from './return-path.js';

describe('where a sign-in returns to', () => {
  it.each([
    '/',
    '/flows',
    '/api/v1/auth/me',
    '/flows?q=a%20b&page=2#top',
    '/a//b',
    "/it's:fine@here",
    '/signed-in?to=%2Fplays%3Fq%3Da%2520b%23x',
  ])('takes %j', (path) => {
    expect(returnPath(path)).toBe(path);
  });

  it('is the first page where nothing is said', () => {
    expect(returnPath(undefined)).toBe('/');
  });

  it.each([
    '',
    'flows',
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/a\\b',
    'https://evil.example/',
    'javascript:alert(1)',
    '/\tevil',
    '/\r\nSet-Cookie: sid=x',
    '/ünïcode',
    ' /flows',
    '/a b',
    '/auth/login/some-id?link=true',
    '/%61uth/login/some-id?link=true',
    '/auth%2Flogin/some-id?link=true',
    '/flows/../auth/login/some-id?link=true',
    '/flows/%2e%2e/auth/callback',
    '/%zz',
    `/${'a'.repeat(2_000)}`,
  ])('refuses %j', (path) => {
    expect(() => returnPath(path)).toThrow(/path on this site/);
  });
});
