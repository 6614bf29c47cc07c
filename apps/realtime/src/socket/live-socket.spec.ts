import { CLOSE } from '@weft/contracts';
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { LiveSocket, type SocketEvents, type SocketLimits } from './live-socket.js';

const LIMITS: SocketLimits = { pingPeriodMs: 15, readDeadlineMs: 30, writeDeadlineMs: 10, bufferBytes: 100_000 };
const CHUNK = Buffer.alloc(50_000, 'x');

const server = createServer();
const wss = new WebSocketServer({ server, perMessageDeflate: false, maxPayload: 1_024 });
server.listen(0, '127.0.0.1');
await once(server, 'listening');
afterAll(() => {
  for (const client of wss.clients) client.terminate();
  server.close();
});

/** One of our sockets with its peer, on a clock that only the test moves. */
async function pair(options: { readonly autoPong?: boolean } = {}) {
  const peer = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, options);
  const [ws, { socket: carrier }] = (await once(wss, 'connection')) as [WebSocket, IncomingMessage];
  const clock = { ms: 1_000, now: () => 0, monotonicMs: () => clock.ms };
  const seen = { drains: 0, messages: 0, pings: 0 };
  let tellClosed: (code: number) => void;
  const closed = new Promise<number>((resolve) => (tellClosed = resolve));
  const events: SocketEvents = {
    onDrain: () => (seen.drains += 1),
    onMessage: () => (seen.messages += 1),
    onPing: () => (seen.pings += 1),
    onClosed: (code) => tellClosed(code),
  };
  const socket = new LiveSocket(ws, LIMITS, clock, events, carrier);
  await once(peer, 'open');
  const pass = (ms: number, lostMs = 0) => {
    clock.ms += ms;
    socket.tick(lostMs);
  };
  return { socket, ws, carrier, peer, seen, closed, pass };
}

