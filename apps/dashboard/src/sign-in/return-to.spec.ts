import { describe, expect, it } from 'vitest';
import { pathOfThisSite, viaSignedIn } from './return-to';

describe('pathOfThisSite', () => {
  it('keeps a path with its query and fragment', () => {
    expect(pathOfThisSite('/plays/1?seq=3#x')).toBe('/plays/1?seq=3#x');
    expect(pathOfThisSite('/approve#token')).toBe('/approve#token');
  });

  it.each([
    undefined,
    '',
    'plays',
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
    '/\t/evil.example',
    '/login',
    '/.//evil.example',
    '/a/..//evil.example',
    '/signed-in?to=%2Fplays',
    '/auth/login/some-id?link=true',
    '/%61uth/login/some-id?link=true',
    '/flows/../Auth/login/some-id?link=true',
    '/%zz',
  ])('goes to the start for %j', (text) => expect(pathOfThisSite(text)).toBe('/'));
});

describe('viaSignedIn', () => {
  it.each(['/', '/plays/1?state=FAIL,RUN&q=50%25#x', '/approve#token'])('leads to %j', (target) => {
    const { pathname, searchParams } = new URL(viaSignedIn(target), 'https://weft.invalid');
    expect(pathname).toBe('/signed-in');
    expect(pathOfThisSite(searchParams.get('to') ?? undefined)).toBe(target);
  });

  it('leads to the start where the way would be longer than the API takes', () => {
    expect(viaSignedIn(`/plays?q=${'%20'.repeat(500)}`)).toBe('/signed-in?to=%2F');
  });
});
