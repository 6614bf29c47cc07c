import type { PlayFrame } from '@weft/contracts';
import { waitFor } from '@weft/testing';
import { io, type Socket } from 'socket.io-client';

export interface IoOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly token?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly transports?: readonly string[];
  readonly namespace?: string;
}

/** A socket.io client in the namespace `/plays` that keeps every frame and does not reconnect by itself. */
export function ioClient(origin: string, { headers, token, query, transports, namespace = '/plays' }: IoOptions = {}) {
  const socket: Socket = io(`${origin}${namespace}`, {
    ...{ transports: [...(transports ?? ['websocket'])], extraHeaders: { ...headers } },
    ...{ forceNew: true, reconnection: false, query: { ...query } },
    ...(token !== undefined && { auth: { token } }),
  });
  const frames: PlayFrame[] = [];
  const ended: unknown[] = [];
  socket.on('event', (frame: PlayFrame) => frames.push(frame));
  socket.on('ended', (what: unknown) => ended.push(what));
  const closed = new Promise<number | undefined>((resolve) => {
    socket.once('disconnect', (_reason, details) => {
      const { code } = (details as { context?: { code?: number } } | undefined)?.context ?? {};
      resolve(code);
    });
  });
  return {
    frames,
    ended,
    /** Gives the close code. */
    closed,
    opened: new Promise<void>((resolve) => socket.once('connect', resolve)),
    /** The problem with which the namespace refuses, or the message of another failure. */
    refused: new Promise<unknown>((resolve) => {
      socket.once('connect_error', (error: Error & { data?: unknown }) => resolve(error.data ?? error.message));
    }),
    ask: (action: 'subscribe' | 'unsubscribe', wish: unknown) =>
      socket.emitWithAck(action, wish) as Promise<{ readonly ok: boolean; readonly code?: string }>,
    waitForFrame: (fits: (frame: PlayFrame) => boolean) => waitFor(() => frames.find(fits), { what: 'a frame' }),
    send: (event: string, value: unknown) => socket.emit(event, value),
    close: () => socket.disconnect(),
  };
}
