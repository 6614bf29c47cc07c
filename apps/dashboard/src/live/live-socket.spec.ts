import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
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
  const asked: PromiseWithResolvers<void>[] = [];
  const ports = {
    open: (): WebSocket => {
      lines.push(new Line());
      return lines.at(-1) as unknown as WebSocket;
    },
    now: () => 0,
    sessionOfPage: () => {
      asked.push(Promise.withResolvers());
      return asked.at(-1)?.promise ?? Promise.reject(new Error('unreachable'));
    },
  };
  const socket = new LiveSocket(ports, {
    message: (message) => heard.push(message),
    gap: () => undefined,
    status: () => undefined,
  });
  return { socket, lines, heard, asked };
}

describe('a stream that was cut', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** By default as after a sleep, in which news of other tabs are not heard. */
  function cut(code = 4408) {
    const all = setUp();
    all.socket.connect();
    all.lines[0]?.dispatchEvent(new Event('open'));
    all.lines[0]?.closeBy(code);
    return all;
  }

  it('on its way opens again without a question', async () => {
    const { socket, lines, asked } = cut(1006);
    await vi.advanceTimersByTimeAsync(60_000);
    expect([asked.length, lines.length]).toEqual([0, 2]);
    socket.close();
  });

  it('opens again when the session is the one of the page, and not before', async () => {
    const { socket, lines, asked } = cut();
    await vi.advanceTimersByTimeAsync(60_000);
    expect([asked.length, lines.length]).toEqual([1, 1]);
    asked[0]?.resolve();
    await vi.advanceTimersByTimeAsync(0);
    expect(lines).toHaveLength(2);
    socket.close();
  });

  it('asks once more when the server could not say whose the session is', async () => {
    const { socket, lines, asked } = cut();
    await vi.advanceTimersByTimeAsync(1_000);
    asked[0]?.reject(new Error('unreachable'));
    await vi.advanceTimersByTimeAsync(1_000);
    expect([asked.length, lines.length]).toEqual([2, 1]);
    socket.close();
  });

  it('opens one line, by the latest answer, and none once it is given up', async () => {
    const { socket, lines, asked } = cut();
    socket.reconnect();
    socket.reconnect();
    for (const each of asked) each.resolve();
    await vi.advanceTimersByTimeAsync(60_000);
    expect([asked.length, lines.length]).toEqual([2, 2]);
    socket.reconnect();
    socket.close();
    asked[2]?.resolve();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(lines).toHaveLength(2);
  });
});

it('takes nothing from a line that it has given up', async () => {
  const { socket, lines, heard, asked } = setUp();
  const message = { cursor: 'c', playId: 'p', seq: 1, timestamp: new Date(0).toISOString() };
  socket.connect();
  socket.close();
  lines[0]?.say(message);
  expect(heard).toEqual([]);
  socket.connect();
  asked[0]?.resolve();
  await new Promise(setImmediate);
  lines[1]?.say(message);
  expect(heard).toMatchObject([{ playId: 'p' }]);
  socket.close();
});
