import { jsonFault, MAX_JSON_NESTING, parseJson } from '@weft/kernel';
import type { SourceKind } from './source.js';

const UTF_8 = new TextDecoder('utf-8', { fatal: true });

/** `$message`: `key`, `value`, `headers`, `timestamp`, and what else the source says about it. */
export const readMessage: SourceKind['read'] = ({ bytes, headers, about }) => ({
  ...{ key: null, timestamp: null, ...about },
  ...{ value: valueOf(bytes), headers },
});

/** JSON as what it says, other text as text, other bytes as Base64. */
export function valueOf(bytes: Buffer): unknown {
  try {
    const value = parseJson(bytes, { maxDepth: MAX_JSON_NESTING });
    if (!jsonFault(value, 'value')) return value;
  } catch {
    // it is no JSON: then it is text
  }
  return textOf(bytes);
}

export function textOf(bytes: Buffer): string {
  try {
    return UTF_8.decode(bytes);
  } catch {
    return bytes.toString('base64');
  }
}
