/**
 * Seals the contents of plays that are sent over Redis: AES-256-GCM under a key derived from `ENC_KEY_SECRET`, bound to
 * the channel and subject of the message. A reader of Redis learns ids and sizes only; a writer to Redis cannot forge a
 * message.
 */
import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, randomBytes, type KeyObject } from 'node:crypto';
import type { Settings } from '@weft/config';
import type { Clock } from '@weft/kernel';

const ALGORITHM = 'aes-256-gcm';
const KEY_PURPOSE = 'weft/bus/1';
const KEY_ID_PURPOSE = 'weft/bus-id/1';
const KEY_ID_BYTES = 6;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const TAG = { authTagLength: TAG_BYTES } as const;
const DAY_MS = 86_400_000;
/** An older message is treated as a replay; clocks of machines may differ by as much. */
const MAX_AGE_MS = 30_000;

interface RootKey {
  readonly id: string;
  /** A key is used for one day: far fewer texts than random IVs are safe for. */
  readonly keyOf: (day: number) => KeyObject;
}

export class BusSeal {
  private readonly current: RootKey;
  private readonly byId: ReadonlyMap<string, RootKey>;

  /** @param secrets includes previous ones: replicas switch to a new secret one after the other */
  constructor(
    { encKeySecret, encKeySecretPrevious, envKeySalt }: Settings['secrets'],
    private readonly clock: Pick<Clock, 'now'>,
  ) {
    this.current = rootKeyOf(encKeySecret, envKeySalt);
    const earlier = encKeySecretPrevious.map((secret) => rootKeyOf(secret, envKeySalt));
    this.byId = new Map([...earlier, this.current].map((root) => [root.id, root]));
  }

  /**
   * `<key id>.<epoch ms>.<IV, tag and ciphertext>`. @param subject the channel and everything else that a text is bound
   * to
   */
  seal(subject: string, text: string): string {
    const at = this.clock.now();
    const { id, keyOf } = this.current;
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, keyOf(dayOf(at)), iv, TAG);
    cipher.setAAD(additionalData(id, at, subject));
    const body = cipher.update(text, 'utf8');
    cipher.final();
    return `${id}.${at}.${Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64')}`;
  }

  /**
   * Null: the text was forged, changed, cut, sent for another subject, is too old, or was sealed with a secret that
   * this process does not have.
   */
  open(subject: string, sealed: string): string | null {
    const [id = '', time = '', body = ''] = sealed.split('.', 3);
    const at = Number(time);
    const root = this.byId.get(id);
    // checked before a key is derived for that day; NaN is not fresh
    if (!root || !(Math.abs(this.clock.now() - at) <= MAX_AGE_MS)) return null;
    const bytes = Buffer.from(body, 'base64');
    if (bytes.length < IV_BYTES + TAG_BYTES) return null;
    const decipher = createDecipheriv(ALGORITHM, root.keyOf(dayOf(at)), bytes.subarray(0, IV_BYTES), TAG);
    decipher.setAAD(additionalData(id, at, subject));
    decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    const text = decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES));
    try {
      decipher.final();
    } catch {
      return null;
    }
    return text.toString('utf8');
  }
}

function rootKeyOf(secret: string, salt: string): RootKey {
  const derive = (purpose: string, bytes: number) => Buffer.from(hkdfSync('sha256', secret, salt, purpose, bytes));
  const root = derive(KEY_PURPOSE, 32);
  let known: { readonly day: number; readonly key: KeyObject } | null = null;
  const keyOf = (day: number): KeyObject => {
    if (known?.day !== day) {
      known = { day, key: createSecretKey(Buffer.from(hkdfSync('sha256', root, salt, `${KEY_PURPOSE}/${day}`, 32))) };
    }
    return known.key;
  };
  return { id: derive(KEY_ID_PURPOSE, KEY_ID_BYTES).toString('base64url'), keyOf };
}

function dayOf(at: number): number {
  return Math.floor(at / DAY_MS);
}

function additionalData(keyId: string, at: number, subject: string): Buffer {
  return Buffer.from(JSON.stringify([keyId, at, subject]));
}
