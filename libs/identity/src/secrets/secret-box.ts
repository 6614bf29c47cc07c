/**
 * Seals secrets at rest: AES-256-GCM under a key derived from `ENC_KEY_SECRET`, each ciphertext bound to the place that it is
 * stored in. A ciphertext that was changed, or copied to another company, record or field, does not open.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Settings } from '@weft/config';

const ALGORITHM = 'aes-256-gcm';
const FORMAT = 'v1';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_PURPOSE = 'weft/stored-secret/1';
const KEY_ID_PURPOSE = 'weft/stored-secret-id/1';
const KEY_ID_BYTES = 6;

/** Where a secret is stored. All fields are authenticated with the ciphertext. */
export interface SecretPlace {
  /** Null: it belongs to the installation, not to a company. */
  readonly companyId: string | null;
  readonly collection: string;
  readonly recordId: string;
  readonly field: string;
}

/** A stored secret that does not open: it was changed or moved, or is under a key that this process does not have. */
export class SecretUnreadable extends Error {
  override readonly name = 'SecretUnreadable';
}

interface Key {
  readonly id: string;
  readonly bytes: Buffer;
}

export class SecretBox {
  private readonly current: Key;
  private readonly byId: ReadonlyMap<string, Key>;

  constructor({ encKeySecret, encKeySecretPrevious, envKeySalt }: Settings['secrets']) {
    this.current = deriveKey(encKeySecret, envKeySalt);
    const keys = [...encKeySecretPrevious.map((secret) => deriveKey(secret, envKeySalt)), this.current];
    this.byId = new Map(keys.map((key) => [key.id, key]));
  }

  /** Text to store: `v1.<key id>.<IV>.<ciphertext and tag>`, each part in base64url. The same secret never gives the same text twice. */
  seal(place: SecretPlace, secret: string): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.current.bytes, iv, { authTagLength: TAG_BYTES });
    cipher.setAAD(boundTo(place, this.current.id));
    const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return [FORMAT, this.current.id, iv.toString('base64url'), sealed.toString('base64url')].join('.');
  }

  /** @throws SecretUnreadable */
  open(place: SecretPlace, stored: string): string {
    const [format, keyId = '', iv = '', body = '', ...more] = stored.split('.');
    if (format !== FORMAT || more.length > 0) throw unreadable(place, 'it is not a sealed secret');
    const key = this.byId.get(keyId);
    if (!key) throw unreadable(place, `its key ${keyId} is not known here; see ENC_KEY_SECRET_PREVIOUS`);
    const sealed = Buffer.from(body, 'base64url');
    // Only the canonical base64url spelling is accepted: a changed text is a changed secret.
    if (sealed.toString('base64url') !== body) throw unreadable(place, 'it was changed');
    try {
      const decipher = createDecipheriv(ALGORITHM, key.bytes, Buffer.from(iv, 'base64url'), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(boundTo(place, key.id));
      decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
      return Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()]).toString('utf8');
    } catch (cause) {
      throw unreadable(place, 'it was changed, or belongs elsewhere', cause);
    }
  }

  /** False when a rotation must seal it again. */
  isCurrent(stored: string): boolean {
    return stored.startsWith(`${FORMAT}.${this.current.id}.`);
  }
}

function deriveKey(secret: string, salt: string): Key {
  const derive = (purpose: string, bytes: number) => Buffer.from(hkdfSync('sha256', secret, salt, purpose, bytes));
  return { id: derive(KEY_ID_PURPOSE, KEY_ID_BYTES).toString('base64url'), bytes: derive(KEY_PURPOSE, 32) };
}

/** JSON separates the fields unambiguously: different places give different bytes. */
function boundTo({ companyId, collection, recordId, field }: SecretPlace, keyId: string): Buffer {
  return Buffer.from(JSON.stringify([FORMAT, keyId, companyId, collection, recordId, field]));
}

function unreadable({ collection, recordId, field }: SecretPlace, why: string, cause?: unknown): SecretUnreadable {
  return new SecretUnreadable(`${field} of ${collection} ${recordId} cannot be read: ${why}`, { cause });
}
