import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { limitPeer } from './peer-limits.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A socket whose pongs are sent when the test says so. */
function peer() {
  const pongs: string[] = [];
  const taken: (() => void)[] = [];
  const ws = Object.assign(new EventEmitter(), {
    readyState: Number(WebSocket.OPEN),
    isPaused: false,
    pause: () => (ws.isPaused = true),
    resume: () => (ws.isPaused = false),
    pong: (data: Buffer, _mask: boolean, done: () => void) => {
      pongs.push(data.toString());
      taken.push(done);
    },
  });
  const clock = { ms: 0 };
  limitPeer(ws as unknown as WebSocket, () => clock.ms);
  const send = (kind: 'message' | 'ping' | 'pong', text: string, times = 1) => {
    for (let i = 0; i < times; i += 1) ws.emit(kind, Buffer.from(text));
  };
  return { ws, clock, pongs, taken, send };
}

describe('a peer', () => {
  it('that takes no pongs has one on its way, and then the answer to its latest ping', () => {
    const { pongs, taken, send } = peer();
    for (const name of ['a', 'b', 'c', 'd']) send('ping', name);
    expect(pongs).toEqual(['a']);
    taken.shift()?.();
    expect(pongs).toEqual(['a', 'd']);
    taken.shift()?.();
    expect(pongs).toEqual(['a', 'd']);
    send('ping', 'e');
    expect(pongs).toEqual(['a', 'd', 'e']);
  });

  it('that has gone is not answered', () => {
    const { ws, pongs, taken, send } = peer();
    send('ping', 'a');
    send('ping', 'b');
    ws.readyState = WebSocket.CLOSING;
    taken.shift()?.();
    expect(pongs).toEqual(['a']);
  });

  it.each(['message', 'ping', 'pong'] as const)(
    'may send a thousand of %s at once, and is read slowly then',
    (kind) => {
      const { ws, clock, send } = peer();
      send(kind, '', 1_000);
      expect(ws.isPaused).toBe(false);
      send(kind, '', 50); // from the same read
      expect(ws.isPaused).toBe(true);
      vi.advanceTimersByTime(9);
      expect(ws.isPaused).toBe(true);
      clock.ms += 10;
      vi.advanceTimersByTime(1);
      expect(ws.isPaused).toBe(false);
      send(kind, '');
      expect(ws.isPaused).toBe(true);
    },
  );

  it('pays a large message by its size, and has its whole allowance again after a while', () => {
    const { ws, clock, send } = peer();
    send('message', 'x'.repeat(60 * 1_024), 16);
    expect(ws.isPaused).toBe(false);
    send('message', 'x'.repeat(60 * 1_024));
    expect(ws.isPaused).toBe(true);
    clock.ms += 60_000;
    vi.advanceTimersByTime(60_000);
    send('message', '', 1_000);
    expect(ws.isPaused).toBe(false);
    send('message', '');
    expect(ws.isPaused).toBe(true);
  });
});
