/** A server on the loopback address that says what a spec wants, and a dialer that leads every host to one. */
import { createEgressDialer, type EgressDialer } from '@weft/egress';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { cleanUpWith } from './clean-up.js';

export interface RawServer {
  readonly port: number;
  /** What clients sent, by connection. */
  readonly received: readonly Buffer[];
}

/**
 * @param onData called with what arrives, its connection, and how often it was called for it, from 0
 * @param greeting what it says first
 */
export async function rawServer(
  onData: (socket: Socket, data: Buffer, at: number) => void,
  greeting?: Buffer,
): Promise<RawServer> {
  const sockets = new Set<Socket>();
  const received: Buffer[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    if (greeting) socket.write(greeting);
    const place = received.push(Buffer.alloc(0)) - 1;
    let at = 0;
    socket.on('error', () => socket.destroy());
    socket.on('data', (data: Buffer) => {
      received[place] = Buffer.concat([received[place] ?? Buffer.alloc(0), data]);
      onData(socket, data, at);
      at += 1;
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUpWith(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((done) => server.close(done));
  });
  return { port: (server.address() as AddressInfo).port, received };
}

/** Dials this port of the loopback address, whatever host it is asked for. */
export function dialerTo(port: number): EgressDialer & { readonly asked: readonly string[] } {
  const asked: string[] = [];
  const real = createEgressDialer({ allow: [{ cidr: '127.0.0.1/32', port: null }] });
  return {
    asked,
    dial: (target) => {
      asked.push(`${target.host}:${target.port}`);
      return real.dial({ ...target, host: '127.0.0.1', port });
    },
  };
}