/** Sends more than the kernel buffers to a peer that reads nothing. */
async function fill({ socket, peer }: Awaited<ReturnType<typeof pair>>): Promise<void> {
  peer.pause();
  for (let quiet = 0; quiet < 20;) {
    if (socket.isFull) quiet += 1;
    else quiet = 0;
    while (!socket.isFull) socket.send(CHUNK);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('a live socket', () => {
  it('sends what it is given, as text', async () => {
    const { socket, peer } = await pair();
    const arrived = once(peer, 'message') as Promise<[Buffer, boolean]>;
    socket.send(Buffer.from('{"é":1}'));
    const [data, isBinary] = await arrived;
    expect([String(data), isBinary, socket.isFull]).toEqual(['{"é":1}', false, false]);
  });

  it('pings once a period, looks at the rights then, and lives as long as pongs come', async () => {
    const { socket, ws, peer, seen, pass } = await pair();
    for (let round = 1; round <= 4; round += 1) {
      const pong = once(ws, 'pong');
      pass(14);
      expect(seen.pings).toBe(round - 1);
      pass(1);
      expect(seen.pings).toBe(round);
      await pong;
    }
    expect(socket.isClosing).toBe(false);
    peer.terminate();
  });

  it('closes with 4408 at the read deadline, when no pong came', async () => {
    const { socket, peer, closed, pass } = await pair({ autoPong: false });
    const told = once(peer, 'close') as Promise<[number]>;
    pass(15);
    pass(14);
    expect(socket.isClosing).toBe(false);
    pass(1);
    expect([(await told)[0], await closed]).toEqual([CLOSE.noPong, CLOSE.noPong]);
  });

  it('does not blame the peer for time in which this process did not listen', async () => {
    const { socket, peer, pass } = await pair({ autoPong: false });
    pass(5_000, 4_990);
    expect(socket.isClosing).toBe(false);
    pass(20);
    expect(socket.isClosing).toBe(true);
    peer.terminate();
  });

  it('is full while the peer takes nothing, and closes with 4410 at the write deadline', async () => {
    const one = await pair();
    await fill(one);
    one.pass(9);
    expect(one.socket.isClosing).toBe(false);
    one.pass(1);
    expect(one.socket.isClosing).toBe(true);
    one.pass(10);
    expect(await one.closed).toBe(CLOSE.tooSlow);
  });

  it('expects no pong while the ping waits behind what the peer has not taken', async () => {
    const one = await pair({ autoPong: false });
    one.peer.on('ping', (receipt: Buffer) => receipt.byteLength > 0 && one.peer.pong(receipt));
    await fill(one);
    one.pass(9);
    one.peer.resume();
    await expect.poll(() => one.seen.drains > 0 && !one.socket.isFull).toBe(true);
    one.pass(9);
    one.pass(9);
    one.pass(9);
    expect(one.socket.isClosing).toBe(false);
    one.pass(9);
    expect(one.socket.isClosing).toBe(true);
    one.peer.terminate();
  });

  it('tells a reader who wakes up within the farewell why it was closed', async () => {
    const one = await pair();
    await fill(one);
    one.pass(10);
    const told = once(one.peer, 'close') as Promise<[number]>;
    one.peer.resume();
    expect((await told)[0]).toBe(CLOSE.tooSlow);
  });

  it('says once when there is room again', async () => {
    const one = await pair();
    await fill(one);
    const before = one.seen.drains;
    one.peer.resume();
    await expect.poll(() => one.seen.drains).toBe(before + 1);
    expect(one.socket.isFull).toBe(false);
    one.peer.terminate();
  });

  it('has no room again before three quarters are taken', async () => {
    const done: (() => void)[] = [];
    const ws = Object.assign(new EventEmitter(), {
      readyState: WebSocket.OPEN,
      send: (_data: Buffer, _options: object, taken: () => void) => void done.push(taken),
      ping: () => undefined,
    });
    let drains = 0;
    const clock = { now: () => 0, monotonicMs: () => 0 };
    const events = { onDrain: () => (drains += 1), onMessage: () => 0, onPing: () => 0, onClosed: () => 0 };
    const socket = new LiveSocket(ws as unknown as WebSocket, { ...LIMITS, bufferBytes: 200_000 }, clock, events);
    for (let i = 0; i < 4; i += 1) socket.send(CHUNK);
    const states = done.map((taken) => {
      const before = socket.isFull;
      taken();
      return [before, drains];
    });
    expect(states).toEqual([
      [true, 0],
      [true, 0],
      [true, 1],
      [false, 1],
    ]);
  });

  it('sends no more than a megabyte that the peer has not confirmed, however much the kernel takes', async () => {
    const receipts: string[] = [];
    const ws = Object.assign(new EventEmitter(), {
      readyState: WebSocket.OPEN,
      send: (_data: Buffer, _options: object, taken: () => void) => taken(),
      ping: (receipt: string) => void receipts.push(receipt),
      close: () => undefined,
    });
    let drains = 0;
    const clock = { ms: 0, now: () => 0, monotonicMs: () => clock.ms };
    const events = { onDrain: () => (drains += 1), onMessage: () => 0, onPing: () => 0, onClosed: () => 0 };
    const socket = new LiveSocket(ws as unknown as WebSocket, LIMITS, clock, events);
    const sendAll = (): number => {
      let sent = 0;
      for (; !socket.isFull; sent += 1) socket.send(CHUNK);
      return sent * CHUNK.byteLength;
    };
    expect(sendAll()).toBe(1_050_000);
    expect(receipts.slice(0, 3)).toEqual(['100000', '200000', '300000']);
    ws.emit('pong', Buffer.from('9000000')); // an unsolicited pong
    ws.emit('pong', Buffer.from('500000'));
    expect([drains, socket.isFull]).toEqual([0, true]);
    clock.ms = 9;
    ws.emit('pong', Buffer.from('600000'));
    expect([drains, socket.isFull]).toEqual([1, false]);
    expect(sendAll()).toBe(600_000);
    clock.ms = 18;
    socket.tick(0);
    expect(socket.isClosing).toBe(false);
    clock.ms = 19;
    socket.tick(0);
    expect(socket.isClosing).toBe(true);
  });

  it('writes the frames of one turn at once, in pieces that a slow peer can take', async () => {
    const { socket, carrier, peer } = await pair();
    const writes: number[] = [];
    const { _writev, _write } = carrier;
    carrier._writev = (chunks, done) => {
      writes.push(chunks.length);
      _writev?.call(carrier, chunks, done);
    };
    carrier._write = (...args) => {
      writes.push(1);
      _write.call(carrier, ...args);
    };
    const arrived = new Promise<void>((resolve) => {
      let left = 45;
      peer.on('message', () => (left -= 1) === 0 && resolve());
    });
    const frame = Buffer.alloc(1_000, 'x');
    for (let i = 0; i < 45; i += 1) socket.send(frame);
    await arrived;
    // each frame is its header and its text
    expect(writes).toEqual([34, 34, 22]);
    peer.terminate();
  });

  it('delivers what was sent before the end, then the end', async () => {
    const { socket, peer, closed } = await pair();
    let bytes = 0;
    peer.on('message', (data: Buffer) => (bytes += data.length));
    const told = once(peer, 'close') as Promise<[number, Buffer]>;
    for (let i = 0; i < 40; i += 1) socket.send(CHUNK);
    socket.close(CLOSE.complete, 'the play has ended');
    socket.send(CHUNK);
    socket.close(CLOSE.rightLost, 'too late');
    const [code, reason] = await told;
    expect([code, String(reason), bytes, await closed]).toEqual([
      1_000,
      'the play has ended',
      40 * CHUNK.length,
      1_000,
    ]);
  });

  it('hands on messages until it closes, and closes with 1009 for one that is too long', async () => {
    const { socket, peer, seen, closed } = await pair();
    peer.send('a');
    await expect.poll(() => seen.messages).toBe(1);
    const told = once(peer, 'close') as Promise<[number]>;
    peer.send('x'.repeat(1_025));
    expect([(await told)[0], await closed]).toEqual([CLOSE.tooBig, CLOSE.tooBig]);
    expect([seen.messages, socket.isClosing]).toEqual([1, true]);
  });

  it('tells the code of a peer that leaves', async () => {
    const { peer, closed } = await pair();
    peer.close(4_999);
    expect(await closed).toBe(4_999);
    const gone = await pair();
    gone.peer.terminate();
    expect(await gone.closed).toBe(1_006);
  });
});
