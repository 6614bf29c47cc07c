/** A server that speaks the protocol of PostgreSQL as badly as a spec wants, and a dialer that leads every host to one. */
import { createEgressDialer, type EgressDialer } from '@weft/egress';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { afterEach } from 'vitest';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

export function message(code: string, ...parts: (Buffer | string)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
  const head = Buffer.alloc(5);
  head.write(code);
  head.writeInt32BE(body.byteLength + 4, 1);
  return Buffer.concat([head, body]);
}

export const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};
export const int16 = (value: number): Buffer => int32(value).subarray(2);

const READY = message('Z', 'I');
export const LOGGED_IN = Buffer.concat([message('R', int32(0)), message('K', int32(7), int32(8)), READY]);
/** One column `a` of texts. */
export const ONE_COLUMN = message(
  'T',
  ...[int16(1), 'a\0', int32(0), int16(0), int32(25), int16(-1), int32(-1), int16(0)],
);
export const row = (text: string): Buffer => message('D', int16(1), int32(Buffer.byteLength(text)), text);

export interface Server {
  readonly port: number;
  /** What clients sent, by connection. */
  readonly received: readonly Buffer[];
}

/** @param onData called with what arrives, its connection, and how often it was called for it, from 0 */
export async function rawServer(onData: (socket: Socket, data: Buffer, at: number) => void): Promise<Server> {
  const sockets = new Set<Socket>();
  const received: Buffer[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    const place = received.push(Buffer.alloc(0)) - 1;
    let at = 0;
    socket.on('error', () => socket.destroy());
    socket.on('data', (data: Buffer) => {
      received[place] = Buffer.concat([received[place] ?? Buffer.alloc(0), data]);
      onData(socket, data, at);
      at += 1;
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((done) => server.close(done));
  });
  return { port: (server.address() as AddressInfo).port, received };
}

/**
 * A server that logs everybody in and takes the commands of Weft itself.
 *
 * @param answer to a statement of the spec
 */
export function talkingServer(answer: (socket: Socket, statement: string) => void): Promise<Server> {
  return rawServer((socket, data, at) => {
    if (at === 0) return void socket.write(LOGGED_IN);
    for (const { code, body } of messagesIn(data)) {
      if (code === 'S') socket.write(READY);
      if (code !== 'P') continue;
      const statement = body.toString().split('\0')[1] ?? '';
      if (/set_config|^discard|^begin|^commit|^rollback|^select 1$/i.test(statement)) {
        socket.write(Buffer.concat([message('1'), message('2'), message('n'), message('C', 'SET\0')]));
      } else answer(socket, statement);
    }
  });
}

/** One row of a query, and one that every other statement changed. */
export function answerWell(socket: Socket, statement: string): void {
  const isQuery = /^select/i.test(statement);
  const rows = isQuery
    ? [ONE_COLUMN, row('x'), message('C', 'SELECT 1\0')]
    : [message('n'), message('C', 'UPDATE 1\0')];
  socket.write(Buffer.concat([message('1'), message('2'), ...rows]));
}

function* messagesIn(data: Buffer): Generator<{ code: string; body: Buffer }> {
  for (let at = 0; at + 5 <= data.byteLength;) {
    const length = data.readInt32BE(at + 1);
    yield { code: data.toString('latin1', at, at + 1), body: data.subarray(at + 5, at + 1 + length) };
    at += 1 + length;
  }
}

/** Dials this port of the loopback address, whatever host it is asked for. */
export function dialerTo(port: number): EgressDialer & { readonly asked: readonly string[] } {
  const asked: string[] = [];
  const real = createEgressDialer({ allow: [{ cidr: '127.0.0.1/32', port: null }] });
  return {
    asked,
    dial: (target) => {
      asked.push(`${target.host}:${target.port}`);
      return real.dial({ ...target, host: '127.0.0.1', port });
    },
  };
}
