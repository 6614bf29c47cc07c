import { parseStoredJson } from '@weft/kernel';
import type { SourceKind } from './source.js';

/** `$message` of sources whose messages are JSON: `key`, `value`, and when they have one `timestamp`. */
export const readJsonMessage: SourceKind['read'] = ({ bytes, headers, about }) => ({
  ...{ key: null, timestamp: null, ...about },
  value: parseStoredJson(bytes.toString()),
  headers,
});
