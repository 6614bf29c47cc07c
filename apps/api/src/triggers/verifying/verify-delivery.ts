import { createHash, timingSafeEqual } from 'node:crypto';
import type { StoredVerifier } from '@weft/records';
import { genericScheme, presetOf, type SignatureScheme } from './signature-scheme.js';
import { isSigned, type RawDelivery } from './verify-signature.js';

/** What is sealed of a verifier. */
export interface VerifierSecrets {
  readonly password?: string;
  readonly token?: string;
  readonly secrets?: readonly string[];
}

/** The scheme of a verifier that compares signatures; null: it does not. */
export function schemeOf(verifier: StoredVerifier): SignatureScheme | null {
  if (verifier.type === 'hmac') return genericScheme(verifier);
  return presetOf(verifier.type)?.scheme ?? null;
}

/** Whether the delivery was sent by who knows the trigger's secrets. Nothing has read its body before. */
export function isVerified(
  verifier: StoredVerifier,
  { password = '', token = '', secrets = [] }: VerifierSecrets,
  delivery: RawDelivery,
  nowMs: number,
): boolean {
  const scheme = schemeOf(verifier);
  if (scheme) return isSigned(scheme, secrets, delivery, nowMs);
  switch (verifier.type) {
    case 'none':
      return true;
    case 'basic':
      return hasCredential(
        delivery,
        'basic',
        Buffer.from(`${String(verifier.username)}:${password}`).toString('base64'),
      );
    case 'bearer':
      return hasCredential(delivery, 'bearer', token);
    default:
      return false; // of a later version of Weft
  }
}

/** Digests are compared, so that not even the length of the credential shows in the time. */
function hasCredential({ headers }: RawDelivery, kind: string, expected: string): boolean {
  const { authorization } = headers;
  const [, name = '', sent = ''] =
    /^(\w+) +(\S+) *$/.exec(typeof authorization === 'string' ? authorization : '') ?? [];
  return name.toLowerCase() === kind && timingSafeEqual(digest(sent), digest(expected));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
