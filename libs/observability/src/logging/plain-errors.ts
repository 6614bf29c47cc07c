/**
 * The error of a client library whose store does not answer, in words that an operator knows. The stack is left out: it
 * shows internals of the library, and is the same in each of many lines.
 */
const PLAIN: ReadonlyMap<string, string> = new Map([
  ["Stream isn't writeable and enableOfflineQueue options is false", 'Redis is unreachable'],
  ['Connection is closed.', 'Redis is unreachable'],
  ['Redis is unreachable', 'Redis is unreachable'],
  ['Command timed out', 'Redis did not answer in time'],
]);
const GAVE_UP = 'Reached the max retries per request limit';

/** Null: the error is logged unchanged. */
export function plainWordsOf(error: Error & { readonly syscall?: unknown }): string | null {
  if (error.message.startsWith(GAVE_UP)) return 'Redis is unreachable';
  // they contain the code, and of a connection that cannot be made the address: that is enough
  if (['connect', 'read', 'write'].includes(String(error.syscall))) return error.message;
  if (error.name === 'MongoServerSelectionError') return `MongoDB is unreachable: ${error.message}`;
  return PLAIN.get(error.message) ?? null;
}
