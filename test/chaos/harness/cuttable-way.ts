import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { afterAll } from 'vitest';

/** An address in front of others, as a load balancer is: each connection goes to the next of them that takes it. */
export interface CuttableWay {
  readonly url: string;
  /** Ports that connections may go to from now on. */
  lead(...ports: readonly number[]): void;
  /** Breaks every connection without closing it cleanly, and returns their number. */
  cut(): number;
}

export async function cuttableWay(...first: readonly number[]): Promise<CuttableWay> {
  const open = new Set<Socket>();
  let ports = first;
  let turn = 0;
  const server = createServer((client) => {
    turn += 1;
    const peer = connect(ports[turn % ports.length] ?? 0, '127.0.0.1');
    open.add(client);
    const end = () => {
      open.delete(client);
      client.destroy();
      peer.destroy();
    };
    for (const socket of [client, peer]) socket.on('error', end).on('close', end);
    client.pipe(peer).pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): number => {
    const count = open.size;
    for (const client of open) client.destroy();
    return count;
  };
  afterAll(() => {
    server.close();
    cut();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lead: (...next) => (ports = next),
    cut,
  };
}
