import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Connection } from '../layer-module.js';
import { secretsOf, withCredential, type OutgoingRequest } from './link-credential.js';

const link = (kind: Connection['kind'], secret: string, settings: Connection['settings'] = {}): Connection => ({
  ...{ type: 'crm', endpoint: null, kind, secret, settings },
});
const request: OutgoingRequest = {
  method: 'post',
  url: 'https://api.example/orders?page=2',
  headers: new Map([
    ['authorization', ['authorization', 'of the layer']],
    ['idempotency-key', ['Idempotency-Key', 'play.0']],
  ]),
  body: '{"ü":1}',
};
const sent = (by: Connection, of: OutgoingRequest = request) => {
  const { url, headers } = withCredential(by, of, 1_700_000_000_500);
  return { url, ...Object.fromEntries(headers.values()) };
};

describe('a credential', () => {
  it.each([
    [link('bearer', 'key'), { Authorization: 'Bearer key' }],
    [link(undefined, 'key'), { Authorization: 'Bearer key' }],
    [link('oauth2', 'key'), { Authorization: 'Bearer key' }],
    [link('oauth2_client_credentials', 'key'), { Authorization: 'Bearer key' }],
    [link('basic', 'user:pass:word'), { Authorization: 'Basic dXNlcjpwYXNzOndvcmQ=' }],
    [link('header', 'key', { header: 'Authorization', prefix: 'Token ' }), { Authorization: 'Token key' }],
  ])('replaces what the layer says in its place: %j', (by, headers) => {
    expect(sent(by)).toEqual({ url: request.url, 'Idempotency-Key': 'play.0', ...headers });
  });

  it('is a header or a parameter of any name', () => {
    expect(sent(link('header', 'key', { header: 'X-Api-Key' }))).toMatchObject({
      ...{ 'X-Api-Key': 'key', authorization: 'of the layer' },
    });
    expect(sent(link('query', 'k&y', { parameter: 'api_key' })).url).toBe(`${request.url}&api_key=k%26y`);
    expect(sent(link('query', 'key', { parameter: 'page' })).url).toBe('https://api.example/orders?page=key');
  });

  it('signs what the template says, over the bytes that are sent', () => {
    const hmac = (text: string, algorithm = 'sha256') => createHmac(algorithm, 'key').update(text);
    expect(sent(link('hmac', 'key', { header: 'X-Signature' }))).toMatchObject({
      'X-Signature': hmac('{"ü":1}').digest('hex'),
    });
    const settings: Connection['settings'] = {
      ...{ header: 'X-Signature', timestamp_header: 'X-Time', prefix: 't={timestamp},v1=' },
      ...{
        algorithm: 'sha512',
        encoding: 'base64',
        template: '{method}\n{host}{path}\n{timestamp}.{id}.{body}.{else}',
      },
    };
    const text = 'POST\napi.example/orders?page=2\n1700000000.play.0.{"ü":1}.{else}';
    expect(sent(link('hmac', 'key', settings))).toMatchObject({
      'X-Time': '1700000000',
      'X-Signature': `t=1700000000,v1=${hmac(text, 'sha512').digest('base64')}`,
    });
    const bytes = Buffer.from([0xff, 0x00]);
    expect(sent(link('hmac', 'key', { header: 'S' }), { ...request, body: bytes })).toMatchObject({
      S: createHmac('sha256', 'key').update(bytes).digest('hex'),
    });
  });

  it('is not used when its link does not say where to', () => {
    for (const kind of ['header', 'query', 'hmac'] as const) {
      expect(() => sent(link(kind, 'key'))).toThrow('its settings are incomplete');
    }
  });
});

describe('what is removed from answers', () => {
  it('is the secret, and of a login each spelling and the part that is secret', () => {
    expect(secretsOf(link('header', 'key'))).toEqual(['key']);
    expect(secretsOf(link('basic', 'user:password'))).toEqual(['dXNlcjpwYXNzd29yZA==', 'user:password', 'password']);
    expect(secretsOf(link('basic', 'sk_live_1:'))).toEqual(['c2tfbGl2ZV8xOg==', 'sk_live_1:', 'sk_live_1']);
    expect(secretsOf(link('basic', 'user:abc'))).toEqual(['dXNlcjphYmM=', 'user:abc', 'abc']);
  });
});
