import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { cleanUpWith } from './clean-up.js';

export interface ConnectProxy {
  readonly port: number;
  /** What it was asked to connect to, in order. */
  readonly asked: readonly string[];
  /** The credentials that came with each. */
  readonly credentials: readonly (string | undefined)[];
}

export interface ConnectProxyOptions {
  /** For TLS with its clients. */
  readonly certificate?: { readonly key: string; readonly cert: string };
  /** Status of its answer to this authority; 200 by default, 0: it never answers. */
  readonly status?: (authority: string) => number;
  /** To which port of this machine it connects; default: the one that it was asked for. */
  readonly portFor?: (authority: string) => number;
}

/** A forward proxy on the loopback address. It connects to this machine, whatever address it is asked for. Closed after the test or file. */
export async function connectProxy({ certificate, status, portFor }: ConnectProxyOptions = {}): Promise<ConnectProxy> {
  const asked: string[] = [];
  const credentials: (string | undefined)[] = [];
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  };
  const server = certificate ? createTlsServer({ ...certificate }) : createServer();
  server.on('connection', keep);
  server.on('tlsClientError', () => undefined);
  server.on('connect', (request: IncomingMessage, client: Socket) => {
    const authority = request.url ?? '';
    asked.push(authority);
    credentials.push(request.headers['proxy-authorization']);
    const answer = status?.(authority) ?? 200;
    if (answer === 0) return;
    if (answer !== 200) return void client.end(`HTTP/1.1 ${answer} no\r\ncontent-length: 0\r\n\r\n`);
    const far = connect(portFor?.(authority) ?? Number(authority.split(':').at(-1)), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      client.pipe(far).pipe(client);
    });
    keep(far);
    far.on('close', () => client.destroy());
    client.on('error', () => far.destroy());
    client.on('close', () => far.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUpWith(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((done) => server.close(done));
  });
  return { port: (server.address() as AddressInfo).port, asked, credentials };
}
