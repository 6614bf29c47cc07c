import { parseJson } from '@weft/kernel';
import { isUtf8 } from 'node:buffer';

export interface ReadBody {
  readonly body: string;
  /** Set when `body` is base64 because the bytes are not text. */
  readonly bodyEncoding?: 'base64';
  readonly json: unknown;
}

/**
 * Decodes bytes to text. A declared charset decides; otherwise valid UTF-8 is text whatever its type, `text/*` that is
 * not UTF-8 is Windows-1252 (the web's Latin-1), and everything else becomes base64, so that no byte is lost.
 */
export function readBody(bytes: Buffer, contentType: string | undefined): ReadBody {
  if (bytes.byteLength === 0) return { body: '', json: null };
  const mediaType = mediaTypeOf(contentType);
  const body = textOfBytes(bytes, contentType);
  if (body === null) return { body: bytes.toString('base64'), bodyEncoding: 'base64', json: null };
  return { body, json: isJson(mediaType) ? jsonIn(body) : null };
}

/** Null: it is not a text. */
export function textOfBytes(bytes: Buffer, contentType: string | undefined): string | null {
  const mediaType = mediaTypeOf(contentType);
  const charset = charsetOf(contentType);
  if (charset !== null && !isUtf8Name(charset)) {
    const decoded = decodeAs(bytes, charset);
    if (decoded !== null) return decoded;
  }
  if (isUtf8(bytes)) return bytes.toString('utf8');
  return mediaType.startsWith('text/') ? decodeAs(bytes, 'windows-1252') : null;
}

function decodeAs(bytes: Buffer, charset: string): string | null {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return null; // an unknown charset is treated like none
  }
}

export function mediaTypeOf(contentType: string | undefined): string {
  if (contentType === undefined) return '';
  const end = contentType.indexOf(';');
  return (end === -1 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
}

export function charsetOf(contentType: string | undefined): string | null {
  if (!contentType?.includes(';')) return null;
  for (const parameter of contentType.split(';').slice(1)) {
    const [name, value] = parameter.split('=');
    if (name?.trim().toLowerCase() === 'charset') return value?.trim().replaceAll('"', '').toLowerCase() ?? null;
  }
  return null;
}

export function isUtf8Name(charset: string): boolean {
  return charset === 'utf-8' || charset === 'utf8';
}

export function isJson(mediaType: string): boolean {
  return mediaType === 'application/json' || mediaType.endsWith('+json') || mediaType === 'text/json';
}

function jsonIn(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return null; // declared as JSON, but invalid or too deep: the text shows why
  }
}

export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((item) => isDeeperThan(item, levels - 1));
  const record = value as Readonly<Record<string, unknown>>;
  for (const key in record) if (isDeeperThan(record[key], levels - 1)) return true;
  return false;
}
