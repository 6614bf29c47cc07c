import type { EgressClient } from '@weft/egress';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { guardedFetch } from './guarded-fetch.js';
import { TokenEndpoint } from './token-endpoint.js';

afterEach(() => vi.restoreAllMocks());

const URL_OF = 'https://as.example/token';
const answering = (body: Buffer): EgressClient => ({
  request: async () => ({ statusCode: 200, headers: {}, url: URL_OF, body }),
  close: async () => undefined,
});
const client = { settings: { token_url: URL_OF, client_id: 'id' }, secret: null };

describe('JSON of a provider that is nested too deep', () => {
  it.each<[string, (http: EgressClient) => Promise<unknown>]>([
    ['tokens', (http) => new TokenEndpoint(http, () => 0).clientCredentials(client, [])],
    ['a sign-in', (http) => guardedFetch(http)(URL_OF, { method: 'GET', headers: {}, body: null } as never)],
  ])('is refused before it is parsed, in the answers of %s', async (_what, ask) => {
    const parse = vi.spyOn(JSON, 'parse');
    for (const fill of ['[', '{"keys":']) {
      await expect(ask(answering(Buffer.alloc(262_144, fill)))).rejects.toThrow();
    }
    expect(parse).not.toHaveBeenCalled();
  });
});
