import type { Principal } from '@weft/access';
import { CLOSE } from '@weft/contracts';
import type { WatchedPlay } from '@weft/persistence';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { LiveParts } from '../live-parts.js';
import { LiveReader } from '../rights/live-reader.js';
import { LiveSocket, type SocketEvents } from '../socket/live-socket.js';
import { socketCaller } from '../upgrade/socket-caller.js';
import type { Admission, SocketStream } from '../upgrade/socket-upgrades.js';
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

/** `/ws/plays/:play_id`: contract §6. Opens, follows and ends the sockets; what is sent is the feed's business. */
export class PlayStream implements SocketStream {
  constructor(private readonly parts: LiveParts) {}

  answers(path: string): boolean {
    return PATH.test(path);
  }

  async admit(request: UpgradeRequest): Promise<Admission> {
    const { credentials, publicOrigin, access, places, readers } = this.parts;
    const since = readers.changes;
    const caller = await socketCaller(request, credentials, publicOrigin);
    access.requireScope(caller);
    const fromSeq = readFromSeq(request.query);
    const release = await places.reserve(caller.userId);
    try {
      const play = await access.requireRead(caller, PATH.exec(request.path)?.[1] ?? '');
      return { release, open: (ws, carrier) => this.open({ ws, carrier, since, caller, play, fromSeq }) };
    } catch (error) {
      release();
      throw error;
    }
  }

  private open({ ws, carrier, since, caller, play, fromSeq }: Opening): void {
    const { parts } = this;
    const feed = parts.feeds.plays;
    const events: SocketEvents = {
      onDrain: () => feed.resume(watcher),
      onMessage: () => socket.close(CLOSE.badMessage, 'this stream takes no messages'),
      onPing: () => void reader.look(),
      onClosed: (code) => {
        parts.sockets.delete(socket, code);
        parts.readers.delete(reader);
        feed.delete(watcher);
      },
    };
    const socket = new LiveSocket(ws, parts.limits, parts.clock, events, carrier);
    const address = { playId: play._id, companyId: play.company_id, flowId: play.flowId };
    const watcher = new PlayWatcher(address, fromSeq, socket);
    const reader = new LiveReader(caller, {
      credentials: parts.credentials,
      mayGoOn: (now) => parts.access.mayStillRead(now, play),
      concernsFlow: (flowId) => flowId === play.flowId,
      onHold: () => (watcher.suspended = true),
      onGoOn: () => {
        if (!watcher.suspended) return;
        watcher.suspended = false;
        feed.resume(watcher);
      },
      close: (code, reason) => socket.close(code, reason),
      get isClosing() {
        return socket.isClosing;
      },
    });
    parts.sockets.add(socket);
    parts.readers.add(reader, since);
    feed.add(watcher);
  }
}
