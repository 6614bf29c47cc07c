import { describe, expect, it } from 'vitest';
import type { Hop } from './outgoing-request.js';
import { followRedirect, isRedirect } from './redirect.js';

const from = (method: string, headers: readonly string[] = [], body: string | null = null): Hop => ({
  method,
  url: new URL('https://one.example/a/b?c=1'),
  headers,
  body,
});

describe('followRedirect', () => {
  it.each([
    [301, 'POST', 'GET'],
    [302, 'POST', 'GET'],
    [303, 'POST', 'GET'],
    [303, 'PUT', 'GET'],
    [303, 'HEAD', 'HEAD'],
    [301, 'GET', 'GET'],
    [302, 'PUT', 'PUT'],
    [302, 'DELETE', 'DELETE'],
    [302, 'HEAD', 'HEAD'],
    [307, 'POST', 'POST'],
    [308, 'PATCH', 'PATCH'],
  ])('turns a %i of %s into %s', (status, method, next) => {
    const hop = followRedirect(from(method, ['content-type', 'text/plain', 'x-a', '1'], 'body'), status, '/next');
    expect(hop.method).toBe(next);
    expect(hop.url.href).toBe('https://one.example/next');
    const isKept = next === method;
    expect(hop.body).toBe(isKept ? 'body' : null);
    expect(hop.headers).toEqual(isKept ? ['content-type', 'text/plain', 'x-a', '1'] : ['x-a', '1']);
  });

  it('keeps credentials on the origin and drops them for another', () => {
    const headers = ['Authorization', 'Bearer t', 'Cookie', 'a=b', 'X-Api-Key', 'k', 'Accept', 'text/csv'];
    expect(followRedirect(from('GET', headers), 302, '/x').headers).toEqual(headers);
    for (const foreign of [
      'https://two.example/',
      'http://one.example/',
      'https://one.example:8443/',
      '//two.example/',
    ]) {
      expect(followRedirect(from('GET', headers), 302, foreign).headers).toEqual(['Accept', 'text/csv']);
    }
  });

  it.each([
    'Proxy-Authorization',
    'Cookie2',
    'Private-Token',
    'X-Shopify-Access-Token',
    'X-Vault-Token',
    'Ocp-Apim-Subscription-Key',
    'X-Goog-Api-Key',
    'apikey',
    'X-Auth-User',
    'X-Hub-Signature-256',
    'Client_Secret',
    'x-functions-key',
    'dd-application-key',
    'x-webhook-key',
    'x-jwt',
    'x-bearer',
    'x-passwd',
    'x-my-pass',
    'X-Anything',
  ])('drops %s for another origin', (name) => {
    const kept = ['Idempotency-Key', 'i', 'Accept', '*/*', 'If-None-Match', '"e"', 'User-Agent', 'weft'];
    const { headers } = followRedirect(from('GET', [name, 's', ...kept]), 302, 'https://two.example/');
    expect(headers).toEqual(kept);
  });

  it.each(['file:///etc/passwd', 'gopher://one.example/', 'ftp://one.example/', 'data:text/plain,x', 'javascript:1'])(
    'refuses to follow to %s',
    (location) => {
      expect(() => followRedirect(from('GET'), 302, location)).toThrow(
        expect.objectContaining({ name: 'EgressError', code: 'destination_blocked' }),
      );
    },
  );

  it('takes no credentials from a Location', () => {
    expect(followRedirect(from('GET'), 302, 'https://u:p@two.example/').url.href).toBe('https://two.example/');
  });

  it('is a redirect only with a Location', () => {
    expect(isRedirect(302, '/x')).toBe(true);
    expect(isRedirect(302, undefined)).toBe(false);
    expect(isRedirect(304, '/x')).toBe(false);
    expect(isRedirect(200, '/x')).toBe(false);
  });
});
