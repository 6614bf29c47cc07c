import { describe, expect, it } from 'vitest';
import { pathOfThisSite } from './return-to';

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
  ])('goes to the start for %j', (text) => expect(pathOfThisSite(text)).toBe('/'));
});
