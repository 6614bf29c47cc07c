/** Values of PostgreSQL as JSON, without loss, and the values of parameters as texts. Pure. */
import { asSeenByPrograms, hasBigIntegers, parseJson } from '@weft/kernel';
import { LayerFailure } from '../../layer-module.js';
import { Bytes } from '../bytes.js';

type Read = (text: string) => unknown;

const asText: Read = (text) => text;
/** NaN and the infinities have no number in JSON: they stay texts. */
const asNumber: Read = (text) => (Number.isFinite(Number(text)) ? Number(text) : text);
const asBoolean: Read = (text) => text === 't';
const asJson: Read = (text) => {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
};
const asBytes: Read = (text) => (text.startsWith('\\x') ? new Bytes(Buffer.from(text.slice(2), 'hex')) : text);
/** `2026-11-28 22:32:45.47+01` becomes ISO 8601; `infinity` and years before Christ stay as they are. */
const asTime: Read = (text) => {
  const parts = /^(\d{4,}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)(?:([+-]\d\d)(:\d\d)?(?::\d\d)?)?$/.exec(text);
  if (!parts) return text;
  const [, day, time, hours, minutes] = parts;
  return `${day}T${time}${hours === undefined ? '' : `${hours}${minutes ?? ':00'}`}`;
};

interface Type {
  readonly name: string;
  readonly read: Read;
}

/** By oid: the built-in types, and the oid of their lists. */
const TYPES: ReadonlyMap<number, Type> = new Map(
  (
    [
      [16, 1000, 'boolean', asBoolean],
      [17, 1001, 'bytea', asBytes],
      [18, 1002, 'char', asText],
      [19, 1003, 'name', asText],
      [20, 1016, 'bigint', asText],
      [21, 1005, 'smallint', asNumber],
      [23, 1007, 'integer', asNumber],
      [25, 1009, 'text', asText],
      [26, 1028, 'oid', asNumber],
      [114, 199, 'json', asJson],
      [142, 143, 'xml', asText],
      [600, 1017, 'point', asText],
      [650, 651, 'cidr', asText],
      [700, 1021, 'real', asNumber],
      [701, 1022, 'double precision', asNumber],
      [790, 791, 'money', asText],
      [829, 1040, 'macaddr', asText],
      [869, 1041, 'inet', asText],
      [1042, 1014, 'character', asText],
      [1043, 1015, 'character varying', asText],
      [1082, 1182, 'date', asText],
      [1083, 1183, 'time', asText],
      [1114, 1115, 'timestamp', asTime],
      [1184, 1185, 'timestamp with time zone', asTime],
      [1186, 1187, 'interval', asText],
      [1266, 1270, 'time with time zone', asText],
      [1560, 1561, 'bit', asText],
      [1562, 1563, 'bit varying', asText],
      [1700, 1231, 'numeric', asText],
      [2950, 2951, 'uuid', asText],
      [3614, 3643, 'tsvector', asText],
      [3802, 3807, 'jsonb', asJson],
    ] as const
  ).flatMap(([oid, listOid, name, read]): [number, Type][] => [
    [oid, { name, read }],
    [listOid, { name: `${name}[]`, read: (text: string) => readList(text, read) }],
  ]),
);
const UNKNOWN: Read = asText;
const OF_JSON: ReadonlySet<number> = new Set([114, 3802]);

export function nameOfType(oid: number): string {
  return TYPES.get(oid)?.name ?? `oid ${oid}`;
}

/** Types that Weft does not know are texts, as the server writes them. */
export function readerOf(oid: number): Read {
  return TYPES.get(oid)?.read ?? UNKNOWN;
}

const MAX_DIMENSIONS = 6;

/** `{1,NULL,"a b"}`, with further lists in it; another text stays as it is. */
export function readList(text: string, read: Read): unknown {
  // a list whose first place is not 1 begins with its bounds
  const from = text.startsWith('[') ? text.indexOf('=') + 1 : 0;
  if (text.charAt(from) !== '{') return text;
  const open: unknown[][] = [];
  for (let at = from; at < text.length;) {
    const sign = text.charAt(at);
    if (sign === '{') {
      if (open.length === MAX_DIMENSIONS) return text;
      const list: unknown[] = [];
      open.at(-1)?.push(list);
      open.push(list);
      at += 1;
    } else if (sign === '}') {
      const closed = open.pop();
      if (open.length === 0) return at === text.length - 1 && closed ? closed : text;
      at += 1;
    } else if (sign === ',') at += 1;
    else {
      const end = sign === '"' ? endOfQuoted(text, at) : endOfPlain(text, at);
      if (end === at || open.length === 0) return text;
      const whole = text.slice(at, end);
      const value = sign === '"' ? whole.slice(1, -1).replaceAll(/\\([^])/g, '$1') : whole;
      open.at(-1)?.push(whole === 'NULL' ? null : read(value));
      at = end;
    }
  }
  return text;
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];

/** A sign at a time: of a long element, a pattern would need a stack as long. @returns the same place when it does not end */
function endOfQuoted(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at += 1) {
    const sign = text.charCodeAt(at);
    if (sign === QUOTE) return at + 1;
    if (sign === BACKSLASH) at += 1;
  }
  return from;
}

function endOfPlain(text: string, from: number): number {
  PLAIN.lastIndex = from;
  return from + (PLAIN.exec(text)?.[0].length ?? 0);
}

const PLAIN = /[^{},"\\]+/y;

/**
 * The value of a parameter as the server reads it: a list is a list of PostgreSQL, except where the parameter is JSON.
 *
 * @param oid the type of the parameter, where it is known
 * @throws LayerFailure `invalid_args`
 */
export function writeValue(value: unknown, oid: number | undefined, where: string): string | null {
  if (value === null || value === undefined) return null;
  const isJson = oid !== undefined && OF_JSON.has(oid);
  const plain = hasBigIntegers(value) ? asSeenByPrograms(value) : value;
  const text = isJson && typeof plain !== 'string' ? JSON.stringify(plain) : written(plain);
  if (!text.includes('\0')) return text;
  throw new LayerFailure('invalid_args', `${where} has a character with the code 0, which PostgreSQL does not store`);
}

function written(value: unknown): string {
  if (Array.isArray(value)) return `{${value.map(writtenElement).join(',')}}`;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function writtenElement(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (Array.isArray(value)) return written(value);
  return `"${written(value).replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
