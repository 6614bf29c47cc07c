import { textOrBase64, type Texts } from '@weft/runs';
import type { SourceMessage } from '../source.js';
import type { KafkaRecord } from './records.js';

const MOST_TIME = 8.64e15;

export function messageOf(
  { offset, timestamp, key, value, headers }: KafkaRecord,
  of: { readonly topic: string; readonly id: string; readonly partition: number; readonly next: string },
): SourceMessage {
  const at = timestamp >= 0 && timestamp <= MOST_TIME ? new Date(timestamp) : null;
  return {
    ...{ id: `${of.id}:${offset}`, next: of.next, bytes: value ?? Buffer.alloc(0), contentType: null, at },
    headers: headersOf(headers),
    about: {
      ...{ topic: of.topic, partition: String(of.partition), offset: String(offset) },
      ...(at && { timestamp: at.toISOString() }),
      ...(key && { key: textOrBase64(key) }),
      ...(value === null && { deleted: 'true' }),
    },
  };
}

function headersOf(headers: KafkaRecord['headers']): Texts {
  const texts = Object.create(null) as Record<string, string | string[]>;
  for (const [name, value] of headers) {
    const text = value === null ? '' : textOrBase64(value);
    const before = texts[name];
    texts[name] = before === undefined ? text : [...[before].flat(), text];
  }
  return texts;
}
