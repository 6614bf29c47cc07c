import { expect, it } from 'vitest';
import { plainWordsOf } from './plain-errors.js';

const failed = (message: string, fields: object = {}) => Object.assign(new Error(message), fields);

it.each([
  [failed('connect ECONNREFUSED 127.0.0.1:6379', { syscall: 'connect' }), 'connect ECONNREFUSED 127.0.0.1:6379'],
  [failed('write EPIPE', { syscall: 'write', code: 'EPIPE' }), 'write EPIPE'],
  [failed('read ECONNRESET', { syscall: 'read', code: 'ECONNRESET' }), 'read ECONNRESET'],
  [failed('Connection is closed.'), 'Redis is unreachable'],
])('says of a connection what is wrong with it, without a stack: %s', (error, said) => {
  expect(plainWordsOf(error)).toBe(said);
});

it('leaves other errors as they are', () => {
  expect(plainWordsOf(failed('x is not a function'))).toBeNull();
  expect(plainWordsOf(failed('ENOENT: no such file', { syscall: 'open' }))).toBeNull();
});
