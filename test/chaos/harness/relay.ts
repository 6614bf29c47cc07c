import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { afterAll } from 'vitest';
import { Lane, type Shape } from './lane.js';

/** The peer of a connection, once its first bytes identify it; otherwise undefined. */
export type Peer = string | number | undefined;

export interface RelayOptions {
  /** The server's, on the loopback address. */
  readonly port: number;
  readonly toServer?: (peer: Peer) => Shape;
  readonly toClient?: (peer: Peer) => Shape;
  /** Identifies the client by its first bytes. */
  readonly peerOf?: (bytes: Buffer) => Peer;
  /** Created for each connection: what the client receives instead of what the server sent. */
  readonly rewrite?: (peer: () => Peer) => (bytes: Buffer) => readonly Buffer[];
}

export interface Relay {
  readonly port: number;
  /** To be called when a shape has changed. */
  changed(): void;
  /** Breaks the connections of these peers (default all) without closing them cleanly, and returns their number. */
  cut(of?: (peer: Peer) => boolean): number;
  /** Ends them only at the server: the client is not notified, and what it sends is lost. Returns their number. */
  abandon(): number;
}

interface Passage {
  readonly client: Socket;
  readonly server: Socket;
  readonly lanes: readonly Lane[];
  readonly peer: () => Peer;
}

const AS_IT_IS: Shape = {};

/** An address in front of a server, whose connections are shaped as a network would. Gone after the file's last test. */
export async function relay({ port, toServer, toClient, peerOf, rewrite }: RelayOptions): Promise<Relay> {
  const passages = new Set<Passage>();
  const open = new Set<Socket>();
  const listener = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const server = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    let peer: Peer;
    const known = (): Peer => peer;
    const identify = (bytes: Buffer): readonly Buffer[] => {
      peer ??= peerOf?.(bytes);
      return [bytes];
    };
    const lanes = [
      new Lane(client, server, () => toServer?.(peer) ?? AS_IT_IS, identify),
      new Lane(server, client, () => toClient?.(peer) ?? AS_IT_IS, rewrite?.(known)),
    ];
    const passage: Passage = { client, server, lanes, peer: known };
    passages.add(passage);
    for (const socket of [client, server]) {
      open.add(socket);
      socket.on('error', () => undefined).on('close', () => open.delete(socket));
      socket.on('close', () => {
        if (!passages.delete(passage)) return;
        client.destroy();
        server.destroy();
      });
    }
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  afterAll(() => {
    listener.close();
    for (const socket of open) socket.destroy();
  });
  return {
    port: (listener.address() as AddressInfo).port,
    changed: () => {
      for (const { lanes } of passages) for (const lane of lanes) lane.pass();
    },
    cut: (of = () => true) => {
      const hit = [...passages].filter(({ peer }) => of(peer()));
      for (const { client, server } of hit) {
        client.resetAndDestroy();
        server.resetAndDestroy();
      }
      return hit.length;
    },
    abandon: () => {
      const hit = [...passages];
      passages.clear();
      for (const { client, server } of hit) {
        server.destroy();
        client.resume();
      }
      return hit.length;
    },
  };
}
