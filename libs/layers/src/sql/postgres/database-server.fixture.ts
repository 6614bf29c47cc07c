import { rawServer, type RawServer } from '@weft/testing';
/** A server that speaks the protocol of PostgreSQL as badly as a spec wants. */
import type { Socket } from 'node:net';

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

/**
 * A server that logs everybody in and takes the commands of Weft itself.
 *
 * @param answer to a statement of the spec
 */
export function talkingServer(answer: (socket: Socket, statement: string) => void): Promise<RawServer> {
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
