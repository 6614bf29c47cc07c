import { IoAdapter } from '@nestjs/platform-socket.io';
import type { Server } from 'socket.io';
import type { SocketIoServer } from './socket-io-server.js';

/** Makes Nest's gateways use `SocketIoServer` instead of a server that listens. */
export class SocketIoAdapter extends IoAdapter {
  constructor(private readonly server: SocketIoServer) {
    super();
  }

  override createIOServer(): Server {
    return this.server.io;
  }

  /** The sockets were closed when the process drained. */
  override async close(): Promise<void> {
    this.server.io.disconnectSockets(true);
    await Promise.resolve(this.server.io.engine.close());
  }
}
