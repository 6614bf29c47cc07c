import type { Principal } from '@weft/access';
import { CLOSE } from '@weft/contracts';
import type { WatchedPlay } from '@weft/store';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { GatewayContext } from '../gateway-context.js';
import { LiveReader } from '../rights/live-reader.js';
import { LiveSocket, type SocketEvents } from '../socket/live-socket.js';
import { socketCaller } from '../upgrade/socket-caller.js';
import type { UpgradeAdmission, SocketStream } from '../upgrade/socket-upgrades.js';
import { readFromSeq, type UpgradeRequest } from '../upgrade/upgrade-request.js';
import { PlayWatcher } from './play-watcher.js';

interface Opening {
  readonly ws: WebSocket;
  readonly carrier: Duplex;
  /** See `LiveReaders.add`. */
  readonly since: number;
  readonly caller: Principal;
  readonly play: WatchedPlay;
  readonly fromSeq: number;
}

const PATH = /^\/ws\/plays\/([^/]+)$/;

/** `/ws/plays/:play_id`: docs/http-api.md §6. Opens, connects and closes the sockets; the feed decides what is sent. */
export class PlayStream implements SocketStream {
  constructor(private readonly context: GatewayContext) {}

  answers(path: string): boolean {
    return PATH.test(path);
  }

  async admit(request: UpgradeRequest): Promise<UpgradeAdmission> {
    const { credentials, publicOrigin, access, connectionQuota, readers } = this.context;
    const since = readers.changes;
    const caller = await socketCaller(request, credentials, publicOrigin);
    access.requireScope(caller);
    const fromSeq = readFromSeq(request.query);
    const release = await connectionQuota.reserve(caller.userId);
    try {
      const play = await access.requireRead(caller, PATH.exec(request.path)?.[1] ?? '');
      return { release, open: (ws, carrier) => this.open({ ws, carrier, since, caller, play, fromSeq }) };
    } catch (error) {
      release();
      throw error;
    }
  }

  private open({ ws, carrier, since, caller, play, fromSeq }: Opening): void {
    const { context } = this;
    const feed = context.feeds.plays;
    const events: SocketEvents = {
      onDrain: () => feed.resume(watcher),
      onMessage: () => socket.close(CLOSE.badMessage, 'this stream takes no messages'),
      onPing: () => void reader.recheck(),
      onClosed: (code) => {
        context.sockets.delete(socket, code);
        context.readers.delete(reader);
        feed.delete(watcher);
      },
    };
    const socket = new LiveSocket(ws, context.limits, context.clock, events, carrier);
    const address = { playId: play._id, companyId: play.company_id, flowId: play.flowId };
    const watcher = new PlayWatcher(address, fromSeq, socket);
    const reader = new LiveReader(caller, {
      credentials: context.credentials,
      mayContinue: (now) => context.access.mayStillRead(now, play),
      concernsFlow: (flowId) => flowId === play.flowId,
      onSuspended: () => (watcher.suspended = true),
      onConfirmed: () => {
        if (!watcher.suspended) return;
        watcher.suspended = false;
        feed.resume(watcher);
      },
      close: (code, reason) => socket.close(code, reason),
      get isClosing() {
        return socket.isClosing;
      },
    });
    context.sockets.add(socket);
    context.readers.add(reader, since);
    feed.add(watcher);
  }
}
