import { BadRequestException, NotFoundException } from '@nestjs/common';
import { WeftError } from '@weft/kernel';
import mongoose from 'mongoose';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Socket, type AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { errorOf, toWeftError } from './problem.js';

const { MongoNetworkError, MongoServerError } = mongoose.mongo;

describe('toWeftError', () => {
  it('leaves our own refusals as they are', () => {
    const refusal = new WeftError('denied', 'no');
    expect(toWeftError(refusal)).toBe(refusal);
  });

  it.each([
    ['no connection', new MongoNetworkError('connect ECONNREFUSED 10.0.0.1:27017')],
    ['no server', Object.assign(new Error('x'), { name: 'MongoServerSelectionError' })],
    ['a primary that steps down', new MongoServerError({ message: 'x', code: 10107 })],
    ['one of those as a cause', new Error('outer', { cause: new MongoNetworkError('x') })],
  ])('calls the store unavailable for %s, to be tried again', (_what, error) => {
    const refusal = toWeftError(error);
    expect(refusal).toMatchObject({ code: 'store_unavailable', retryAfterSeconds: 2 });
    expect(refusal.message).not.toContain('10.0.0.1');
  });

  it.each([
    new MongoServerError({ message: 'E11000 duplicate key: secret', code: 11000 }),
    new TypeError('secret'),
    'secret',
    undefined,
    null,
  ])('hides what nobody foresaw: %s', (error) => {
    const refusal = toWeftError(error);
    expect(refusal.code).toBe('internal');
    expect(refusal.message).not.toContain('secret');
  });

  it('knows what the framework says', () => {
    const tooLarge = Object.assign(new Error('x'), { code: 'FST_ERR_CTP_BODY_TOO_LARGE' });
    expect(toWeftError(tooLarge).code).toBe('body_too_large');
    expect(toWeftError(new NotFoundException()).code).toBe('not_found');
    expect(toWeftError(new BadRequestException()).code).toBe('invalid_body');
  });
});

describe('errorOf', () => {
  it('is the client’s own affair when it hangs up while it sends', async () => {
    const { promise, resolve } = Promise.withResolvers<string[]>();
    const client = new Socket();
    const server = createServer((request) => {
      request
        .resume()
        .on('error', (thrown) => resolve([toWeftError(thrown).code, errorOf(thrown, { raw: request }).code]));
      client.destroy();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    client.connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.write('POST /api/v1/auth/login HTTP/1.1\r\nhost: x\r\ncontent-length: 5000\r\n\r\n{');
    expect(await promise).toEqual(['internal', 'malformed_request']);
  });

  it('is ours when the whole request had arrived', () => {
    expect(errorOf(new Error('a defect'), { raw: { errored: null } }).code).toBe('internal');
  });
});
