import type { EgressClient } from '@weft/egress';
import { describe, expect, it } from 'vitest';
import { TokenEndpoint } from './token-endpoint.js';

const SECRET = 's3cr3t-words';
const client = { settings: { token_url: 'https://as.example/token', client_id: 'id' }, secret: SECRET };

function answering(statusCode: number, body: unknown): TokenEndpoint {
  const answer = { statusCode, headers: {}, url: client.settings.token_url, body: Buffer.from(JSON.stringify(body)) };
  const http = { request: async () => answer } as unknown as Pick<EgressClient, 'request'>;
  return new TokenEndpoint(http, () => 0);
}

describe('what a token server refuses', () => {
  it.each([
    [400, { error: 'invalid_scope' }, 'invalid_response', 'invalid_scope'],
    [400, { error: 'invalid_grant' }, 'refresh_refused', 'invalid_grant'],
    [200, { error: 'bad_refresh_token' }, 'refresh_refused', 'bad_refresh_token'],
    [503, { error: 'temporarily_unavailable' }, 'provider_unavailable', 'temporarily_unavailable'],
    [400, { error: SECRET }, 'invalid_response', 'it answered 400'],
    [200, { error: SECRET, error_description: SECRET }, 'invalid_response', 'it answered 200'],
    [500, { error: SECRET }, 'provider_unavailable', 'it answered 500'],
    [429, { error: SECRET }, 'provider_unavailable', 'it answered 429'],
  ])(
    'is said with a known code or its status, never with its own words: %j %j',
    async (status, body, code, message) => {
      await expect(answering(status, body).clientCredentials(client, [])).rejects.toMatchObject({ code, message });
    },
  );
});

describe('tokens that a server gives', () => {
  it.each([
    ['with an error that is null', { access_token: 't', error: null }],
    ['with an error that is empty', { access_token: 't', error: '' }],
  ])('are taken %s', async (_how, body) => {
    expect(await answering(200, body).clientCredentials(client, [])).toMatchObject({ accessToken: 't' });
  });

  it('are taken after a byte order mark', async () => {
    const body = Buffer.from('\ufeff{"access_token":"t"}');
    const http = { request: async () => ({ statusCode: 200, headers: {}, url: '', body }) };
    const endpoint = new TokenEndpoint(http, () => 0);
    expect(await endpoint.clientCredentials(client, [])).toMatchObject({ accessToken: 't' });
  });

  it.each([
    [6, 10],
    [60, 60],
    ['60', 60],
    [undefined, 3_600],
    [0, 3_600],
    [-1, 3_600],
    ['', 3_600],
    ['soon', 3_600],
    [1e300, 366 * 86_400],
  ])('last as long as it says, ten seconds at least: %j', async (expires_in, seconds) => {
    const given = await answering(200, { access_token: 't', expires_in }).clientCredentials(client, []);
    expect(given.expiresAt).toEqual(new Date(seconds * 1_000));
  });
});
