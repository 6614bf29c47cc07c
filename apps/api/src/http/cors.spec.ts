import { createAdapter } from '@weft/process';
import { describe, expect, it } from 'vitest';
import { allowOrigins } from './cors.js';

/** What a page of this origin is answered: to its question, and to its call. */
async function asked(origins: readonly string[], origin: string) {
  const adapter = createAdapter();
  allowOrigins(adapter, origins);
  const server = adapter.getInstance();
  server.put('/api/v1/kv/a', () => ({ ok: true }));
  const question = {
    'access-control-request-method': 'PUT',
    'access-control-request-headers': 'authorization,if-match',
  };
  const url = '/api/v1/kv/a';
  const preflight = await server.inject({ method: 'OPTIONS', url, headers: { origin, ...question } });
  const call = await server.inject({ method: 'PUT', url, headers: { origin } });
  await server.close();
  return { preflight, call };
}

describe('pages of other origins', () => {
  it.each([
    ['an origin that is named', ['https://a.example', 'http://localhost:5173'], 'http://localhost:5173'],
    ['any', ['*'], '*'],
  ])('of %s may call, and send no cookies', async (_which, origins, allowed) => {
    const { preflight, call } = await asked(origins, 'http://localhost:5173');
    expect(preflight.statusCode).toBe(204);
    expect(preflight.headers).toMatchObject({
      'access-control-allow-origin': allowed,
      'access-control-allow-methods': expect.stringContaining('PUT') as string,
      'access-control-allow-headers': expect.stringContaining('Authorization') as string,
    });
    expect(call.headers['access-control-allow-origin']).toBe(allowed);
    expect(call.headers['access-control-expose-headers']).toContain('ETag');
    for (const { headers } of [preflight, call]) expect(headers).not.toHaveProperty('access-control-allow-credentials');
  });

  it.each([
    ['nobody is named', []],
    ['others are named', ['https://a.example']],
  ])('are not told that they may where %s', async (_which, origins) => {
    for (const origin of ['https://evil.example', 'https://a.example.evil.example', 'null', 'http://a.example']) {
      const { preflight, call } = await asked(origins, origin);
      for (const { headers } of [preflight, call]) expect(headers['access-control-allow-origin']).toBeUndefined();
    }
  });
});
