/** What expressions of triggers that read messages see: from the message itself, and from what the log has of it. */
import { jsonFault, MAX_JSON_NESTING, parseJson } from '@weft/kernel';
import type { SourceType } from '@weft/shapes';
import type { Texts } from './trigger-expressions.js';

/** A message as it was read, and as the log has it. */
export interface LoggedMessage {
  readonly bytes: Buffer;
  /** What the bytes are; null: the source does not say. */
  readonly contentType: string | null;
  /** Without credentials. */
  readonly headers: Texts;
  /** What else there is to know: by this and the bytes it is read as `$message` again. */
  readonly about: Readonly<Record<string, string>>;
}

/** `$message`. */
export interface ReadMessage {
  readonly headers: Texts;
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true });

/** By the types of triggers. */
export const READ_MESSAGE: Readonly<Record<SourceType, (message: LoggedMessage) => ReadMessage>> = {
  kafka: ofKafka,
  sqs: ofOthers,
  poll: ofOthers,
  rss: ofOthers,
  imap: ofOthers,
};

function ofKafka({ bytes, headers, about }: LoggedMessage): ReadMessage {
  const { key = null, topic = null, partition, offset, timestamp = null, deleted } = about;
  const value = deleted === undefined ? valueOf(bytes) : null;
  const message = { key, value, headers, topic, partition: Number(partition), offset: Number(offset), timestamp };
  return message;
}

/** `key`, `value`, `headers`, `timestamp`, and what else the source says. */
function ofOthers({ bytes, headers, about }: LoggedMessage): ReadMessage {
  const known = { key: null, timestamp: null, ...about };
  const message = { ...known, value: valueOf(bytes), headers };
  return message;
}

/** JSON as what it says, other text as text, other bytes as Base64. */
function valueOf(bytes: Buffer): unknown {
  try {
    const value = parseJson(bytes, { maxDepth: MAX_JSON_NESTING });
    if (!jsonFault(value, 'value')) return value;
  } catch {
    // not JSON: it is text
  }
  return textOrBase64(bytes);
}

/** A mark at the beginning of a text is left out. */
export function textOrBase64(bytes: Buffer): string {
  try {
    return UTF_8.decode(bytes);
  } catch {
    return bytes.toString('base64');
  }
}
