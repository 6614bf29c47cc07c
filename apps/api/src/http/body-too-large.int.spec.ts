import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { liveApi } from '../../../../test/api/live-api.js';

const { app } = await liveApi();
const { port } = app.getHttpAdapter().getInstance().server.address() as AddressInfo;

const FIVE_MB = 5 * 1024 * 1024;

describe('a body of 5 MB', () => {
  it.each([
    ['POST', '/api/v1/flows/none/run'],
    ['POST', '/api/v1/flows/none/run-batch'],
    ['POST', '/api/v1/plays'],
    ['POST', '/api/v1/flows/import'],
    ['PUT', '/api/v1/kv/one'],
    ['POST', '/mcp'],
    ['POST', '/nowhere'],
  ])('%s %s is answered 413 to who sends it with fetch', async (method, path) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ args: { text: 'x'.repeat(FIVE_MB) } }),
    });
    expect([answer.status, await answer.json()]).toMatchObject([413, { code: 'body_too_large' }]);
  });
});
