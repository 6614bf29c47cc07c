import { once } from 'node:events';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { describe, expect, it } from 'vitest';
import { Exchange } from './exchange.js';
import { canary, client, get, refusal, serve, serveTcp } from './local-servers.fixture.js';
import { readRequest } from './outgoing-request.js';

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

  it('tells how many bytes of an announced answer are there, as long as more are to come', async () => {
    const origin = await serve(({ url }, response) => {
      if (url !== '/') return void response.writeHead(302, { location: '/', 'content-length': 9 }).end('elsewhere');
      response.setHeader('content-length', 10).write('1234');
      sendTheRest = () => response.end('567890');
    });
    let sendTheRest = (): unknown => undefined;
    const told: string[] = [];
    const onProgress = (received: number, announced: number) => {
      told.push(`${received} of ${announced}`);
      sendTheRest();
    };
    expect((await client().request(get(`${origin}/moved`, { onProgress, maxRedirects: 1 }))).body.toString()).toBe(
      '1234567890',
    );
    expect(told).toEqual(['4 of 10']);
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

  it('keeps nothing of the body of a redirect', async () => {
    const sent: string[] = [];
    const dispatcher = { dispatch: ({ path }: { path: string }) => (sent.push(path), true) } as unknown as Dispatcher;
    const controller = { abort: () => undefined, pause: () => undefined } as unknown as Dispatcher.DispatchController;
    const request = get('http://peer.example/first', { maxResponseBytes: 100_000 });
    const exchange = new Exchange(dispatcher, readRequest(request, 'weft'), request);
    const call = exchange.start();
    exchange.onRequestStart(controller);
    exchange.onResponseStart(controller, 302, { location: '/second' });
    for (let i = 0; i < 50; i += 1) exchange.onResponseData(controller, Buffer.alloc(1_000));
    expect(Reflect.get(exchange, 'chunks')).toEqual([]);
    exchange.onResponseEnd();
    expect(sent).toEqual(['/first', '/second']);
    exchange.onResponseStart(controller, 302, { location: '/third' });
    for (let i = 0; i < 101; i += 1) exchange.onResponseData(controller, Buffer.alloc(1_000));
    await expect(call).rejects.toEqual(refusal('output_too_large'));
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
    signal.addEventListener = (...args: Parameters<typeof add>) => ((listeners += 1), add(...args));
    signal.removeEventListener = (...args: Parameters<typeof remove>) => ((listeners -= 1), remove(...args));
    await client().request(get(origin, { signal }));
    expect(listeners).toBe(0);
  });
});

/** One byte of a header in each turn of the event loop: never silent, never done. */
function drip(socket: Socket): void {
  if (socket.bytesWritten === 0) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n');
  if (socket.destroyed) return;
  socket.write('a', () => setImmediate(() => drip(socket)));
}

describe('a call that fails', () => {
  const failed = async (url: string, more = {}) =>
    client()
      .request(get(url, { maxRedirects: 1, ...more }))
      .catch((error: unknown) => error);

  it('says what the address that was asked for has answered, also when a redirect failed', async () => {
    const gone = createTcpServer();
    await once(gone.listen(0, '127.0.0.1'), 'listening');
    const { port } = gone.address() as AddressInfo;
    gone.close();
    await once(gone, 'close');
    const origin = await serve(({ url }, response) => {
      if (url === '/coded') return void response.setHeader('content-encoding', 'gzip').end('not gzip');
      const location = { '/gone': `http://127.0.0.1:${port}/`, '/bad': 'http://' }[url ?? ''] ?? '/again';
      response.writeHead(302, { location }).end();
    });
    for (const path of ['/gone', '/bad', '/again']) {
      expect(await failed(origin + path)).toMatchObject({ code: 'connect_failed', firstStatus: 302 });
    }
    expect(await failed(`${origin}/coded`)).toMatchObject({ code: 'connect_failed', firstStatus: 200 });
    const nobody = await failed(`http://127.0.0.1:${port}/`);
    expect(nobody).toMatchObject({ code: 'connect_failed' });
    expect(nobody).not.toHaveProperty('firstStatus', expect.any(Number));
  });
});
