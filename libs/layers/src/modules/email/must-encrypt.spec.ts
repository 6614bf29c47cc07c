import { isPublicAddress } from '@weft/egress';
import { expect, it } from 'vitest';
import { mustEncrypt } from './must-encrypt.js';

const LOGIN = { user: 'me', password: 'right' };

it.each([
  ['a password to a public address', LOGIN, '198.41.0.4', true],
  ['a password to a public address of IPv6', LOGIN, '2001:503:ba3e::2:30', true],
  ['a password to an inner address', LOGIN, '10.0.0.5', false],
  ['no password', null, '198.41.0.4', false],
] as const)('asks for TLS or not: %s', (_what, login, address, must) => {
  expect(mustEncrypt(login, isPublicAddress(address))).toBe(must);
});
