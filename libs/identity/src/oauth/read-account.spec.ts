import { describe, expect, it } from 'vitest';
import { readAccount } from './read-account.js';

const claims = { iss: 'https://id.example.com', sub: 'ada' };
const emailOf = (email: unknown) => readAccount({ ...claims, email, email_verified: true }, null, false);

describe('the e-mail that a provider names', () => {
  it('is taken in the letters that addresses are compared in', () => {
    expect(emailOf(' Ada@Example.org ')).toMatchObject({ email: 'Ada@Example.org', isEmailVerified: true });
    expect(emailOf('ａda@example.org')).toMatchObject({ email: 'ada@example.org', isEmailVerified: true });
  });

  it.each([
    ['a NUL', 'admin@weft.test\u0000'],
    ['a line break', 'admin@weft.test\r\nBcc: eve@example.org'],
    ['a space of no width', 'ad\u200bmin@weft.test'],
    ['a soft hyphen', 'ad\u00admin@weft.test'],
    ['a mark of direction', 'admin@weft.test\u202e'],
    ['a tag', 'admin@weft.test\u{e0041}'],
    ['a space', 'ad min@weft.test'],
    ['two @', 'admin@weft.test@example.org'],
    ['no @', 'admin'],
    ['321 characters', `${'a'.repeat(311)}@weft.test`],
    ['no text', { email: 'admin@weft.test' }],
  ])('is none with %s', (_what, email) => {
    expect(emailOf(email)).toMatchObject({ email: null, isEmailVerified: false });
  });
});
