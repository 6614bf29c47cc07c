import { Inject } from '@nestjs/common';
import { WebSocketGateway, type OnGatewayConnection, type OnGatewayInit } from '@nestjs/websockets';
import type { Principal } from '@weft/access';
import { problemOf } from '@weft/contracts';
import { NEW_ID } from '@weft/host';
import type { NewId, WeftError } from '@weft/kernel';
import type { DefaultEventsMap, Namespace, Socket } from 'socket.io';
import { LiveStreams } from '../live-streams.js';
import { socketCaller } from '../upgrade/socket-caller.js';
import { toRefusal } from '../upgrade/refuse-upgrade.js';
import { IoReader } from './io-reader.js';
import { IoSocket } from './io-socket.js';
import { readWish, type Wish } from './wish.js';

interface SocketData {
  caller: Principal;
  /** See `LiveReaders.add`. */
  since: number;
}

type PlaysSocket = Socket<DefaultEventsMap, DefaultEventsMap, DefaultEventsMap, SocketData>;

interface Ack {
  readonly ok: boolean;
  readonly code?: string;
}

const NO_WISH: Ack = { ok: false, code: 'invalid_body' };

/**
 * The namespace `/plays`: contract §6. Every replica reads the journals itself, so none needs to know of the others. Messages are
 * not handlers of Nest: the guards and pipes of an API that shares the process are about requests.
 */
@WebSocketGateway({ namespace: '/plays' })
export class PlaysGateway implements OnGatewayInit<Namespace>, OnGatewayConnection<PlaysSocket> {
  constructor(
    @Inject(LiveStreams) private readonly streams: LiveStreams,
    @Inject(NEW_ID) private readonly newId: NewId,
  ) {}

  afterInit(namespace: Namespace): void {
    namespace.use((socket: PlaysSocket, next) => {
      this.admit(socket).then(
        () => next(),
        (error: unknown) => next(this.refusalOf(error)),
      );
    });
  }

  handleConnection(socket: PlaysSocket): void {
    const { parts, door } = this.streams;
    const ws = door.webSocketOf(socket);
    if (!ws) {
      socket.disconnect(true);
      return;
    }
    const carried: IoSocket = new IoSocket(socket, ws, parts.limits, parts.clock, {
      onDrain: () => reader.resume(),
      onPing: () => void reader.live.look(),
    });
    const reader: IoReader = new IoReader(socket.data.caller, carried, parts);
    for (const action of ['subscribe', 'unsubscribe'] as const) this.listen(socket, action, reader);
    parts.sockets.add(carried);
    parts.readers.add(reader.live, socket.data.since);
    ws.once('close', (code: number) => {
      parts.sockets.delete(carried, carried.closedWith ?? code);
      parts.readers.delete(reader.live);
      reader.close();
    });
  }

  /** What did not come as one value, and perhaps a way to answer, is no wish. */
  private listen(socket: PlaysSocket, action: 'subscribe' | 'unsubscribe', reader: IoReader): void {
    socket.on(action, (...sent: readonly unknown[]) => {
      const ack = sent.at(-1);
      const answer = this.answer(sent.length > 2 ? undefined : sent[0], (wish) => reader[action](wish));
      void answer.then((said) => {
        if (typeof ack === 'function') (ack as (said: Ack) => void)(said);
      });
    });
  }

  private async answer(message: unknown, act: (wish: Wish) => void | Promise<void>): Promise<Ack> {
    const wish = readWish(message);
    if (!wish) return NO_WISH;
    try {
      await act(wish);
      return { ok: true };
    } catch (error) {
      return { ok: false, code: this.tell(toRefusal(error)).code };
    }
  }

  /** Who it is, and a place for the socket; both end with the connection. */
  private async admit(socket: PlaysSocket): Promise<void> {
    const { credentials, publicOrigin, access, places, readers } = this.streams.parts;
    const since = readers.changes;
    const { auth, headers } = socket.handshake;
    const token: unknown = auth.token;
    const caller =
      typeof token === 'string'
        ? await credentials.byBearer(token)
        : await socketCaller({ headers }, credentials, publicOrigin);
    access.requireScope(caller);
    const release = await places.reserve(caller.userId);
    socket.conn.once('close', release);
    if (socket.conn.readyState !== 'open') release();
    socket.data.caller = caller;
    socket.data.since = since;
  }

  private refusalOf(error: unknown): Error {
    const refusal = this.tell(toRefusal(error));
    return Object.assign(new Error(refusal.message), { data: problemOf(refusal, '/plays', this.newId()) });
  }

  private tell(refusal: WeftError): WeftError {
    if (refusal.code === 'internal') this.streams.parts.onFault(refusal.cause);
    return refusal;
  }
}
