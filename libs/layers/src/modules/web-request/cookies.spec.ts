import { describe, expect, it } from 'vitest';
import { cookieIn } from './cookies.js';

describe('a cookie of an answer', () => {
  it.each([
    [
      'a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Path=/; Max-Age=60',
      { name: 'a', value: '1', expires: 'Wed, 21 Oct 2026 07:28:00 GMT', path: '/', maxAge: 60 },
    ],
    [
      'sid="x=y=="; HttpOnly; Secure; SameSite=Lax; Domain=a.example; Partitioned',
      { name: 'sid', value: '"x=y=="', httpOnly: true, secure: true, sameSite: 'Lax', domain: 'a.example' },
    ],
    ['b=; max-age=soon; __proto__=1; constructor', { name: 'b', value: '' }],
    ['flag', { name: 'flag', value: '' }],
    ['', { name: '', value: '' }],
  ])('is taken apart: %s', (header, cookie) => {
    expect(cookieIn(header)).toEqual(cookie);
  });
});
