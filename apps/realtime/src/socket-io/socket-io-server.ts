import { createServer, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { Server, type Socket } from 'socket.io';
import { WebSocketServer, type WebSocket } from 'ws';
import type { SocketLimits } from '../socket/live-socket.js';
import { limitPeer } from '../socket/peer-limits.js';
import { MAX_MESSAGE_BYTES } from '../upgrade/socket-upgrades.js';

export const SOCKET_IO_PATH = '/socket.io/';
/** A client that has not authenticated by then is disconnected. */
const SIGN_IN_TIMEOUT_MS = 10_000;
/** More than the interval at which the deadlines are checked. */
const PONG_MARGIN_MS = 2_500;

/**
 * The socket.io server. It does not listen: upgrades are handed to it, so that raw sockets, socket.io and the HTTP
 * server share a port without depending on each other. WebSocket is the only transport: no sticky sessions are needed,
 * and no request is held open.
 */
export class SocketIoServer {
  readonly io: Server;
  private readonly webSockets = new WeakMap<IncomingMessage, WebSocket>();

  constructor({ pingPeriodMs, readDeadlineMs }: Pick<SocketLimits, 'pingPeriodMs' | 'readDeadlineMs'>) {
    const { webSockets } = this;
    class Handshakes extends WebSocketServer {
      constructor(options: ConstructorParameters<typeof WebSocketServer>[0]) {
        super({ ...options, autoPong: false }); // see `limitPeer`
      }

      override handleUpgrade(...[request, socket, head, done]: Parameters<WebSocketServer['handleUpgrade']>): void {
        super.handleUpgrade(request, socket, head, (ws, from) => {
          limitPeer(ws);
          webSockets.set(request, ws);
          done(ws, from);
        });
      }
    }
    this.io = new Server(createServer(), {
      path: SOCKET_IO_PATH,
      transports: ['websocket'],
      allowUpgrades: false,
      serveClient: false,
      maxHttpBufferSize: MAX_MESSAGE_BYTES,
      perMessageDeflate: false,
      httpCompression: false,
      connectTimeout: SIGN_IN_TIMEOUT_MS,
      pingInterval: pingPeriodMs,
      // our own deadline comes first, with its close code: see `SocketIoConnection`
      pingTimeout: Math.max(1, readDeadlineMs - pingPeriodMs) + PONG_MARGIN_MS,
      wsEngine: Handshakes,
    });
    // the only namespace is /plays
    this.io.use((_socket, next) => next(new Error('Connect to the namespace /plays.')));
  }

  handOver(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.io.engine.handleUpgrade(request, socket, head);
  }

  /** The WebSocket of this socket, which has close codes: socket.io has none. */
  webSocketOf(socket: Socket): WebSocket | undefined {
    return this.webSockets.get(socket.request);
  }
}
