import { expect, it } from 'vitest';
import { validity } from './certificates.js';

const UNTIL = 'Jan 31 00:00:00 2030 GMT';
const DAY_MS = 86_400_000;

it.each([
  [15, 'ok', 'is valid until'],
  [13, 'warning', 'is valid until'],
  [2, 'error', 'is valid until'],
  [-1, 'error', 'has expired ('],
])('a certificate with %i days left is found %s', (days, severity, says) => {
  const found = validity('redis.certificate', 'of Redis', UNTIL, Date.parse(UNTIL) - days * DAY_MS);
  expect(found).toMatchObject({ severity, check: 'redis.certificate' });
  expect(found.says).toMatch(`The certificate of Redis ${says}`);
  expect(found.advice === '').toBe(severity === 'ok');
});
