import { expect, it } from 'vitest';
import { mustEncrypt } from './must-encrypt.js';

const LOGIN = { user: 'me', password: 'right' };

it.each([
  ['a password to a public address', LOGIN, 'public', true],
  ['a password to an address that the operator opened', LOGIN, 'opened', false],
  ['no password', null, 'public', false],
] as const)('asks for TLS or not: %s', (_what, login, verdict, must) => {
  expect(mustEncrypt(login, verdict)).toBe(must);
});
