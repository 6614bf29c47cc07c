import type { EgressResponse } from '@weft/egress';
import {
  jsonAt,
  keptBefore,
  longestSpelling,
  outsideEscape,
  withoutSecret,
  type Held,
  type Searched,
} from '../../call/without-secret.js';
import { charsetOf, isJson, mediaTypeOf } from './read-body.js';

/** How the bytes of a body become a text to search, and bytes again: the same ones, whatever they are. */
interface Reading {
  readonly held: Held;
  readonly unit: 1 | 2;
  readonly read: (bytes: Buffer) => string;
  readonly write: (text: string) => Buffer;
}

// byte by byte: the rest stays as it is, in any encoding
const BYTES: Reading = {
  held: 'bytes',
  unit: 1,
  read: (bytes) => bytes.toString('latin1'),
  write: (text) => Buffer.from(text, 'latin1'),
};
const UTF16LE: Reading = {
  held: 'text',
  unit: 2,
  read: (bytes) => bytes.toString('utf16le'),
  write: (text) => Buffer.from(text, 'utf16le'),
};
const UTF16BE: Reading = {
  held: 'text',
  unit: 2,
  read: (bytes) => Buffer.from(bytes).swap16().toString('utf16le'),
  write: (text) => Buffer.from(text, 'utf16le').swap16(),
};

/**
 * The response of a server that may repeat what it was sent: the secrets are replaced everywhere, except in headers in
 * `kept`.
 */
export function withoutSecrets(
  response: EgressResponse,
  secrets: readonly string[],
  kept: readonly string[] = [],
): EgressResponse {
  if (secrets.length === 0) return response;
  const headers = Object.fromEntries(
    Object.entries(response.headers).map(([name, value]) => [
      name,
      kept.includes(name) ? value : withoutSecret(value, secrets),
    ]),
  );
  let { body, stream } = response;
  const contentType = response.headers['content-type'];
  const json = isJson(mediaTypeOf(contentType)) ? { isInText: false } : null;
  for (const reading of readingsOf(contentType)) {
    body = maskedBody(body, secrets, reading, json);
    stream &&= maskedStream(stream, secrets, reading, json);
  }
  return { ...response, headers, body, ...(stream && { stream }) };
}

function readingsOf(contentType: string | undefined): readonly Reading[] {
  try {
    const { encoding } = new TextDecoder(charsetOf(contentType) ?? 'utf-8');
    if (encoding === 'utf-16le') return [BYTES, UTF16LE];
    return encoding === 'utf-16be' ? [BYTES, UTF16BE] : [BYTES];
  } catch {
    return [BYTES]; // an unknown charset is treated like none
  }
}

function maskedBody(
  body: Buffer,
  secrets: readonly string[],
  { held, unit, read, write }: Reading,
  json: Searched['json'],
): Buffer {
  const end = body.byteLength - (body.byteLength % unit);
  const text = read(body.subarray(0, end));
  const masked = withoutSecret(text, secrets, { held, json });
  return masked === text ? body : Buffer.concat([write(masked), body.subarray(end)]);
}

/** Also when two chunks share a secret: what may be its beginning is held back until enough has come to search on. */
async function* maskedStream(
  chunks: AsyncIterable<Buffer>,
  secrets: readonly string[],
  { held, unit, read, write }: Reading,
  json: Searched['json'],
): AsyncGenerator<Buffer> {
  const longest = longestSpelling(secrets);
  let begun = '';
  let before = 0;
  let begins = json;
  let half: Buffer = Buffer.alloc(0);
  for await (const portion of inPortions(chunks, longest * unit)) {
    const bytes = half.byteLength > 0 ? Buffer.concat([half, portion]) : portion;
    const end = bytes.byteLength - (bytes.byteLength % unit);
    half = bytes.subarray(end);
    const searched = { held, before, json: begins, isOpen: true };
    const text = withoutSecret(begun + read(bytes.subarray(0, end)), secrets, searched);
    const cut = Math.max(before, outsideEscape(text, Math.max(0, text.length - longest)));
    const kept = keptBefore(text, cut);
    yield write(text.slice(before, cut));
    begins = jsonAt(text, kept, begins);
    begun = text.slice(kept);
    before = cut - kept;
  }
  const rest = withoutSecret(begun, secrets, { held, before, json: begins });
  yield Buffer.concat([write(rest.slice(before)), half]);
}

/** The same bytes in portions of at least this many: each is searched together with as many that were searched before. */
async function* inPortions(chunks: AsyncIterable<Buffer>, least: number): AsyncGenerator<Buffer> {
  let portion: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    portion.push(chunk);
    bytes += chunk.byteLength;
    if (bytes < least) continue;
    yield joined(portion, bytes);
    portion = [];
    bytes = 0;
  }
  if (bytes > 0) yield joined(portion, bytes);
}

function joined(chunks: readonly Buffer[], bytes: number): Buffer {
  const [only] = chunks;
  return only && chunks.length === 1 ? only : Buffer.concat(chunks, bytes);
}
