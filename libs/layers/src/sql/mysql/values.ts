/** Values of MySQL in their binary form as JSON, without loss, and the values of parameters in that form. Pure. */
import { asSeenByPrograms, hasBigIntegers, parseJson } from '@weft/kernel';
import { Bytes } from '../bytes.js';
import { counted, Packet } from './packet.js';

export interface Column {
  readonly name: string;
  readonly type: string;
  /** @throws RangeError where the packet has no such value */
  readonly read: (packet: Packet) => unknown;
}

/** Numbers of types (MySQL, `field_types.h`). */
const [TINY, SHORT, LONG, FLOAT, DOUBLE, NULL, TIMESTAMP, LONGLONG, INT24] = [1, 2, 3, 4, 5, 6, 7, 8, 9];
const [DATE, TIME, DATETIME, YEAR, VARCHAR, BIT, VECTOR, JSON_TYPE] = [10, 11, 12, 13, 15, 16, 242, 245];
const [DECIMAL, NEW_DECIMAL, VAR_STRING, STRING, GEOMETRY] = [0, 246, 253, 254, 255];
const [UNSIGNED, ENUM, SET] = [0x20, 0x1_00, 0x8_00];
/** The character set of bytes. */
const BINARY = 63;
/** Of a time whose column does not say how many digits its seconds have. */
const ANY_DIGITS = 31;

interface Definition {
  readonly code: number;
  readonly isUnsigned: boolean;
  readonly isBinary: boolean;
  /** Of a `bit`: its bits. */
  readonly length: number;
  /** Of seconds. */
  readonly digits: number;
  /** What MariaDB says of it besides: `json`, `uuid`, `point`, … */
  readonly more: string | null;
}

/** @param isExtended MariaDB says more of each column */
export function readColumn(packet: Packet, isExtended: boolean): Column {
  // catalog, schema, and the table by its alias and by its name
  for (let at = 0; at < 4; at += 1) packet.sized();
  const name = packet.sized().toString();
  packet.sized();
  const more = isExtended ? readMore(new Packet(packet.sized())) : null;
  packet.skip(1);
  const charset = packet.unsigned(2);
  const length = packet.unsigned(4);
  const code = packet.unsigned(1);
  const flags = packet.unsigned(2);
  const decimals = packet.unsigned(1);
  packet.skip(2);
  if (!packet.isAtEnd) throw new RangeError('a column has more than its parts');
  const of: Definition = {
    ...{ code, length, more, isUnsigned: (flags & UNSIGNED) !== 0, isBinary: charset === BINARY },
    digits: decimals === ANY_DIGITS ? 0 : Math.min(decimals, 6),
  };
  return { name, type: more ?? nameOf(of, flags), read: readerOf(of) };
}

/** Pairs of a kind and a text: 0 is the name of a type, 1 a format. */
function readMore(within: Packet): string | null {
  let found: string | null = null;
  while (!within.isAtEnd) {
    within.skip(1);
    found ??= within.sized().toString('latin1').slice(0, 40);
  }
  return found;
}

const INTEGERS: ReadonlyMap<number, string> = new Map([
  [TINY, 'tinyint'],
  [SHORT, 'smallint'],
  [INT24, 'mediumint'],
  [LONG, 'int'],
  [LONGLONG, 'bigint'],
]);
const NAMES: ReadonlyMap<number, string> = new Map([
  ...([
    [FLOAT, 'float'],
    [DOUBLE, 'double'],
    [DECIMAL, 'decimal'],
    [NEW_DECIMAL, 'decimal'],
    [NULL, 'null'],
  ] as const),
  ...([
    [DATE, 'date'],
    [TIME, 'time'],
    [DATETIME, 'datetime'],
    [TIMESTAMP, 'timestamp'],
    [YEAR, 'year'],
  ] as const),
  ...([
    [BIT, 'bit'],
    [JSON_TYPE, 'json'],
    [GEOMETRY, 'geometry'],
    [VECTOR, 'vector'],
  ] as const),
]);

function nameOf({ code, isUnsigned, isBinary }: Definition, flags: number): string {
  const integer = INTEGERS.get(code);
  if (integer !== undefined) return isUnsigned ? `${integer} unsigned` : integer;
  const name = NAMES.get(code);
  if (name !== undefined) return name;
  if ((flags & ENUM) !== 0) return 'enum';
  if ((flags & SET) !== 0) return 'set';
  if (code === STRING) return isBinary ? 'binary' : 'char';
  if (code === VAR_STRING || code === VARCHAR) return isBinary ? 'varbinary' : 'varchar';
  return isBinary ? 'blob' : 'text';
}

