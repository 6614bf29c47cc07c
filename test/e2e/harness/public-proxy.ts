import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterAll } from 'vitest';

const SOCKETS = /^\/(ws|api\/ws|socket\.io)(\/|\?|$)/;

interface Backends {
  readonly api: number;
  readonly realtime: number;
  /** False: it serves requests for an upgrade as ordinary ones, as a proxy does by default. */
  readonly passesUpgrades?: boolean;
}

/** The proxy in front of an installation, as docs/deploy/README.md asks for it. Closed after the file's last test. */
export async function publicProxy({
  api,
  realtime,
  passesUpgrades = true,
}: Backends): Promise<{ readonly url: string }> {
  const portFor = (path = ''): number => (SOCKETS.test(path) ? realtime : api);
  const open = new Set<Socket>();
  const forward = (client: IncomingMessage, answer: ServerResponse): void => {
    const { connection: _, upgrade: __, ...headers } = client.headers;
    const target = { host: '127.0.0.1', port: portFor(client.url), method: client.method, path: client.url, headers };
    const peer = request(target, (given) => {
      answer.writeHead(given.statusCode ?? 502, given.headers);
      given.pipe(answer);
    });
    peer.on('error', () => answer.writeHead(502).end());
    client.pipe(peer);
  };
  const server = createServer(forward);
  if (passesUpgrades) {
    server.on('upgrade', (client: IncomingMessage, socket: Socket, head: Buffer) => {
      const peer = connect(portFor(client.url), '127.0.0.1');
      const lines = client.rawHeaders.reduce((text, part, i) => text + part + (i % 2 === 0 ? ': ' : '\r\n'), '');
      peer.write(`${client.method} ${client.url} HTTP/1.1\r\n${lines}\r\n`);
      peer.write(head);
      socket.pipe(peer).pipe(socket);
      for (const each of [socket, peer]) {
        open.add(each);
        each.on('error', () => each.destroy()).on('close', () => open.delete(each));
      }
    });
  }
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(() => {
    server.close();
    server.closeAllConnections();
    for (const socket of open) socket.destroy();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
