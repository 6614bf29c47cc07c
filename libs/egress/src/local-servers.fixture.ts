import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { afterEach, expect } from 'vitest';
import { createEgressClient, type EgressClientOptions } from './create-egress-client.js';
import type { EgressClient, EgressRequest } from './egress-client.js';

/** Servers on loopback for the specs of this library; each is closed after the test that started it. */
export const LOOPBACK = { cidr: '127.0.0.1/32', port: null };

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

export async function serve(listener: RequestListener, host = '127.0.0.1'): Promise<string> {
  const server = createServer(listener);
  server.listen(0, host);
  await once(server, 'listening');
  closers.push(async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export async function serveTcp(onSocket: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
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

/** A server that must never be reached: an error at the caller proves nothing, an empty list here does. */
export async function canary(): Promise<{ readonly origin: string; readonly hits: readonly string[] }> {
  const hits: string[] = [];
  const origin = await serve((request, response) => {
    hits.push(request.url ?? '');
    response.end('reached');
  });
  return { origin, hits };
}

/** A client that may call loopback unless the options say otherwise. */
export function client(options: Partial<EgressClientOptions> = {}): EgressClient {
  const made = createEgressClient({ allow: [LOOPBACK], ...options });
  closers.push(() => made.close());
  return made;
}

export const get = (url: string, part: Partial<EgressRequest> = {}): EgressRequest => ({
  method: 'GET',
  url,
  timeoutMs: 60_000,
  maxRedirects: 5,
  maxResponseBytes: 1_000_000,
  ...part,
});

export const refusal = (code: string): unknown => expect.objectContaining({ name: 'EgressError', code });
