import { isCrossSite } from '@weft/identity';
import { WeftError } from '@weft/kernel';
import { socketCredential } from '../upgrade/socket-credential.js';
import type { Admission, SocketStream } from '../upgrade/socket-upgrades.js';
import { invalidQuery, type UpgradeRequest } from '../upgrade/upgrade-request.js';
import { IO_PATH, type IoDoor } from './io-door.js';

/** Upgrades of socket.io. Who is calling is decided when the namespace is entered, where the client can send its token. */
export class IoStream implements SocketStream {
  constructor(
    private readonly door: IoDoor,
    private readonly publicOrigin: string,
  ) {}

  answers(path: string): boolean {
    return path === IO_PATH;
  }

  admit({ headers, query }: UpgradeRequest): Promise<Admission> {
    if (query.get('transport') !== 'websocket') {
      throw invalidQuery('transport', 'out_of_range', 'Only the transport websocket is served.');
    }
    if (socketCredential(headers)?.kind === 'session' && isCrossSite(headers, this.publicOrigin)) {
      throw new WeftError('cross_site', 'A page of another site may not open this socket with your session.');
    }
    return Promise.resolve({
      release: () => undefined,
      handOver: (incoming, socket, head) => this.door.handOver(incoming, socket, head),
    });
  }
}
