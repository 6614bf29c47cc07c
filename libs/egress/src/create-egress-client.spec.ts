import type { IncomingMessage, RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createEgressClient } from './create-egress-client.js';
import { LOOPBACK, canary, client, get, refusal, serve } from './local-servers.fixture.js';

async function bodyOf(request: IncomingMessage): Promise<string> {
  return Buffer.concat(await request.toArray()).toString('utf8');
}

describe('a plain exchange', () => {
  it('sends method, path, headers and body, and gives status, joined headers and bytes', async () => {
    let seen: unknown;
    const origin = await serve(async (request, response) => {
      seen = { method: request.method, url: request.url, header: request.headers['x-a'], body: await bodyOf(request) };
      response.writeHead(
        201,
        [
          ['X-One', 'a'],
          ['X-One', 'b'],
          ['Set-Cookie', 'c=1'],
          ['Set-Cookie', 'd=2'],
          ['__proto__', 'x'],
        ].flat(),
      );
      response.end('héllo');
    });
    const response = await client().request(
      get(`${origin}/p?q=1#fragment`, { method: 'post', headers: { 'X-A': 'ä' }, body: 'bödy' }),
    );
    expect(seen).toEqual({ method: 'POST', url: '/p?q=1', header: 'ä', body: 'bödy' });
    expect(response.statusCode).toBe(201);
    expect(response.headers).toMatchObject({ 'x-one': 'a, b', 'set-cookie': 'c=1, d=2' });
    expect(Object.hasOwn(response.headers, '__proto__')).toBe(false);
    expect(response.body.toString('utf8')).toBe('héllo');
    expect(response.url).toBe(`${origin}/p?q=1`);
  });

  it('uses its connections again', async () => {
    const ports = new Set<number | undefined>();
    const origin = await serve((request, response) => {
      ports.add(request.socket.remotePort);
      response.end('ok');
    });
    const egress = client();
    for (let i = 0; i < 20; i += 1) await egress.request(get(origin));
    // A call that follows at once may find the first socket still in use, and open a second one.
    expect(ports.size).toBeLessThanOrEqual(2);
  });

  it('keeps no cookies', async () => {
    const cookies: unknown[] = [];
    const origin = await serve((request, response) => {
      cookies.push(request.headers.cookie);
      response.setHeader('set-cookie', 'sid=1').end();
    });
    const egress = client();
    await egress.request(get(origin));
    await egress.request(get(origin));
    expect(cookies).toEqual([undefined, undefined]);
  });

  it('ignores the proxies of the environment', async () => {
    const proxy = await canary();
    const origin = await serve((_request, response) => response.end('direct'));
    const before = process.env.HTTP_PROXY;
    process.env.HTTP_PROXY = proxy.origin;
    try {
      expect((await client().request(get(origin))).body.toString()).toBe('direct');
      expect(proxy.hits).toEqual([]);
    } finally {
      if (before === undefined) delete process.env.HTTP_PROXY;
      else process.env.HTTP_PROXY = before;
    }
  });

  it('answers a HEAD whose length is past the limit, since nothing follows', async () => {
    const origin = await serve((_request, response) => response.setHeader('content-length', '5000').end());
    const response = await client().request(get(origin, { method: 'HEAD', maxResponseBytes: 10 }));
    expect(response.statusCode).toBe(200);
    expect(response.body.byteLength).toBe(0);
  });

  it('passes over 1xx answers', async () => {
    const origin = await serve((_request, response) => {
      response.writeEarlyHints({ link: '</a>; rel=preload' });
      response.end('done');
    });
    const response = await client().request(get(origin));
    expect([response.statusCode, response.body.toString()]).toEqual([200, 'done']);
  });
});

describe('redirects', () => {
  it('are followed with credentials at home and without abroad', async () => {
    const seen: unknown[] = [];
    const listener: RequestListener = (request, response) => {
      seen.push([request.method, request.url, request.headers.authorization, request.headers.cookie]);
      if (request.url === '/1') response.writeHead(307, { location: '/2' }).end('ignored');
      else if (request.url === '/2') response.writeHead(302, { location: `${abroad}/3` }).end();
      else response.end('there');
    };
    const abroad = await serve(listener);
    const home = await serve(listener);
    const response = await client().request(
      get(`${home}/1`, { headers: { Authorization: 'Bearer secret', cookie: 'a=b' } }),
    );
    expect(response.body.toString()).toBe('there');
    expect(response.url).toBe(`${abroad}/3`);
    expect(seen).toEqual([
      ['GET', '/1', 'Bearer secret', 'a=b'],
      ['GET', '/2', 'Bearer secret', 'a=b'],
      ['GET', '/3', undefined, undefined],
    ]);
  });

  it('end with the limit, and are answers when the limit is 0', async () => {
    let hits = 0;
    const origin = await serve((_request, response) => {
      hits += 1;
      response.writeHead(302, { location: '/again' }).end();
    });
    await expect(client().request(get(origin, { maxRedirects: 3 }))).rejects.toEqual(refusal('connect_failed'));
    expect(hits).toBe(4);
    const response = await client().request(get(origin, { maxRedirects: 0 }));
    expect([response.statusCode, response.headers.location]).toEqual([302, '/again']);
  });

  it('send the body again where the status says so', async () => {
    const bodies: string[] = [];
    const origin = await serve(async (request, response) => {
      bodies.push(`${request.method} ${await bodyOf(request)}`);
      if (request.url === '/1') response.writeHead(308, { location: '/2' });
      response.end();
    });
    await client().request(get(`${origin}/1`, { method: 'POST', body: 'x' }));
    expect(bodies).toEqual(['POST x', 'POST x']);
  });
});

it('refuses calls after it was closed', async () => {
  const egress = createEgressClient({ allow: [LOOPBACK] });
  await egress.close();
  await expect(egress.request(get('http://127.0.0.1:1/'))).rejects.toEqual(refusal('cancelled'));
});
