/** How a connection ended: its close code, and whether it ever was one. */
export interface SocketEnd {
  readonly code: number;
  readonly wasOpen: boolean;
}

/** A reader that is slower than this is disconnected, and goes on from its last frame: memory stays bounded. */
const MOST_WAITING = 1_000;

/** The close codes that this side reports itself: never opened, a message that is no frame, a reader that is too slow. */
const CLOSED = { never: 1006, unreadable: 1007, slow: 1001 };

/**
 * The frames of one connection, until it ends. Returns how; throws only what the signal was aborted with.
 *
 * @param read a message as a frame; undefined when it is none: then the connection is closed
 */
export async function* socketFrames<Frame>(
  open: () => WebSocket,
  read: (message: unknown) => Frame | undefined,
  signal?: AbortSignal,
): AsyncGenerator<Frame, SocketEnd, undefined> {
  signal?.throwIfAborted();
  const socket = opened(open);
  if (socket === null) return { code: CLOSED.never, wasOpen: false };
  let waiting: Frame[] = [];
  let wake = () => {};
  let wasOpen = false;
  let refusal: number | null = null;
  let end: SocketEnd | null = null;
  const stop = () => {
    socket.close();
    wake();
  };
  socket.addEventListener('open', () => (wasOpen = true));
  socket.addEventListener('message', ({ data }) => {
    if (refusal !== null) return;
    const frame = read(data);
    if (frame === undefined) refusal = CLOSED.unreadable;
    else waiting.push(frame);
    if (waiting.length >= MOST_WAITING) refusal = CLOSED.slow;
    if (refusal !== null) socket.close();
    wake();
  });
  socket.addEventListener('close', ({ code }) => {
    end = { code: refusal ?? code, wasOpen };
    wake();
  });
  socket.addEventListener('error', () => {}); // a close follows
  signal?.addEventListener('abort', stop, { once: true });
  try {
    for (;;) {
      const now = waiting;
      waiting = [];
      yield* now;
      signal?.throwIfAborted();
      if (waiting.length > 0) continue;
      if (end !== null) return end;
      await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    signal?.removeEventListener('abort', stop);
    socket.close();
  }
}

/** Null where the address or the key is nothing that a socket takes: a browser's error shows it. */
function opened(open: () => WebSocket): WebSocket | null {
  try {
    return open();
  } catch {
    return null;
  }
}
