import mongoose from 'mongoose';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { isStoreUnavailable } from './store-unavailable.js';

const { MongoNetworkError, MongoNetworkTimeoutError, MongoServerError, MongoStalePrimaryError, MongoRuntimeError } =
  mongoose.mongo;
/** Not published by the driver. */
const driver = createRequire(createRequire(import.meta.url).resolve('mongoose'));
const pool = driver('mongodb/lib/cmap/errors.js') as Record<
  'PoolClearedError' | 'PoolClearedOnNetworkError' | 'PoolClosedError',
  new (of: object) => Error
>;
const codes = driver('mongodb/lib/error.js') as { readonly isRetryableReadError: (error: Error) => boolean };

const serverError = (code: number) => new MongoServerError({ message: 'no', code, errmsg: 'no' });

describe('an error that says that MongoDB could not be reached or could not answer', () => {
  const address = '127.0.0.1:1';
  it.each([
    new MongoNetworkError('the connection was closed'),
    new MongoNetworkTimeoutError('no answer'),
    new pool.PoolClearedError({ address }),
    // of a command that was on its way when the monitor of its server failed
    new pool.PoolClearedOnNetworkError({ address }),
    new pool.PoolClosedError({ address }),
    new MongoStalePrimaryError('another member is primary'),
    new DOMException('too long', 'TimeoutError'),
    // of a write to a connection that the other side has just ended
    Object.assign(new Error('This socket has been ended by the other party'), { code: 'EPIPE' }),
    new Error('the query failed', { cause: new MongoNetworkError('reset') }),
  ])('is %o', (error) => {
    expect(isStoreUnavailable(error)).toBe(true);
  });

  it('is every answer of a server at which the driver repeats', () => {
    const repeated = Array.from({ length: 20_000 }, (_, code) => code).filter((code) =>
      codes.isRetryableReadError(serverError(code)),
    );
    expect(repeated).toContain(134);
    expect(repeated.filter((code) => !isStoreUnavailable(serverError(code)))).toEqual([]);
  });
});

describe('an error of what was asked', () => {
  it.each([
    serverError(11_000),
    serverError(2),
    new MongoRuntimeError('a fault of the driver'),
    new RangeError('too long'),
    new Error('the query failed', { cause: serverError(11_000) }),
    // of a request to another server
    new TypeError('fetch failed', { cause: Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }) }),
    'text',
    undefined,
  ])('is not: %o', (error) => {
    expect(isStoreUnavailable(error)).toBe(false);
  });
});
