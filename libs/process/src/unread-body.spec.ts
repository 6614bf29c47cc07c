import { fastify } from 'fastify';
import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { drainUnreadBodies, type DrainLimits } from './unread-body.js';

const LIMIT = 1024 * 1024;
const TEXT = { 'content-type': 'text/plain' };
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A server whose bodies may have 1 MB, and that refuses some before it reads them. */
async function server(limits?: DrainLimits): Promise<number> {
  const app = fastify({ bodyLimit: LIMIT, forceCloseConnections: true });
  drainUnreadBodies(app, limits);
  app.post('/', () => 'taken');
  app.post(
    '/refused',
    { onRequest: (_request, reply) => void reply.code(401).send({ code: 'unauthenticated' }) },
    () => '',
  );
  await app.listen({ port: 0, host: '127.0.0.1' });
  closing.push(() => app.close());
  return (app.server.address() as AddressInfo).port;
}

async function* pieces(bytes: number): AsyncGenerator<Buffer> {
  for (let sent = 0; sent < bytes; sent += 65_536) {
    yield Buffer.alloc(65_536, 'x');
  }
}

function open(port: number): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  closing.push(() => socket.destroy());
  return socket;
}

/** Sends for ever, no faster than the server reads. */
function sendForEver(socket: Socket, frame: (chunk: string) => string): void {
  const chunk = frame('x'.repeat(16_384));
  const more = (): void => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on('drain', more);
  more();
}

const inChunk = (chunk: string): string => `${chunk.length.toString(16)}\r\n${chunk}\r\n`;

/** What was answered until the server closed the connection. */
async function answered(socket: Socket): Promise<string> {
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  await once(socket, 'close');
  return text;
}

describe('an answer that does not wait for the body', () => {
  it.each([5, 20])('is read by fetch, which sends a body of %i MB to its end', async (mb) => {
    const port = await server();
    for (const path of ['/', '/refused']) {
      const body = new Uint8Array(mb * LIMIT);
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body, headers: TEXT });
      expect([path, answer.status]).toEqual([path, path === '/' ? 413 : 401]);
    }
  });

  it('is read by a client that sends in pieces without a length', async () => {
    const port = await server();
    const body = Readable.toWeb(Readable.from(pieces(5 * LIMIT))) as NonNullable<RequestInit['body']>;
    const sent = { method: 'POST', body, headers: TEXT, duplex: 'half' as const };
    expect((await fetch(`http://127.0.0.1:${port}/`, sent)).status).toBe(413);
  });

  it('does not wait for a client that sends for ever: neither its bytes nor its time are without end', async () => {
    for (const limits of [
      { bytes: 4 * LIMIT, ms: 60_000 },
      { bytes: Number.POSITIVE_INFINITY, ms: 50 },
    ]) {
      const socket = open(await server(limits));
      socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n');
      sendForEver(socket, inChunk);
      await new Promise((closed) => socket.on('close', closed));
      expect(socket.destroyed).toBe(true);
    }
  });

  it('comes at once where more is announced than is read', async () => {
    const socket = open(await server({ bytes: 2 * LIMIT, ms: 60_000 }));
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: ${3 * LIMIT}\r\n\r\n`);
    expect(await answered(socket)).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('ends with a client that has gone', async () => {
    const port = await server({ bytes: Number.POSITIVE_INFINITY, ms: 60_000 });
    const socket = open(port);
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: ${3 * LIMIT}\r\n\r\nabc`);
    socket.destroy();
    expect((await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: 'x' })).status).toBe(200);
  });
});
