import { CLOSE } from '@weft/contracts';
import { expect, it, vi } from 'vitest';
import { LiveSocket, type LiveMessage } from './live-socket';

/** What the page has of a socket. */
class Line extends EventTarget {
  readonly readyState = 0;
  close(): void {
    // the other side says when it is closed
  }
  closeBy(code: number): void {
    this.dispatchEvent(Object.assign(new Event('close'), { code }));
  }
  say(message: Partial<LiveMessage>): void {
    this.dispatchEvent(Object.assign(new Event('message'), { data: JSON.stringify(message) }));
  }
}

function setUp() {
  const lines: Line[] = [];
  const heard: LiveMessage[] = [];
  const asked = Promise.withResolvers<boolean>();
  const ports = {
    open: (): WebSocket => {
      lines.push(new Line());
      return lines.at(-1) as unknown as WebSocket;
    },
    now: () => 0,
    isSignedIn: () => asked.promise,
    signInAgain: () => Promise.resolve(),
  };
  const socket = new LiveSocket(ports, {
    message: (message) => heard.push(message),
    gap: () => undefined,
    status: () => undefined,
  });
  return { socket, lines, heard, asked };
}

it('opens again after it was cut, and not when it was given up while it asked whether the session lives', async () => {
  vi.useFakeTimers();
  try {
    for (const [isGivenUp, opened] of [
      [false, 2],
      [true, 1],
    ] as const) {
      const { socket, lines, asked } = setUp();
      socket.connect();
      lines[0]?.dispatchEvent(new Event('open'));
      lines[0]?.closeBy(CLOSE.sessionEnded);
      if (isGivenUp) socket.close();
      asked.resolve(true);
      await vi.advanceTimersByTimeAsync(60_000);
      expect(lines).toHaveLength(opened);
      socket.close();
    }
  } finally {
    vi.useRealTimers();
  }
});

it('takes nothing from a line that it has given up', () => {
  const { socket, lines, heard } = setUp();
  const message = { cursor: 'c', playId: 'p', seq: 1, timestamp: new Date(0).toISOString() };
  socket.connect();
  socket.close();
  lines[0]?.say(message);
  expect(heard).toEqual([]);
  socket.connect();
  lines[1]?.say(message);
  expect(heard).toMatchObject([{ playId: 'p' }]);
  socket.close();
});
