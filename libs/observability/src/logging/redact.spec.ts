import { describe, expect, it } from 'vitest';

import { redactFields, redactLine } from './redact.js';

describe('redactFields', () => {
  it('hides what stands under a name that holds secrets, at any depth', () => {
    const fields = {
      authorization: 'Bearer x',
      headers: { Cookie: 'sid=1', 'set-cookie': ['sid=1'], accept: 'text/html' },
      users: [{ email: 'a@b.c', password: 'swordfish', access_token: { value: 'x' } }],
    };
    expect(redactFields(fields)).toEqual({
      authorization: '[redacted]',
      headers: { Cookie: '[redacted]', 'set-cookie': '[redacted]', accept: 'text/html' },
      users: [{ email: 'a@b.c', password: '[redacted]', access_token: '[redacted]' }],
    });
  });

  it('keeps counts and flags whatever they are called', () => {
    expect(redactFields({ tokensIn: 12, cookieSecure: true, password: null })).toEqual({
      tokensIn: 12,
      cookieSecure: true,
      password: null,
    });
  });

  it('describes an error by type, message, code, stack and cause, and nothing else it carries', () => {
    const error = Object.assign(new TypeError('outer', { cause: new Error('inner') }), {
      code: 'E_X',
      config: { headers: { authorization: 'Bearer x' } },
    });
    const { error: told } = redactFields({ err: error }) as { error: Record<string, unknown> };
    expect(told).toMatchObject({ type: 'TypeError', message: 'outer', code: 'E_X', cause: { message: 'inner' } });
    expect(Object.keys(told).sort()).toEqual(['cause', 'code', 'message', 'stack', 'type']);
  });

  it.each([
    ["Stream isn't writeable and enableOfflineQueue options is false", 'Redis is unreachable'],
    ['Connection is closed.', 'Redis is unreachable'],
    ['Command timed out', 'Redis did not answer in time'],
    ['Reached the max retries per request limit (which is 1). Refer to the documentation.', 'Redis is unreachable'],
  ])('tells "%s" of the client of Redis in plain words, without its stack', (said, told) => {
    expect(redactFields({ err: new Error(said) })).toEqual({ error: { type: 'Error', message: told } });
  });

  it('tells a refused connection by its address and code, without a stack', () => {
    const refused = { code: 'ECONNREFUSED', syscall: 'connect' };
    const error = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:6379'), refused);
    expect(redactFields({ err: error })).toEqual({
      error: { type: 'Error', message: 'connect ECONNREFUSED 127.0.0.1:6379', code: 'ECONNREFUSED' },
    });
  });

  it('tells an unreachable MongoDB with what its driver met, without a stack', () => {
    const error = Object.assign(new Error('connect ECONNREFUSED 10.0.0.2:27017'), {
      name: 'MongoServerSelectionError',
    });
    expect(redactFields({ err: error })).toEqual({
      error: {
        type: 'MongoServerSelectionError',
        message: 'MongoDB is unreachable: connect ECONNREFUSED 10.0.0.2:27017',
      },
    });
  });

  it('describes each of the errors of several parts, and not where they were collected', () => {
    const error = new AggregateError([new Error('Connection is closed.')], 'failed: lanes');
    expect(redactFields({ err: error })).toEqual({
      error: {
        type: 'AggregateError',
        message: 'failed: lanes',
        errors: [{ type: 'Error', message: 'Redis is unreachable' }],
      },
    });
  });

  it('ends on a structure that contains itself', () => {
    const loop: Record<string, unknown> = {};
    loop.self = loop;
    expect(JSON.stringify(redactFields({ loop }))).toContain('[deeper]');
  });
});

describe('redactLine', () => {
  it('hides credentials inside texts', () => {
    const line = 'Bearer abc.def failed for mongodb://root:swordfish@db/x with eyJhbGciOiJI.eyJzdWIiOiJ1.c2lnbmF0dXJl';
    expect(redactLine(line)).toBe('Bearer [redacted] failed for mongodb://[redacted]@db/x with [redacted]');
  });

  it('leaves an address without credentials alone', () => {
    expect(redactLine('redis://host:6379/0 and https://a.b/c')).toBe('redis://host:6379/0 and https://a.b/c');
  });
});
