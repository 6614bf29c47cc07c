import { isCrossSite } from '@weft/identity';
import { WeftError } from '@weft/kernel';
import { socketCredential } from '../upgrade/socket-credential.js';
import type { UpgradeAdmission, SocketStream } from '../upgrade/socket-upgrades.js';
import { invalidQuery, type UpgradeRequest } from '../upgrade/upgrade-request.js';
import { SOCKET_IO_PATH, type SocketIoServer } from './socket-io-server.js';

/**
 * Upgrades of socket.io. The caller is authenticated later, on entering the namespace, where the client can send its
 * token.
 */
export class SocketIoStream implements SocketStream {
  constructor(
    private readonly server: SocketIoServer,
    private readonly publicOrigin: string,
  ) {}

  answers(path: string): boolean {
    return path === SOCKET_IO_PATH;
  }

  admit({ headers, query }: UpgradeRequest): Promise<UpgradeAdmission> {
    if (query.get('transport') !== 'websocket') {
      throw invalidQuery('transport', 'out_of_range', 'Only the transport websocket is served.');
    }
    if (socketCredential(headers)?.kind === 'session' && isCrossSite(headers, this.publicOrigin)) {
      throw new WeftError('cross_site', 'A page of another site may not open this socket with your session.');
    }
    return Promise.resolve({
      release: () => undefined,
      handOver: (incoming, socket, head) => this.server.handOver(incoming, socket, head),
    });
  }
}
