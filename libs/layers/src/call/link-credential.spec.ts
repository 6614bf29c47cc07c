import { createHash, createHmac } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Connection } from '../layer-module.js';
import { withCredential, withCredentialOfStream, type OutgoingRequest } from './link-credential.js';
import { secretsOf } from './link-secrets.js';

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

  it('is several secrets in several headers', () => {
    const secrets = JSON.stringify({ api: 'k1', app: '$&' });
    const headers = { 'DD-API-KEY': '{{api}}', Cookie: 'a={{ api }}; b={{app}}', authorization: 'Key {{app}}' };
    expect(sent(link('headers', secrets, { headers }))).toEqual({
      ...{ url: request.url, 'Idempotency-Key': 'play.0' },
      ...{ 'DD-API-KEY': 'k1', Cookie: 'a=k1; b=$&', authorization: 'Key $&' },
    });
    for (const name of ['other', 'constructor']) {
      const broken = link('headers', secrets, { headers: { 'X-Key': `{{${name}}}` } });
      expect(() => sent(broken)).toThrow('its settings are incomplete');
    }
  });

  it('signs as Amazon does, the body too, and S3 is told its digest', async () => {
    const keys = JSON.stringify({ access_key_id: 'AKID', secret_access_key: 'key', session_token: 'token' });
    const by = (settings: Connection['settings']) => link('aws_sigv4', keys, { region: 'eu-1', ...settings });
    const scope = 'AKID/20231114/eu-1/sqs/aws4_request';
    const queue = sent(by({ service: 'sqs' }));
    expect(queue).toMatchObject({ 'X-Amz-Date': '20231114T221320Z', 'X-Amz-Security-Token': 'token' });
    expect(queue).toMatchObject({
      Authorization: expect.stringContaining(
        `Credential=${scope}, SignedHeaders=host;idempotency-key;x-amz-date;x-amz-security-token, Signature=`,
      ) as string,
    });
    expect(queue).not.toHaveProperty('X-Amz-Content-Sha256');
    const other = sent(by({ service: 'sqs' }), { ...request, body: 'another' });
    expect((other as Record<string, string>).Authorization).not.toBe((queue as Record<string, string>).Authorization);

    const digest = createHash('sha256').update('{"ü":1}').digest('hex');
    const hash = (settings: Connection['settings'], url = request.url) =>
      (sent(by({ service: 's3', ...settings }), { ...request, url }) as Record<string, string>)['X-Amz-Content-Sha256'];
    expect(hash({})).toBe(digest);
    expect(hash({ sign_payload: 'unsigned' })).toBe('UNSIGNED-PAYLOAD');
    // nothing else protects the body there
    expect(hash({ sign_payload: 'unsigned' }, 'http://api.example/')).toBe(digest);

    const body = {
      length: 8,
      open: () => Readable.from([Buffer.from('{"ü'), Buffer.from('":1}')]) as AsyncIterable<Buffer>,
    };
    const { signal } = new AbortController();
    const streamed = await withCredentialOfStream(by({ service: 's3' }), { ...request, body }, signal);
    expect(streamed.headers.get('x-amz-content-sha256')?.[1]).toBe(digest);
    expect(() => sent(by({ service: 's3' }), { ...request, body })).toThrow('withCredentialOfStream');
  });

  it('is not used when its link does not say where to', () => {
    for (const kind of ['header', 'query', 'hmac'] as const) {
      expect(() => sent(link(kind, 'key'))).toThrow('its settings are incomplete');
    }
    for (const kind of ['headers', 'aws_sigv4'] as const) {
      expect(() => sent(link(kind, '{}'))).toThrow('its settings are incomplete');
      expect(() => sent(link(kind, 'old'))).toThrow('enter its secrets again');
    }
  });
});

describe('what is removed from answers', () => {
  it('is the secret, and of a login each spelling and the part that is secret', () => {
    expect(secretsOf(link('header', 'key'))).toEqual(['key']);
    expect(secretsOf(link('basic', 'user:password'))).toEqual(['dXNlcjpwYXNzd29yZA==', 'user:password', 'password']);
    expect(secretsOf(link('basic', 'sk_live_1:'))).toEqual(['c2tfbGl2ZV8xOg==', 'sk_live_1:', 'sk_live_1']);
    expect(secretsOf(link('headers', '{"a":"one","b":"two"}'))).toEqual(['one', 'two']);
    expect(secretsOf(link('basic', 'user:abc'))).toEqual(['dXNlcjphYmM=', 'user:abc', 'abc']);
  });
});
