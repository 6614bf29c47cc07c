import { Inject } from '@nestjs/common';
import { WebSocketGateway, type OnGatewayConnection, type OnGatewayInit } from '@nestjs/websockets';
import type { Principal } from '@weft/access';
import { problemOf } from '@weft/contracts';
import { NEW_ID, type NewId, type WeftError } from '@weft/kernel';
import type { DefaultEventsMap, Namespace, Socket } from 'socket.io';
import { LiveStreams } from '../live-streams.js';
import { socketCaller } from '../upgrade/socket-caller.js';
import { toRefusal } from '../upgrade/refuse-upgrade.js';
import { SocketIoReader } from './socket-io-reader.js';
import { SocketIoConnection } from './socket-io-connection.js';
import { parseSubscribeRequest, type SubscribeRequest } from './subscribe-request.js';

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

const INVALID_REQUEST: Ack = { ok: false, code: 'invalid_body' };

/**
 * The namespace `/plays`: docs/live.md. Every replica reads the journals itself, so replicas need not know of
 * each other. Messages are not handled by Nest's decorators: the guards and pipes of an API in the same process are
 * about requests.
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
    const { context, socketIo } = this.streams;
    const ws = socketIo.webSocketOf(socket);
    if (!ws) {
      socket.disconnect(true);
      return;
    }
    const connection: SocketIoConnection = new SocketIoConnection(socket, ws, context.limits, context.clock, {
      onDrain: () => reader.resume(),
      onPing: () => void reader.live.recheck(),
    });
    const reader: SocketIoReader = new SocketIoReader(socket.data.caller, connection, context);
    for (const action of ['subscribe', 'unsubscribe'] as const) this.listen(socket, action, reader);
    context.sockets.add(connection);
    context.readers.add(reader.live, socket.data.since);
    ws.once('close', (code: number) => {
      context.sockets.delete(connection, connection.closedWith ?? code);
      context.readers.delete(reader.live);
      reader.close();
    });
  }

  /** A message is one value, optionally followed by an acknowledgement function; anything else is refused. */
  private listen(socket: PlaysSocket, action: 'subscribe' | 'unsubscribe', reader: SocketIoReader): void {
    socket.on(action, (...sent: readonly unknown[]) => {
      const ack = sent.at(-1);
      const answer = this.answer(sent.length > 2 ? undefined : sent[0], (request) => reader[action](request));
      void answer.then((said) => {
        if (typeof ack === 'function') (ack as (said: Ack) => void)(said);
      });
    });
  }

  private async answer(message: unknown, act: (request: SubscribeRequest) => void | Promise<void>): Promise<Ack> {
    const request = parseSubscribeRequest(message);
    if (!request) return INVALID_REQUEST;
    try {
      await act(request);
      return { ok: true };
    } catch (error) {
      return { ok: false, code: this.reportInternal(toRefusal(error)).code };
    }
  }

  /** Authenticates the caller and reserves the socket; both last until the connection closes. */
  private async admit(socket: PlaysSocket): Promise<void> {
    const { credentials, publicOrigin, access, connectionQuota, readers } = this.streams.context;
    const since = readers.changes;
    const { auth, headers } = socket.handshake;
    const token: unknown = auth.token;
    const caller =
      typeof token === 'string'
        ? await credentials.byBearer(token)
        : await socketCaller({ headers }, credentials, publicOrigin);
    access.requireScope(caller);
    const release = await connectionQuota.reserve(caller.userId);
    socket.conn.once('close', release);
    if (socket.conn.readyState !== 'open') release();
    socket.data.caller = caller;
    socket.data.since = since;
  }

  private refusalOf(error: unknown): Error {
    const refusal = this.reportInternal(toRefusal(error));
    return Object.assign(new Error(refusal.message), { data: problemOf(refusal, '/plays', this.newId()) });
  }

  private reportInternal(refusal: WeftError): WeftError {
    if (refusal.code === 'internal') this.streams.context.onFault(refusal.cause);
    return refusal;
  }
}
