import type { PlayFrame } from '@weft/contracts';
import { WebSocket } from 'ws';
import { waitFor } from '../wait-for.js';

export interface SocketOptions {
  /** The caller's headers, for example `ApiClient.credentials`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly protocols?: readonly string[];
}

/** A reader of a raw socket that keeps every frame. */
export interface SocketClient<Frame = PlayFrame> {
  /** In order of arrival. */
  readonly frames: readonly Frame[];
  /** Resolves when the handshake is done; rejects with `refusedWith` when it is refused. */
  readonly opened: Promise<void>;
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  /** Status of a refused handshake, null otherwise. */
  readonly refusedWith: () => number | null;
  /** The first matching frame, already received or still to come. */
  waitForFrame(fits: (frame: Frame) => boolean, withinMs?: number): Promise<Frame>;
  send(message: unknown): void;
  /** Resolves when the server has read everything that was sent before. */
  heard(): Promise<void>;
  /** Stops and continues reading from the connection: a slow reader. */
  pause(): void;
  resume(): void;
  /** Without a close frame. */
  terminate(): void;
  close(): Promise<void>;
}

/** @param url `ws://…` or the `http://…` address of a process with the path of its socket */
export function socketClient<Frame = PlayFrame>(
  url: string,
  { headers, protocols = [] }: SocketOptions = {},
): SocketClient<Frame> {
  const socket = new WebSocket(url.replace(/^http/, 'ws'), [...protocols], { headers: { ...headers } });
  const frames: Frame[] = [];
  let refused: number | null = null;
  socket.on('message', (data) => frames.push(JSON.parse((data as Buffer).toString()) as Frame));
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() }));
  });
  const opened = new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('unexpected-response', (_request, response) => {
      refused = response.statusCode ?? 0;
      socket.terminate();
      reject(new Error(`The handshake was refused with ${refused}`));
    });
    socket.on('error', reject);
  });
  // A test that expects a refusal checks `refusedWith` or awaits `opened` later: not an unhandled rejection until then.
  opened.catch(() => undefined);
  return {
    frames,
    opened,
    closed,
    refusedWith: () => refused,
    waitForFrame: (fits, withinMs) => waitFor(() => frames.find(fits), { what: `a frame of ${url}`, withinMs }),
    send: (message) => socket.send(JSON.stringify(message)),
    heard: () =>
      new Promise((resolve) => {
        socket.once('pong', () => resolve());
        socket.ping();
      }),
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    terminate: () => socket.terminate(),
    close: async () => {
      socket.close();
      await closed;
    },
  };
}
