import { CLOSE } from '@weft/contracts';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { LiveSocket } from './live-socket.js';
import { OpenSockets } from './open-sockets.js';

const clock = { ms: 0, now: () => 0, monotonicMs: () => clock.ms };
const figures = { open: 0, closes: [] as number[] };
const rows = {
  socketsOpen: (open: number) => (figures.open = open),
  socketClosed: (c: number) => figures.closes.push(c),
};

function fake(onClose: (code: number) => void = () => undefined) {
  const seen = { lost: [] as number[], terminated: 0 };
  const socket = {
    close: onClose,
    tick: (lost: number) => seen.lost.push(lost),
    terminate: () => (seen.terminated += 1),
  };
  return { seen, socket: socket as unknown as LiveSocket };
}

afterEach(() => vi.useRealTimers());

describe('the open sockets', () => {
  it('look at the clock together, and know how long they could not', () => {
    vi.useFakeTimers();
    const sockets = new OpenSockets(rows, clock, 100);
    const { socket, seen } = fake();
    sockets.add(socket);
    clock.ms += 100;
    vi.advanceTimersByTime(100);
    clock.ms += 5_100;
    vi.advanceTimersByTime(100);
    expect(seen.lost).toEqual([0, 5_000]);
  });

  it('are told to come back elsewhere when the process stops; who stays is ended', async () => {
    vi.useFakeTimers();
    figures.closes = [];
    const sockets = new OpenSockets(rows, clock, 1_000);
    const polite = fake((code) => sockets.delete(polite.socket, code));
    const deaf = fake();
    for (const { socket } of [polite, deaf]) sockets.add(socket);
    expect(figures.open).toBe(2);
    const drained = sockets.drain(3_000);
    expect([figures.closes, figures.open]).toEqual([[CLOSE.goingAway], 1]);
    await vi.advanceTimersByTimeAsync(3_000);
    await drained;
    expect([polite.seen.terminated, deaf.seen.terminated]).toEqual([0, 1]);
  });

  it('are drained at once when there are none, or when the last has gone', async () => {
    await new OpenSockets(rows, clock, 1_000).drain(60_000);
    const sockets = new OpenSockets(rows, clock, 1_000);
    const last = fake((code) => setImmediate(() => sockets.delete(last.socket, code)));
    sockets.add(last.socket);
    await sockets.drain(60_000);
    expect(figures.open).toBe(0);
  });
});
