import { describe, expect, it } from 'vitest';
import { isCrossSite, isSafeMethod, type BrowserHeaders } from './browser-rule.js';

const OWN = 'https://weft.example';

const cases: readonly [string, BrowserHeaders, boolean][] = [
  ['no browser at all', { host: 'weft.example' }, false],
  ['the public origin', { host: 'weft.example', origin: OWN }, false],
  ['the public origin behind a proxy that changes Host', { host: 'api.internal:3000', origin: OWN }, false],
  ['the host it was sent to', { host: '127.0.0.1:3000', origin: 'http://127.0.0.1:3000' }, false],
  [
    'that host in another case, with the usual port',
    { host: 'LOCAL.example:80', origin: 'http://local.example' },
    false,
  ],
  ['another origin', { host: 'weft.example', origin: 'https://evil.example' }, true],
  ['a sibling domain', { host: 'weft.example', origin: 'https://blog.weft.example' }, true],
  ['a longer name', { host: 'weft.example', origin: 'https://weft.example.evil.example' }, true],
  ['another port', { host: 'weft.example', origin: 'https://weft.example:8443' }, true],
  ['the public host without TLS', { host: 'weft.example', origin: 'http://weft.example' }, true],
  ['the origin null', { host: 'weft.example', origin: 'null' }, true],
  ['an empty origin', { host: 'weft.example', origin: '' }, true],
  ['a foreign scheme', { host: 'weft.example', origin: 'chrome-extension://weft.example' }, true],
  ['an origin and no host', { origin: 'https://other.example' }, true],
  ['a fetch of the same origin', { host: 'weft.example', 'sec-fetch-site': 'same-origin' }, false],
  ['an address typed by hand', { host: 'weft.example', 'sec-fetch-site': 'none' }, false],
  ['a fetch of the same site', { host: 'weft.example', 'sec-fetch-site': 'same-site' }, true],
  ['a fetch of another site', { host: 'weft.example', 'sec-fetch-site': 'cross-site' }, true],
  ['two answers at once', { host: 'weft.example', 'sec-fetch-site': ['none', 'cross-site'] }, true],
  ['a good origin from another site', { host: 'weft.example', origin: OWN, 'sec-fetch-site': 'cross-site' }, true],
];

describe('the browser rule', () => {
  for (const [what, headers, crosses] of cases) {
    it(`${crosses ? 'refuses' : 'takes'} ${what}`, () => {
      expect(isCrossSite(headers, OWN)).toBe(crosses);
    });
  }

  it('concerns methods that change something', () => {
    expect(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'].filter(isSafeMethod)).toEqual([
      'GET',
      'HEAD',
      'OPTIONS',
    ]);
  });
});
