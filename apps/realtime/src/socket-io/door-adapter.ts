import { IoAdapter } from '@nestjs/platform-socket.io';
import type { Server } from 'socket.io';
import type { IoDoor } from './io-door.js';

/** Lets Nest's gateways use the server of the door instead of making one that listens. */
export class DoorAdapter extends IoAdapter {
  constructor(private readonly door: IoDoor) {
    super();
  }

  override createIOServer(): Server {
    return this.door.io;
  }

  /** Its sockets were sent away when the process drained. */
  override async close(): Promise<void> {
    this.door.io.disconnectSockets(true);
    await Promise.resolve(this.door.io.engine.close());
  }
}
