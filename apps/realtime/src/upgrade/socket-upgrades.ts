import { WeftError, type NewId } from '@weft/kernel';
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import { limitPeer } from '../socket/peer-limits.js';
import { refuseUpgrade, toRefusal } from './refuse-upgrade.js';
import { BEARER_PROTOCOL } from './socket-credential.js';
import { asksForWebSocket, readUpgradeRequest, type UpgradeRequest } from './upgrade-request.js';

export const MAX_MESSAGE_BYTES = 64 * 1024;

/** One kind of stream that clients open a socket for. */
export interface SocketStream {
  /** Whether this stream serves sockets at this path. */
  answers(path: string): boolean;
  /**
   * Decides before the handshake.
   *
   * @returns what to do with the open socket, and how to release what was reserved, when the socket closes or never
   * opens
   * @throws WeftError the refusal that the client gets
   */
  admit(request: UpgradeRequest): Promise<UpgradeAdmission>;
}

export type UpgradeAdmission = { readonly release: () => void } &
  /** @param carrier the TCP or TLS connection of the WebSocket */
  (
    | { readonly open: (ws: WebSocket, carrier: Duplex) => void }
    /** Another server does the handshake. */
    | { readonly handOver: (incoming: IncomingMessage, socket: Duplex, head: Buffer) => void }
  );

/**
 * Turns a server's `upgrade` event into an open socket. Everything that can be refused is refused before the handshake,
 * with an HTTP answer that a client can read.
 */
export class SocketUpgrades {
  private readonly wss = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
    autoPong: false, // see `limitPeer`
    handleProtocols: (offered) => (offered.has(BEARER_PROTOCOL) ? BEARER_PROTOCOL : false),
  });
  private stopping = false;

  /** @param onFault called with unexpected errors; the client sees only `internal` */
  constructor(
    private readonly streams: readonly SocketStream[],
    private readonly newId: NewId,
    private readonly onFault: (error: WeftError, requestId: string) => void,
  ) {
    this.wss.on('wsClientError', (error, socket, request) => {
      const refusal = new WeftError('invalid_query', `This is no WebSocket handshake: ${error.message}.`);
      const { path, requestId } = readUpgradeRequest(request, this.newId);
      refuseUpgrade(socket, refusal, path, requestId);
    });
  }

  attach(server: Server): void {
    server.on('upgrade', (request, socket, head) => void this.upgrade(request, socket, head));
    // other upgrades stay ordinary requests of the shared server
    Object.assign(server, { shouldUpgradeCallback: asksForWebSocket });
  }

  /** From now on every new socket is refused with the request to reconnect elsewhere. */
  stop(): void {
    this.stopping = true;
  }

  private async upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy()); // the peer has disconnected; there is nobody to answer
    const request = readUpgradeRequest(incoming, this.newId);
    try {
      const admission = await this.admit(request);
      socket.once('close', admission.release);
      if (socket.destroyed) admission.release();
      else if ('handOver' in admission) admission.handOver(incoming, socket, head);
      else {
        this.wss.handleUpgrade(incoming, socket, head, (ws) => {
          limitPeer(ws);
          admission.open(ws, socket);
        });
      }
    } catch (error) {
      const refusal = toRefusal(error);
      if (refusal.code === 'internal') this.onFault(refusal, request.requestId);
      refuseUpgrade(socket, refusal, request.path, request.requestId);
    }
  }

  private async admit(request: UpgradeRequest): Promise<UpgradeAdmission> {
    const stream = this.streams.find((one) => one.answers(request.path));
    if (!stream) throw new WeftError('not_found', `No stream answers at ${request.path}.`);
    const admission = await stream.admit(request);
    if (!this.stopping) return admission;
    admission.release();
    throw new WeftError('store_unavailable', 'This server is stopping; connect again.', { retryAfterSeconds: 1 });
  }
}
