/** How a connection ended: its close code, and whether it ever was one. */
export interface SocketEnd {
  readonly code: number;
  readonly wasOpen: boolean;
}

/** A reader that is slower than this is disconnected, and goes on from its last frame: memory stays bounded. */
const MOST_WAITING = 1_000;

/** The frames of one connection, until it ends. Returns how; throws only what the signal was aborted with. */
export async function* socketFrames<Frame>(
  open: () => WebSocket,
  signal?: AbortSignal,
): AsyncGenerator<Frame, SocketEnd, undefined> {
  signal?.throwIfAborted();
  const socket = open();
  let waiting: Frame[] = [];
  let wake = () => {};
  let wasOpen = false;
  let isFull = false;
  let end: SocketEnd | null = null;
  const stop = () => {
    socket.close();
    wake();
  };
  socket.addEventListener('open', () => (wasOpen = true));
  socket.addEventListener('message', ({ data }) => {
    if (isFull) return;
    waiting.push(JSON.parse(String(data)) as Frame);
    isFull = waiting.length >= MOST_WAITING;
    if (isFull) socket.close();
    wake();
  });
  socket.addEventListener('close', ({ code }) => {
    end = { code: isFull ? 1001 : code, wasOpen };
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
