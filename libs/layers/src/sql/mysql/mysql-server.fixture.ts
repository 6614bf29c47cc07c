import { rawServer, type RawServer } from '@weft/testing';
/** A server that speaks the protocol of MySQL as badly as a spec wants. */
import type { Socket } from 'node:net';
import { counted } from './packet.js';

export const NATIVE = 'mysql_native_password';
export const SHA2 = 'caching_sha2_password';
export const NONCE = Buffer.from('12345678901234567890');
const CAPABILITIES = 0x008f_a20f;
export const TLS = 0x800;

/** @param seq the number of the packet */
export function packet(seq: number, ...parts: readonly (Buffer | string | number)[]): Buffer {
  const body = Buffer.concat(
    parts.map((part) => (typeof part === 'number' ? Buffer.from([part]) : Buffer.from(part as string))),
  );
  const header = Buffer.alloc(4);
  header.writeUIntLE(body.byteLength, 0, 3);
  header.writeUInt8(seq % 256, 3);
  return Buffer.concat([header, body]);
}

const uint = (bytes: 2 | 4, value: number): Buffer => {
  const out = Buffer.alloc(bytes);
  out.writeUIntLE(value, 0, bytes);
  return out;
};
export const text = (value: string): Buffer => Buffer.concat([counted(Buffer.byteLength(value)), Buffer.from(value)]);

export function greeting({ plugin = NATIVE, capabilities = CAPABILITIES, version = '8.4.0' } = {}): Buffer {
  return packet(
    0,
    ...[10, `${version}\0`, uint(4, 7), NONCE.subarray(0, 8), 0, uint(2, capabilities & 0xffff), 45, uint(2, 2)],
    ...[uint(2, capabilities >>> 16), 21, Buffer.alloc(10), NONCE.subarray(8), 0, `${plugin}\0`],
  );
}

export const withTls = CAPABILITIES | TLS;

/** @param status 2: a statement commits by itself; 1: a transaction is open */
export const ok = (seq: number, status = 2): Buffer => packet(seq, 0, 0, 0, uint(2, status), uint(2, 0));
export const end = (seq: number, status = 2): Buffer => packet(seq, 0xfe, uint(2, 0), uint(2, status));
export const error = (seq: number, errno: number, state: string, message: string): Buffer =>
  packet(seq, 0xff, uint(2, errno), `#${state}`, message);
export const prepared = (places = 0, columns = 0): Buffer =>
  packet(1, 0, uint(4, 1), uint(2, columns), uint(2, places), 0, uint(2, 0));
export const column = (seq: number, name: string, type = 0xfd, charset = 45): Buffer =>
  packet(
    seq,
    ...[text('def'), text(''), text('t'), text('t'), text(name), text(name), 0x0c],
    ...[uint(2, charset), uint(4, 400), type, uint(2, 0), 0, uint(2, 0)],
  );
export const row = (seq: number, ...values: readonly string[]): Buffer =>
  packet(seq, 0, Buffer.alloc((values.length + 9) >> 3), ...values.map(text));
/** The head of a result with one column `a` of texts; its first row has the number 4. */
export const ONE_COLUMN = Buffer.concat([packet(1, 1), column(2, 'a'), end(3)]);

/**
 * A server that lets everybody in and takes the commands of Weft itself.
 *
 * @param answer to what the spec executes
 */
export function talkingServer(
  answer: (socket: Socket, statement: string) => void,
  hello = greeting(),
): Promise<RawServer> {
  let statement = '';
  return rawServer((socket, data, at) => {
    if (at === 0) return void socket.write(ok(data.readUInt8(3) + 1));
    for (const { command, body } of commandsIn(data)) {
      if (command === 0x03 || command === 0x1f) socket.write(ok(1));
      if (command === 0x16) {
        statement = body.toString();
        socket.write(prepared());
      }
      if (command === 0x17) answer(socket, statement);
    }
  }, hello);
}

function* commandsIn(data: Buffer): Generator<{ command: number; body: Buffer }> {
  for (let at = 0; at + 5 <= data.byteLength;) {
    const length = data.readUIntLE(at, 3);
    yield { command: data.readUInt8(at + 4), body: data.subarray(at + 5, at + 4 + length) };
    at += 4 + length;
  }
}
