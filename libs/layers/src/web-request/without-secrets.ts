import type { EgressResponse } from '@weft/egress';
import { longestSpelling, withoutSecret, type Held } from '../running/without-secret.js';
import { charsetOf } from './read-body.js';

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
  for (const reading of readingsOf(response.headers['content-type'])) {
    body = maskedBody(body, secrets, reading);
    stream &&= maskedStream(stream, secrets, reading);
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

function maskedBody(body: Buffer, secrets: readonly string[], { held, unit, read, write }: Reading): Buffer {
  const end = body.byteLength - (body.byteLength % unit);
  const text = read(body.subarray(0, end));
  const masked = withoutSecret(text, secrets, held);
  return masked === text ? body : Buffer.concat([write(masked), body.subarray(end)]);
}

/** Also when two chunks share a secret: what may be its beginning is held back until the next chunk. */
async function* maskedStream(
  chunks: AsyncIterable<Buffer>,
  secrets: readonly string[],
  { held, unit, read, write }: Reading,
): AsyncGenerator<Buffer> {
  const longest = longestSpelling(secrets);
  let begun = '';
  let half: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = half.byteLength > 0 ? Buffer.concat([half, chunk]) : chunk;
    const end = bytes.byteLength - (bytes.byteLength % unit);
    half = bytes.subarray(end);
    const text = withoutSecret(begun + read(bytes.subarray(0, end)), secrets, held);
    const cut = outsideEscape(text, Math.max(0, text.length - longest));
    begun = text.slice(cut);
    yield write(text.slice(0, cut));
  }
  yield Buffer.concat([write(begun), half]);
}

/** This place, or the one before: not behind a backslash that belongs to what follows. */
function outsideEscape(text: string, place: number): number {
  let from = place;
  while (text[from - 1] === '\\') from -= 1;
  return place - ((place - from) % 2);
}
