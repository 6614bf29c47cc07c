import { createServer, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { Server, type Socket } from 'socket.io';
import { WebSocketServer, type WebSocket } from 'ws';
import type { SocketLimits } from '../socket/live-socket.js';
import { limitPeer } from '../socket/peer-limits.js';
import { MESSAGE_BYTES_MAX } from '../upgrade/socket-upgrades.js';

export const IO_PATH = '/socket.io/';
/** Who has not said by then who it is has no business here. */
const SIGN_IN_WITHIN_MS = 10_000;
/** More than the time between two looks at the deadlines. */
const PONG_SLACK_MS = 2_500;

/**
 * The socket.io server. It listens nowhere: upgrades are handed to it, so that raw sockets, socket.io and the HTTP server
 * share a port without knowing each other. WebSocket is the only transport: no replica has to be found again, and no
 * request is held open.
 */
export class IoDoor {
  readonly io: Server;
  private readonly opened = new WeakMap<IncomingMessage, WebSocket>();

  constructor({ pingPeriodMs, readDeadlineMs }: Pick<SocketLimits, 'pingPeriodMs' | 'readDeadlineMs'>) {
    const { opened } = this;
    class Handshakes extends WebSocketServer {
      constructor(options: ConstructorParameters<typeof WebSocketServer>[0]) {
        super({ ...options, autoPong: false }); // see `limitPeer`
      }

      override handleUpgrade(...[request, socket, head, done]: Parameters<WebSocketServer['handleUpgrade']>): void {
        super.handleUpgrade(request, socket, head, (ws, from) => {
          limitPeer(ws);
          opened.set(request, ws);
          done(ws, from);
        });
      }
    }
    this.io = new Server(createServer(), {
      path: IO_PATH,
      transports: ['websocket'],
      allowUpgrades: false,
      serveClient: false,
      maxHttpBufferSize: MESSAGE_BYTES_MAX,
      perMessageDeflate: false,
      httpCompression: false,
      connectTimeout: SIGN_IN_WITHIN_MS,
      pingInterval: pingPeriodMs,
      // ours comes first, with its close code: see `IoSocket`
      pingTimeout: Math.max(1, readDeadlineMs - pingPeriodMs) + PONG_SLACK_MS,
      wsEngine: Handshakes,
    });
    // the only namespace is /plays
    this.io.use((_socket, next) => next(new Error('Connect to the namespace /plays.')));
  }

  handOver(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.io.engine.handleUpgrade(request, socket, head);
  }

  /** What carries this socket: close codes are its business, and socket.io has none. */
  webSocketOf(socket: Socket): WebSocket | undefined {
    return this.opened.get(socket.request);
  }
}
