import { describe, expect, it } from 'vitest';
import { suggestedLinks, type SuggestedLink } from './suggested-links.js';

const server = { url: 'https://{plan}.shop.example/v1/', variables: { plan: { default: 'api' } } };

function linksFor(
  schemes: Readonly<Record<string, object>>,
  scopes: readonly string[] = [],
  base: string | null = null,
) {
  const security = [{ schemes: Object.keys(schemes), scopes }];
  return suggestedLinks({
    security,
    schemes: schemes as Parameters<typeof suggestedLinks>[0]['schemes'],
    server,
    baseUrl: base,
  });
}
const shown = ({ kind, settings }: SuggestedLink) => ({ kind, settings });
const first = (scheme: object) => linksFor({ key: scheme }).map(shown)[0];
const authorization = (description: string) => ({ type: 'apiKey', in: 'header', name: 'Authorization', description });

describe('the link that a document asks for', () => {
  it.each([
    [
      { type: 'http', scheme: 'Basic' },
      { kind: 'basic', settings: {} },
    ],
    [
      { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
      { kind: 'bearer', settings: {} },
    ],
    [
      { type: 'http', scheme: 'Token' },
      { kind: 'header', settings: { header: 'Authorization', prefix: 'Token ' } },
    ],
    [
      { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
      { kind: 'header', settings: { header: 'X-Api-Key' } },
    ],
    [
      { type: 'apiKey', in: 'query', name: 'api_key' },
      { kind: 'query', settings: { parameter: 'api_key' } },
    ],
    [
      { type: 'apiKey', in: 'cookie', name: 'sid' },
      { kind: 'header', settings: { header: 'Cookie', prefix: 'sid=' } },
    ],
  ])('of %j shows the credential in its place', (scheme, link) => {
    expect(first(scheme)).toEqual(link);
  });

  it.each([
    ['Prefix "Translate-Key "', 'Translate-Key '],
    ['JWT Authorization header. Example: "Authorization: Token {token}"', 'Token '],
    ['Send `Key <your key>`.', 'Key '],
    ['The key, prefixed with Apikey', 'Apikey '],
    ['The key of your account', undefined],
  ])('has the word before the key that only prose tells: %s', (description, prefix) => {
    const settings = { header: 'Authorization', ...(prefix !== undefined && { prefix }) };
    expect(first(authorization(description))).toEqual({ kind: 'header', settings });
  });

  it.each(['Use "Bearer <token>".', 'Authorization: Bearer {token}', 'the Bearer scheme'])(
    'is a token where prose says so: %s',
    (description) => {
      expect(first(authorization(description))).toEqual({ kind: 'bearer', settings: {} });
    },
  );

  it('is at the server, or at the address that the company has set', () => {
    const scheme = { key: { type: 'http', scheme: 'bearer' } };
    expect(linksFor(scheme)[0]?.endpoint).toBe('https://api.shop.example/v1');
    expect(linksFor(scheme, [], 'https://own.example/api')[0]?.endpoint).toBe('https://own.example/api');
    const elsewhere = { security: [{ schemes: ['key'], scopes: [] }], schemes: scheme, baseUrl: null };
    expect(suggestedLinks({ ...elsewhere, server: { url: '/v1' } })[0]?.endpoint).toBeNull();
    expect(
      suggestedLinks({ ...elsewhere, server: { url: 'https://user:secret@shop.example' } })[0]?.endpoint,
    ).toBeNull();
  });

  it('fetches tokens by each flow that it can, with addresses relative to the server, and the scopes that are needed', () => {
    const oauth = {
      type: 'oauth2',
      flows: {
        clientCredentials: { tokenUrl: '/token' },
        authorizationCode: { authorizationUrl: 'https://id.example/a', tokenUrl: 'https://id.example/t' },
        implicit: { authorizationUrl: 'https://id.example/i' },
      },
    };
    expect(linksFor({ oauth }, ['orders:read', 'with blank', 'orders:write'])).toEqual([
      expect.objectContaining({
        kind: 'oauth2',
        settings: { authorize_url: 'https://id.example/a', token_url: 'https://id.example/t' },
        scopes: ['orders:read', 'orders:write'],
      }),
      expect.objectContaining({
        kind: 'oauth2_client_credentials',
        settings: { token_url: 'https://api.shop.example/token' },
        scopes: ['orders:read', 'orders:write'],
      }),
      expect.objectContaining({ kind: 'bearer', settings: {}, scopes: [] }),
    ]);
  });

  it('shows several credentials in headers, each secret under its own name', () => {
    const key = (name: string) => ({ type: 'apiKey', in: 'header', name });
    expect(
      linksFor({ apiKey: key('DD-API-KEY'), 'api key': key('DD-APP-KEY'), id: { type: 'openIdConnect' } }).map(shown),
    ).toEqual([
      {
        kind: 'headers',
        settings: {
          headers: {
            'DD-API-KEY': '{{api_key_1}}',
            'DD-APP-KEY': '{{api_key_2}}',
            Authorization: 'Bearer {{id_3}}',
          },
        },
      },
    ]);
  });

  it.each([
    [{ key: { type: 'http', scheme: 'digest' } }],
    [{ key: { type: 'mutualTLS' } }],
    [{ key: { type: 'apiKey', in: 'header', name: 'X Key\r\nHost: x' } }],
    [{ key: { type: 'apiKey', in: 'body', name: 'k' } }],
    [{ a: { type: 'http', scheme: 'basic' }, b: { type: 'apiKey', in: 'header', name: 'X-Key' } }],
    [{ a: { type: 'http', scheme: 'bearer' }, b: authorization('the same header') }],
  ])('is not there where no kind of link can show it: %j', (schemes) => {
    expect(linksFor(schemes)).toEqual([]);
  });

  it('takes names for nothing but names', () => {
    const security = [
      { schemes: ['constructor'], scopes: [] },
      { schemes: ['__proto__'], scopes: [] },
    ];
    expect(suggestedLinks({ security, schemes: {}, server, baseUrl: null })).toEqual([]);
  });
});
