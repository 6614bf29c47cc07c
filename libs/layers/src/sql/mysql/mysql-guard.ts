/**
 * The guard of a connection to MySQL or MariaDB: packets are in order, none is longer than 16 MB, and a login has the steps of a
 * login. It takes the two ways to prove a password that do not give it away over an open line.
 */
import type { Duplex } from 'node:stream';
import { LOGIN_BYTES, MessageGuard } from '../message-guard.js';

const HEADER_BYTES = 4;
/** A longer packet goes on in the next one. */
export const MAX_PACKET_BYTES = 0xff_ff_ff;
/** A greeting, a change of the way, a key, two times something, and the end. */
const MAX_STEPS = 8;
const [OK, MORE, SWITCH, ERROR, GREETING] = [0x00, 0x01, 0xfe, 0xff, 0x0a];
const WAYS = ['mysql_native_password', 'caching_sha2_password'];

export class MysqlGuard extends MessageGuard {
  /** The number of the next packet of the server; null: it is not its turn. */
  private next: number | null = 0;
  private steps = 0;
  /** The server has let the user in. */
  private isIn = false;

  /** @param socket connected, without TLS */
  constructor(socket: Duplex, host: string) {
    super(socket, host, { name: 'MySQL', headerBytes: HEADER_BYTES });
  }

  /** @param upgrade of the socket, after the server has heard that TLS follows */
  secure<Raw extends Duplex>(upgrade: (raw: Raw) => Promise<Duplex>): Promise<void> {
    return this.upgrade(upgrade);
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    for (let at = 0; at < chunk.byteLength; at += HEADER_BYTES + chunk.readUIntLE(at, 3)) {
      this.next = (chunk.readUInt8(at + 3) + 1) % 256;
    }
    super._write(chunk, encoding, done);
  }

  protected override sizeAt(bytes: Buffer, at: number): number | null {
    const length = bytes.readUIntLE(at, 3);
    if (length === 0 || (!this.isLoggedIn && length > LOGIN_BYTES)) return this.refuse();
    return length === MAX_PACKET_BYTES ? this.tooLarge(length + 1, length) : HEADER_BYTES + length;
  }

  protected override isTaken(bytes: Buffer, at: number, end: number): boolean {
    if (this.next === null || bytes[at + 3] !== this.next) return false;
    this.next = (this.next + 1) % 256;
    return this.isLoggedIn || this.isStep(bytes.subarray(at + HEADER_BYTES, end));
  }

  private isStep(packet: Buffer): boolean {
    this.steps += 1;
    if (this.isIn || this.steps > MAX_STEPS) return false;
    const kind = packet[0];
    if (kind === ERROR) return true;
    if (this.steps === 1) {
      // what follows before an answer was not said over TLS
      this.next = null;
      return kind === GREETING;
    }
    this.isIn = kind === OK;
    return this.isIn || kind === MORE || (kind === SWITCH && WAYS.includes(firstText(packet.subarray(1))));
  }
}

function firstText(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes.toString('latin1', 0, end === -1 ? bytes.byteLength : end);
}