function readerOf({ code, isUnsigned, isBinary, length, digits, more }: Definition): Column['read'] {
  if (more === 'json' || code === JSON_TYPE) return (packet) => jsonOf(packet.sized().toString());
  switch (code) {
    case TINY:
      return (packet) => (isUnsigned ? packet.unsigned(1) : packet.signed(1));
    case SHORT:
    case YEAR:
      return (packet) => (isUnsigned ? packet.unsigned(2) : packet.signed(2));
    case INT24:
    case LONG:
      return (packet) => (isUnsigned ? packet.unsigned(4) : packet.signed(4));
    case LONGLONG:
      return (packet) => String(isUnsigned ? packet.unsigned8() : packet.signed8());
    case FLOAT:
      return (packet) => finite(shortest(packet.float()));
    case DOUBLE:
      return (packet) => finite(packet.double());
    case DATE:
      return (packet) => readMoment(packet, digits).day;
    case DATETIME:
      return (packet) => readMoment(packet, digits).text;
    case TIMESTAMP:
      // the session is in UTC
      return (packet) => `${readMoment(packet, digits).text}+00:00`;
    case TIME:
      return (packet) => readSpan(packet, digits);
    case BIT:
      return (packet) => bitsOf(packet.sized(), length);
    case GEOMETRY:
    case VECTOR:
      return (packet) => new Bytes(Buffer.from(packet.sized()));
    default:
      // of a copy, a row that is held does not hold its packet
      return (packet) =>
        isBinary && !isDecimal(code) ? new Bytes(Buffer.from(packet.sized())) : packet.sized().toString();
  }
}

const isDecimal = (code: number): boolean => code === DECIMAL || code === NEW_DECIMAL;

/** MySQL has none of the others. */
function finite(value: number): number | string {
  return Number.isFinite(value) ? value : String(value);
}

/** A number of 32 bits with the digits that it has, and not those of its neighbour of 64 bits. */
function shortest(value: number): number {
  for (let digits = 6; digits < 9; digits += 1) {
    const near = Number(value.toPrecision(digits));
    if (Math.fround(near) === value) return near;
  }
  return value;
}

function jsonOf(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

function bitsOf(bytes: Buffer, length: number): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('');
  return bits.slice(Math.max(0, bits.length - length));
}

const two = (value: number): string => String(value).padStart(2, '0');

/** Zero dates are what they are: `0000-00-00`. */
function readMoment(packet: Packet, digits: number): { readonly day: string; readonly text: string } {
  const length = packet.unsigned(1);
  if (![0, 4, 7, 11].includes(length)) throw new RangeError('not the length of a time');
  const [year, month, date] = length >= 4 ? [packet.unsigned(2), packet.unsigned(1), packet.unsigned(1)] : [0, 0, 0];
  const day = `${String(year).padStart(4, '0')}-${two(month)}-${two(date)}`;
  return { day, text: `${day}T${readClock(packet, length >= 7, length === 11, digits, 0)}` };
}

/** Hours, with those of its days: `-26:03:00.5`. */
function readSpan(packet: Packet, digits: number): string {
  const length = packet.unsigned(1);
  if (![0, 8, 12].includes(length)) throw new RangeError('not the length of a span');
  const isNegative = length > 0 && packet.unsigned(1) === 1;
  const days = length > 0 ? packet.unsigned(4) : 0;
  return `${isNegative ? '-' : ''}${readClock(packet, length > 0, length === 12, digits, 24 * days)}`;
}

function readClock(packet: Packet, isThere: boolean, hasMore: boolean, digits: number, hours: number): string {
  const [hour, minute, second] = isThere ? [packet.unsigned(1), packet.unsigned(1), packet.unsigned(1)] : [0, 0, 0];
  const micros = String(hasMore ? packet.unsigned(4) : 0).padStart(6, '0');
  // a value of an expression may have more digits than its column says
  const shown = Math.max(digits, micros.replace(/0+$/, '').length);
  return `${two(hours + hour)}:${two(minute)}:${two(second)}${shown > 0 ? `.${micros.slice(0, shown)}` : ''}`;
}

export interface Parameter {
  readonly type: number;
  readonly isUnsigned: boolean;
  readonly bytes: Buffer;
}

const NOTHING: Parameter = { type: NULL, isUnsigned: false, bytes: Buffer.alloc(0) };

/** A list or an object is JSON; integers are exact, as large as they may be. */
export function writeParameter(value: unknown): Parameter {
  if (value === null || value === undefined) return NOTHING;
  if (typeof value === 'boolean') return { type: TINY, isUnsigned: false, bytes: Buffer.from([value ? 1 : 0]) };
  if (typeof value === 'bigint') return writeInteger(value);
  if (typeof value === 'number') {
    // a whole number is an integer also where the server takes nothing else, as in LIMIT
    if (Number.isSafeInteger(value)) return writeInteger(BigInt(value));
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleLE(value);
    return { type: DOUBLE, isUnsigned: false, bytes };
  }
  if (typeof value === 'string') return writeText(value);
  return writeText(JSON.stringify(hasBigIntegers(value) ? asSeenByPrograms(value) : value));
}

function writeInteger(value: bigint): Parameter {
  const bytes = Buffer.alloc(8);
  if (BigInt.asIntN(64, value) === value) bytes.writeBigInt64LE(value);
  else if (BigInt.asUintN(64, value) === value) bytes.writeBigUInt64LE(value);
  else return writeText(value.toString());
  return { type: LONGLONG, isUnsigned: value >= 0n, bytes };
}

function writeText(text: string): Parameter {
  const bytes = Buffer.from(text);
  return { type: VAR_STRING, isUnsigned: false, bytes: Buffer.concat([counted(bytes.byteLength), bytes]) };
}
