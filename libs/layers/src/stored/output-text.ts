/** Gives the JSON text of a stored output in pieces, in whatever form it is stored. */
import type { ContentReading } from '@weft/engine';
import type { StoredPayload } from '../call/layer-payloads.js';

const MARK = Buffer.from('\ufeff');

/** Opens the same payload from its beginning; it may be called several times. Null when the payload was deleted. */
export type OpenStored = () => Promise<StoredPayload | null>;

/** Reads the content once for each field of the output that reads it. Fails when the payload is deleted meanwhile. */
export async function* outputText(open: OpenStored): AsyncGenerator<Buffer> {
  const { form, content } = await opened(open);
  if (!form) {
    yield* content;
    return;
  }
  const outline = form.outline.slice(0, -1);
  yield Buffer.from(outline);
  let before = outline === '{' ? '' : ',';
  for (const [field, reading] of Object.entries(form.content)) {
    yield Buffer.from(`${before}${JSON.stringify(field)}:`);
    before = ',';
    const fresh = (await opened(open)).content;
    yield* reading === 'json' ? withoutMark(fresh) : asJsonText(reading, fresh);
  }
  yield Buffer.from('}');
}

/** @throws Error when the payload was deleted */
export async function opened(open: OpenStored): Promise<StoredPayload> {
  const stored = await open();
  if (!stored) throw new Error('the payload was removed while it was read');
  return stored;
}

/** The content as text of the output, in pieces. */
export async function* contentText(
  reading: Exclude<ContentReading, 'json'>,
  content: AsyncIterable<Buffer>,
): AsyncGenerator<string> {
  if (reading === 'base64') {
    yield* inBase64(content);
    return;
  }
  const decoder = new TextDecoder(reading === 'text' ? 'utf-8' : reading, { ignoreBOM: true });
  for await (const chunk of content) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}

async function* inBase64(content: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of content) {
    const bytes = rest.byteLength > 0 ? Buffer.concat([rest, chunk]) : chunk;
    // three bytes are four characters
    const whole = bytes.byteLength - (bytes.byteLength % 3);
    rest = Buffer.from(bytes.subarray(whole));
    yield bytes.toString('base64', 0, whole);
  }
  yield rest.toString('base64');
}

async function* asJsonText(
  reading: Exclude<ContentReading, 'json'>,
  content: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  yield Buffer.from('"');
  for await (const text of contentText(reading, content)) yield Buffer.from(JSON.stringify(text).slice(1, -1));
  yield Buffer.from('"');
}

/** A byte order mark is not part of a value. */
async function* withoutMark(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let start: Buffer | null = Buffer.alloc(0);
  for await (const chunk of content) {
    if (start === null) {
      yield chunk;
      continue;
    }
    start = Buffer.concat([start, chunk]);
    if (start.byteLength < MARK.byteLength) continue;
    yield unmarked(start);
    start = null;
  }
  if (start) yield unmarked(start);
}

function unmarked(bytes: Buffer): Buffer {
  return MARK.equals(bytes.subarray(0, MARK.byteLength)) ? bytes.subarray(MARK.byteLength) : bytes;
}
