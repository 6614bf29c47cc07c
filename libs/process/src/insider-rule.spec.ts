import { describe, expect, it } from 'vitest';
import { insiderRule, type Asking } from './insider-rule.js';

const HERE: Asking = { peer: '127.0.0.1', httpVersion: '1.1', headers: { host: 'localhost:3000' } };
const headers = (more: Record<string, string>): Asking => ({ ...HERE, headers: { ...HERE.headers, ...more } });

describe('without a token', () => {
  const refusalOf = insiderRule(null);

  it.each(['localhost:3000', '127.0.0.1:3000', '127.0.0.1', '[::1]:3000', 'LOCALHOST'])(
    'lets this machine in at %s',
    (host) => expect(refusalOf(headers({ host, 'user-agent': 'Prometheus/3.5.0', accept: '*/*' }))).toBeUndefined(),
  );

  it.each([
    'x-forwarded-for',
    'x-forwarded-host',
    'x-forwarded-proto',
    'forwarded',
    'via',
    'x-real-ip',
    'x-client-ip',
    'true-client-ip',
    'x-cluster-client-ip',
    'fastly-client-ip',
    'cf-connecting-ip',
    'cf-ray',
    'cdn-loop',
    'x-original-forwarded-for',
    'x-envoy-external-address',
    'x-remote-addr',
  ])('lets nobody in whose request a proxy gave %s', (name) => {
    expect(refusalOf(headers({ [name]: '203.0.113.9' }))).toMatchObject({ code: 'denied' });
  });

  it.each(['evil.example', 'evil.example:3000', 'localhost.evil.example', '127.0.0.1.evil.example', '10.0.0.3', ''])(
    'lets nobody in who asks for %j',
    (host) => expect(refusalOf(headers({ host }))).toMatchObject({ code: 'denied' }),
  );

  it('lets nobody in from elsewhere, without a host, or by the version that silent proxies speak', () => {
    expect(refusalOf({ ...HERE, peer: '10.0.0.3' })).toMatchObject({ code: 'denied' });
    expect(refusalOf({ ...HERE, peer: undefined })).toMatchObject({ code: 'denied' });
    expect(refusalOf({ ...HERE, headers: {} })).toMatchObject({ code: 'denied' });
    expect(refusalOf({ ...HERE, httpVersion: '1.0' })).toMatchObject({ code: 'denied' });
  });
});

describe('with a token', () => {
  const refusalOf = insiderRule('a-token-of-some-length');

  it('lets in who sends it, from anywhere and through any proxy', () => {
    const authorization = 'Bearer a-token-of-some-length';
    expect(refusalOf({ ...HERE, peer: '203.0.113.9', headers: { authorization, via: '1.1 proxy' } })).toBeUndefined();
  });

  it.each([undefined, 'Bearer a-token-of-some-lengtH', 'a-token-of-some-length', 'Bearer '])(
    'lets nobody in from elsewhere or past a proxy with %j',
    (authorization) => {
      const asking = authorization === undefined ? HERE : headers({ authorization });
      expect(refusalOf({ ...asking, peer: '203.0.113.9' })).toMatchObject({ code: 'unauthenticated' });
      const proxied = { ...asking, headers: { ...asking.headers, via: '1.1 proxy' } };
      expect(refusalOf(proxied)).toMatchObject({ code: 'unauthenticated' });
    },
  );

  it('lets this machine in without it', () => expect(refusalOf(HERE)).toBeUndefined());
});
