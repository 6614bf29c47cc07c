/**
 * The guard in front of the driver of PostgreSQL, which believes the server: it holds a message of whatever length, reads fields beyond
 * the end of their message (into memory that has contents of others), and computes a proof of the password as often as it is asked to.
 * What it reads beyond a message here is another message of the same server, or the end of what it has.
 */
import type { Duplex } from 'node:stream';
import { LOGIN_BYTES, MessageGuard } from '../message-guard.js';

const MB = 1024 * 1024;
export const MAX_MESSAGE_BYTES = 16 * MB;
/** Of errors and notices. */
const MAX_NOTE_BYTES = MB / 4;
/** PostgreSQL has no more in a result. */
const MAX_COLUMNS = 1_664;
const HEADER_BYTES = 5;
const [ERROR, NOTICE, ROW, COLUMNS, LOGIN] = [0x45, 0x4e, 0x44, 0x54, 0x52];
/** What a server sends: authentication, key, close, bind, copy, description, … (PostgreSQL, message formats). */
const KNOWN: ReadonlySet<number> = new Set(Buffer.from('RK23CdcGHWDIEAntNsS1TZ'));

export class PostgresGuard extends MessageGuard {
  /** Steps of the login that the server has asked for. */
  private readonly steps = new Set<number>();

  /** @param socket connected, with TLS where the link asks for it */
  constructor(socket: Duplex, host: string) {
    super(socket, host, { name: 'PostgreSQL', headerBytes: HEADER_BYTES });
  }

  /** The driver connects what it is given, also what is connected: it would resolve the host by itself, past the guard. */
  connect(): this {
    queueMicrotask(() => this.emit('connect'));
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  protected override sizeAt(bytes: Buffer, at: number): number | null {
    const code = bytes.readUInt8(at);
    const length = bytes.readUInt32BE(at + 1);
    const most = code === ERROR || code === NOTICE ? MAX_NOTE_BYTES : MAX_MESSAGE_BYTES;
    if (!KNOWN.has(code) || length < 4 || (!this.isLoggedIn && length > LOGIN_BYTES)) return this.refuse();
    return length > most ? this.tooLarge(length, most) : 1 + length;
  }

  protected override isTaken(bytes: Buffer, at: number, end: number): boolean {
    const code = bytes[at];
    const from = at + HEADER_BYTES;
    if (code === ERROR || code === NOTICE) return isWholeNote(bytes, from, end);
    if (code === ROW) return isWholeRow(bytes, from, end);
    if (code === COLUMNS) return from + 2 <= end && isCount(bytes.readInt16BE(from));
    if (code !== LOGIN) return true;
    // each step once: a proof of the password costs as much as the server wants it to
    const step = from + 4 <= end ? bytes.readInt32BE(from) : -1;
    if (this.isLoggedIn || step < 0 || this.steps.has(step)) return false;
    this.steps.add(step);
    return true;
  }
}

function isCount(columns: number): boolean {
  return columns >= 0 && columns <= MAX_COLUMNS;
}

/** A count, and for each column its length (-1: null) and as many bytes. */
function isWholeRow(bytes: Buffer, from: number, end: number): boolean {
  if (from + 2 > end) return false;
  const columns = bytes.readInt16BE(from);
  if (!isCount(columns)) return false;
  let at = from + 2;
  for (let column = 0; column < columns; column += 1) {
    if (at + 4 > end) return false;
    const length = bytes.readInt32BE(at);
    if (length < -1) return false;
    at += 4 + Math.max(0, length);
  }
  return at === end;
}

/** Fields of one character and a text that ends with 0, and at the end a 0. */
function isWholeNote(bytes: Buffer, from: number, end: number): boolean {
  for (let at = from; at < end; at += 1) {
    if (bytes[at] === 0) return at === end - 1;
    at = bytes.indexOf(0, at + 1);
    if (at === -1 || at >= end) return false;
  }
  return false;
}
