/**
 * Beginnings of the idempotency keys that Weft gives to plays itself. Callers cannot use them: with such a key a caller could
 * take the place of a play that is still to come.
 */
export const OWN_KEYS = {
  /** Of a delivery to a trigger. */
  hook: 'hook:',
  /** Of a slot of a schedule. */
  schedule: 'schedule:',
  /** Of the play that a failed play starts. */
  onFailure: 'onFailure:',
} as const;

const PREFIXES: readonly string[] = Object.values(OWN_KEYS);

/** The beginning that is not the caller's to use; undefined: the key is a caller's. */
export function ownKeyPrefix(key: string): string | undefined {
  return PREFIXES.find((prefix) => key.startsWith(prefix));
}
