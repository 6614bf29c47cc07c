import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Server as TcpServer, type Socket } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEgressClient, type EgressClientOptions } from './create-egress-client.js';
import { EgressError, type EgressClient, type EgressRequest } from './egress-client.js';

const LOOPBACK = { cidr: '127.0.0.1/32', port: null };

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

async function serve(listener: RequestListener, host = '127.0.0.1'): Promise<string> {
  const server: Server = createServer(listener);
  server.listen(0, host);
  await once(server, 'listening');
  closers.push(async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });
  return `http://${host}:${(server.address() as AddressInfo).port}`;
}

async function serveTcp(onSocket: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server: TcpServer = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => sockets.delete(socket));
    onSocket(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((done) => server.close(done));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A server that must never be reached: an error of the caller proves nothing, an empty list here does. */
async function canary(): Promise<{ origin: string; hits: string[] }> {
  const hits: string[] = [];
  const origin = await serve((request, response) => {
    hits.push(request.url ?? '');
    response.end('reached');
  });
  return { origin, hits };
}

function client(options: Partial<EgressClientOptions> = {}): EgressClient {
  const made = createEgressClient({ allow: [LOOPBACK], ...options });
  closers.push(() => made.close());
  return made;
}

const get = (url: string, part: Partial<EgressRequest> = {}): EgressRequest => ({
  method: 'GET',
  url,
  timeoutMs: 5_000,
  maxRedirects: 5,
  maxResponseBytes: 1_000_000,
  ...part,
});

const refusal = (code: string) => expect.objectContaining({ name: 'EgressError', code });

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
    // A call that follows at once finds the first socket still being put back, and opens a second one.
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
    const before = process.env['HTTP_PROXY'];
    process.env['HTTP_PROXY'] = proxy.origin;
    try {
      expect((await client().request(get(origin))).body.toString()).toBe('direct');
      expect(proxy.hits).toEqual([]);
    } finally {
      if (before === undefined) delete process.env['HTTP_PROXY'];
      else process.env['HTTP_PROXY'] = before;
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

describe('the guard', () => {
  let target: Awaited<ReturnType<typeof canary>>;
  let port: string;
  beforeEach(async () => {
    target = await canary();
    port = new URL(target.origin).port;
  });

  it.each([
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '017700000001',
    '127.0.0.1.',
    '0.0.0.0',
    '0',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '[fd00:ec2::254]',
    '[fe80::1]',
    '169.254.169.254',
    '10.0.0.1',
    '100.64.0.1',
    'localhost',
    'LOCALHOST',
    'example.com@127.0.0.1',
    '127。0。0。1',
    '１２７.0.0.1',
    'ⓛocalhost',
    '%31%32%37.0.0.1',
  ])('never lets a call reach %s', async (host) => {
    const egress = client({ allow: [] });
    await expect(egress.request(get(`http://${host}:${port}/`))).rejects.toEqual(refusal('destination_blocked'));
    expect(target.hits).toEqual([]);
  });

  it('never reaches this machine by a rooted name, whether the resolver knows it or not', async () => {
    await expect(client({ allow: [] }).request(get(`http://localhost.:${port}/`))).rejects.toBeInstanceOf(EgressError);
    expect(target.hits).toEqual([]);
  });

  it('reads a fragment as no part of the host', async () => {
    const egress = client({ allow: [], resolve: (_host, callback) => callback(new Error('no such name'), []) });
    await expect(egress.request(get(`http://name.example#@127.0.0.1:${port}/`))).rejects.toEqual(
      refusal('connect_failed'),
    );
    expect(target.hits).toEqual([]);
  });

  it('connects to the address it judged, so a name cannot be bound again in between', async () => {
    const answers = ['203.0.113.9', '127.0.0.1'];
    let asked = 0;
    const egress = client({
      allow: [{ cidr: '203.0.113.9/32', port: null }],
      connectTimeoutMs: 100,
      resolve: (_host, callback) => callback(null, [{ address: answers[asked++] ?? '127.0.0.1', family: 4 }]),
    });
    // The first answer is let through and leads nowhere; what counts is that the second is never fetched for the same call.
    await expect(egress.request(get(`http://rebind.example:${port}/`, { timeoutMs: 50 }))).rejects.toBeInstanceOf(
      Error,
    );
    expect(asked).toBe(1);
    await expect(egress.request(get(`http://rebind.example:${port}/`))).rejects.toEqual(refusal('destination_blocked'));
    expect(target.hits).toEqual([]);
  });

  it('refuses a name when one of its answers is refused', async () => {
    const egress = client({
      allow: [],
      resolve: (_host, callback) =>
        callback(null, [
          { address: '198.41.0.4', family: 4 },
          { address: '127.0.0.1', family: 4 },
        ]),
    });
    const error: unknown = await egress.request(get(`http://mixed.example:${port}/`)).catch((e: unknown) => e);
    expect(error).toEqual(refusal('destination_blocked'));
    expect(String(error)).toContain('mixed.example');
    expect(String(error)).not.toContain('127.0.0.1');
    expect(target.hits).toEqual([]);
  });

  it('uses the opened ones among the answers, and only on the opened port', async () => {
    const resolve: EgressClientOptions['resolve'] = (_host, callback) =>
      callback(null, [
        { address: '::1', family: 6 },
        { address: '127.0.0.1', family: 4 },
      ]);
    const egress = client({ allow: [{ cidr: '127.0.0.1/32', port: Number(port) }], resolve });
    expect((await egress.request(get(`http://demo.example:${port}/a`))).statusCode).toBe(200);
    const other = await canary();
    const otherPort = new URL(other.origin).port;
    await expect(egress.request(get(`http://demo.example:${otherPort}/`))).rejects.toEqual(
      refusal('destination_blocked'),
    );
    await expect(egress.request(get(other.origin))).rejects.toEqual(refusal('destination_blocked'));
    expect([target.hits, other.hits]).toEqual([['/a'], []]);
  });

  it.each([
    'http://169.254.169.254/latest/meta-data/',
    'http://[::ffff:a9fe:a9fe]/',
    'http://2852039166/',
    'http://10.0.0.1/',
    'file:///etc/passwd',
    'gopher://127.0.0.1/',
  ])('judges the hop of a redirect to %s', async (location) => {
    const origin = await serve((_request, response) => response.writeHead(302, { location }).end());
    await expect(client().request(get(origin))).rejects.toEqual(refusal('destination_blocked'));
  });

  it('judges each hop, also the last of several', async () => {
    const origin = await serve((request, response) => {
      const next = { '/1': '/2', '/2': '/3', '/3': target.origin.replace('127.0.0.1', '127.0.0.2') }[request.url ?? ''];
      response.writeHead(302, { location: next }).end();
    });
    await expect(client().request(get(`${origin}/1`))).rejects.toEqual(refusal('destination_blocked'));
    expect(target.hits).toEqual([]);
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
    expect([response.statusCode, response.headers['location']]).toEqual([302, '/again']);
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

describe('limits', () => {
  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['gzip, br', (text: string) => brotliCompressSync(gzipSync(text))],
  ])('decodes %s', async (encoding, encode) => {
    const origin = await serve((_request, response) =>
      response.setHeader('content-encoding', encoding).end(encode('plain text')),
    );
    expect((await client().request(get(origin))).body.toString()).toBe('plain text');
  });

  it('leaves an unknown coding as it came', async () => {
    const origin = await serve((_request, response) => response.setHeader('content-encoding', 'mine').end('abc'));
    expect((await client().request(get(origin))).body.toString()).toBe('abc');
  });

  it('says so when the body is not what its coding claims', async () => {
    const origin = await serve((_request, response) => response.setHeader('content-encoding', 'gzip').end('not gzip'));
    await expect(client().request(get(origin))).rejects.toEqual(refusal('connect_failed'));
  });

  it('counts bytes after decompression, whatever the bomb announces', async () => {
    const bomb = gzipSync(Buffer.alloc(20_000_000));
    const origin = await serve((_request, response) => response.setHeader('content-encoding', 'gzip').end(bomb));
    expect(bomb.byteLength).toBeLessThan(100_000);
    await expect(client().request(get(origin, { maxResponseBytes: 100_000 }))).rejects.toEqual(
      refusal('output_too_large'),
    );
  });

  it('takes as many bytes as allowed and not one more, announced or not', async () => {
    const origin = await serve((request, response) => {
      if (request.url === '/chunked') response.write('12345');
      else response.setHeader('content-length', '10');
      response.end(request.url === '/chunked' ? '67890' : '1234567890');
    });
    for (const path of ['/announced', '/chunked']) {
      const egress = client();
      expect((await egress.request(get(origin + path, { maxResponseBytes: 10 }))).body.byteLength).toBe(10);
      await expect(egress.request(get(origin + path, { maxResponseBytes: 9 }))).rejects.toEqual(
        refusal('output_too_large'),
      );
    }
  });

  it('stops reading an endless body and closes its socket', async () => {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    const origin = await serve((_request, response) => {
      response.on('close', resolve);
      const pour = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(16_384)));
      };
      response.on('drain', pour);
      pour();
    });
    await expect(client().request(get(origin))).rejects.toEqual(refusal('output_too_large'));
    await closed;
  });

  it('refuses more headers than 32 KB', async () => {
    const origin = await serveTcp((socket) => {
      socket.once('data', () => socket.write(`HTTP/1.1 200 OK\r\nx-large: ${'a'.repeat(40_000)}\r\n\r\n`));
    });
    await expect(client().request(get(origin))).rejects.toEqual(refusal('output_too_large'));
  });

  it.each<[string, (socket: Socket) => void]>([
    ['hangs', () => undefined],
    ['stops after its headers', (socket) => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n')],
    ['drips', (socket) => drip(socket)],
  ])('ends the call of a server that %s, and its socket', async (_what, behave) => {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    const origin = await serveTcp((socket) => {
      socket.on('close', () => resolve());
      socket.once('data', () => behave(socket));
    });
    await expect(client().request(get(origin, { timeoutMs: 60 }))).rejects.toEqual(refusal('timeout'));
    await closed;
  });

  it('counts the time over all hops', async () => {
    const origin = await serve((request, response) => {
      const n = Number(request.url?.slice(1));
      setTimeout(() => response.writeHead(302, { location: `/${n + 1}` }).end(), 25);
    });
    await expect(client().request(get(`${origin}/0`, { timeoutMs: 60, maxRedirects: 100 }))).rejects.toEqual(
      refusal('timeout'),
    );
  });

  it.each<[string, (socket: Socket) => void]>([
    ['resets', (socket) => void socket.resetAndDestroy()],
    ['closes without an answer', (socket) => void socket.end()],
    ['cuts the body', (socket) => void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\nabc')],
    ['does not speak HTTP', (socket) => void socket.end('220 mail.example ESMTP\r\n')],
    [
      'upgrades unasked',
      (socket) => void socket.write('HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    ],
    [
      'frames its body in two ways',
      (socket) => void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\nabc'),
    ],
  ])('fails the call of a server that %s', async (_what, behave) => {
    const origin = await serveTcp((socket) => socket.once('data', () => behave(socket)));
    const error: unknown = await client()
      .request(get(`${origin}/secret-path`))
      .catch((e: unknown) => e);
    expect(error).toEqual(refusal('connect_failed'));
    expect(String(error)).toContain(new URL(origin).host);
    expect(String(error)).not.toContain('secret-path');
  });

  it('fails the call of a port where nobody listens', async () => {
    const gone = createTcpServer().listen(0, '127.0.0.1');
    await once(gone, 'listening');
    const { port } = gone.address() as AddressInfo;
    await new Promise((done) => gone.close(done));
    await expect(client().request(get(`http://127.0.0.1:${port}/`))).rejects.toEqual(refusal('connect_failed'));
  });

  it('fails the call of a name that nobody knows', async () => {
    const egress = client({
      resolve: (_host, callback) => callback(Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' }), []),
    });
    const error: unknown = await egress.request(get('http://nowhere.example/')).catch((e: unknown) => e);
    expect(error).toEqual(refusal('connect_failed'));
    expect(String(error)).toContain('nowhere.example');
  });
});

describe('an aborted signal', () => {
  it('ends a call in flight and its socket', async () => {
    const { promise: arrived, resolve: onArrived } = Promise.withResolvers<void>();
    const { promise: closed, resolve: onClosed } = Promise.withResolvers<void>();
    const origin = await serveTcp((socket) => {
      socket.on('close', () => onClosed());
      socket.once('data', () => onArrived());
    });
    const abort = new AbortController();
    const call = client().request(get(origin, { signal: abort.signal }));
    await arrived;
    abort.abort(new Error('lost the play'));
    await expect(call).rejects.toEqual(refusal('cancelled'));
    await closed;
  });

  it('ends a call before it is made', async () => {
    const target = await canary();
    await expect(client().request(get(target.origin, { signal: AbortSignal.abort() }))).rejects.toEqual(
      refusal('cancelled'),
    );
    expect(target.hits).toEqual([]);
  });

  it('ends a call that still waits for its connection, which then sends nothing', async () => {
    const target = await canary();
    const { promise: asked, resolve: onAsked } = Promise.withResolvers<void>();
    let answer = (): void => undefined;
    const egress = client({
      resolve: (_host, callback) => {
        answer = () => callback(null, [{ address: '127.0.0.1', family: 4 }]);
        onAsked();
      },
    });
    const abort = new AbortController();
    const call = egress.request(get(`http://slow.example:${new URL(target.origin).port}/`, { signal: abort.signal }));
    await asked;
    abort.abort();
    await expect(call).rejects.toEqual(refusal('cancelled'));
    answer();
    await egress.close();
    expect(target.hits).toEqual([]);
  });

  it('is a timeout when its reason says so', async () => {
    const origin = await serveTcp(() => undefined);
    const reason = new DOMException('over', 'TimeoutError');
    const call = client().request(get(origin, { signal: AbortSignal.abort(reason) }));
    await expect(call).rejects.toEqual(refusal('timeout'));
  });

  it('is let go of when the call ends', async () => {
    const origin = await serve((_request, response) => response.end('ok'));
    const { signal } = new AbortController();
    let listeners = 0;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = ((...args: Parameters<typeof add>) => ((listeners += 1), add(...args))) as typeof add;
    signal.removeEventListener = ((...args: Parameters<typeof remove>) => (
      (listeners -= 1),
      remove(...args)
    )) as typeof remove;
    await client().request(get(origin, { signal }));
    expect(listeners).toBe(0);
  });
});

it('refuses calls after it was closed', async () => {
  const egress = createEgressClient({ allow: [LOOPBACK] });
  await egress.close();
  await expect(egress.request(get('http://127.0.0.1:1/'))).rejects.toEqual(refusal('cancelled'));
});

/** One byte of a header each turn of the loop: never silent, never done. */
function drip(socket: Socket): void {
  if (socket.bytesWritten === 0) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n');
  if (socket.destroyed) return;
  socket.write('a', () => setImmediate(() => drip(socket)));
}
