import { createPublicKey, verify } from 'node:crypto';

/** As Standard Webhooks writes public keys: 32 bytes in Base64. */
const PUBLIC_KEY = /^whpk_([A-Za-z0-9+/]{43}=)$/;
/** DER of an Ed25519 public key before its 32 bytes (RFC 8410). */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex');

export function isPublicKeyText(text: string): boolean {
  return PUBLIC_KEY.test(text);
}

/** Neither keys nor signatures are secret: how long it takes does not matter. */
export function isSignedByKey(keys: readonly string[], signatures: readonly Buffer[], message: Buffer): boolean {
  if (signatures.length === 0) return false;
  return keys.some((text) => {
    const raw = Buffer.from(PUBLIC_KEY.exec(text)?.[1] ?? '', 'base64');
    const key = createPublicKey({ key: Buffer.concat([SPKI, raw]), format: 'der', type: 'spki' });
    return signatures.some((signature) => verify(null, message, key, signature));
  });
}
