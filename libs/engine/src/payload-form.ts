import { parseStoredJson } from '@weft/kernel';
import { parseBody } from './stored-out.js';

/** What a field of an output reads of the stored content: its text, its bytes in base64, or the value that its JSON text tells. */
export type ContentReading = 'text' | 'windows-1252' | 'base64' | 'json';

/**
 * How a stored output is put together when what is stored is not its JSON text but content that came from outside, once and as
 * it came: some of its fields read that content, the others are written out here.
 */
export interface PayloadForm {
  /** JSON text of an object: the other fields. */
  readonly outline: string;
  /** By field of the output. */
  readonly content: Readonly<Record<string, ContentReading>>;
  /** Of the output as JSON; only where its content is small enough to be held. */
  readonly bytes?: number;
}

/**
 * The output that is stored like this.
 *
 * @param content all of it
 */
export function outputIn({ outline, content: fields }: PayloadForm, content: Buffer): unknown {
  const out = parseStoredJson(outline) as Record<string, unknown>;
  for (const [name, reading] of Object.entries(fields)) {
    if (reading === 'base64') out[name] = content.toString('base64');
    else if (reading === 'json') out[name] = parseBody(content.toString('utf8'));
    else out[name] = new TextDecoder(reading === 'text' ? 'utf-8' : reading, { ignoreBOM: true }).decode(content);
  }
  return out;
}
