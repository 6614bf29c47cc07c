import { createHash } from 'node:crypto';

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

/** An id is part of an idempotency key; a longer one is replaced by its digest. */
const MAX_ID_IN_KEY = 200;

/** Of the play of one delivery or message. @param id tells it from all others of the trigger */
export function keyOfDelivery(triggerId: string, id: string): string {
  const short = id.length <= MAX_ID_IN_KEY ? id : createHash('sha256').update(id).digest('base64url');
  return `${OWN_KEYS.hook}${triggerId}:${short}`;
}

const PREFIXES: readonly string[] = Object.values(OWN_KEYS);

/** The beginning that is not the caller's to use; undefined: the key is a caller's. */
export function ownKeyPrefix(key: string): string | undefined {
  return PREFIXES.find((prefix) => key.startsWith(prefix));
}
