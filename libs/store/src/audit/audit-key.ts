import { createHmac, hkdfSync } from 'node:crypto';

const KEY_PURPOSE = 'weft/audit/1';
const KEY_ID_PURPOSE = 'weft/audit-id/1';
const KEY_ID_BYTES = 6;

/** What the audit log is signed with. An attacker who can only write to MongoDB does not have it. */
export interface AuditKey {
  /** Public; every signature begins with it. */
  readonly id: string;
  readonly bytes: Buffer;
}

/** Where the keys are. Earlier keys stay: what they signed is verified for as long as it is kept. */
export interface AuditKeys {
  readonly current: AuditKey;
  /** Null: this process cannot get it. */
  find(keyId: string): Promise<AuditKey | null>;
}

/** The audit key that follows from a value of `ENC_KEY_SECRET` and `ENV_KEY_SALT`. */
export function deriveAuditKey(secret: string, salt: string): AuditKey {
  const derive = (purpose: string, bytes: number) => Buffer.from(hkdfSync('sha256', secret, salt, purpose, bytes));
  return { id: derive(KEY_ID_PURPOSE, KEY_ID_BYTES).toString('base64url'), bytes: derive(KEY_PURPOSE, 32) };
}

/** `<key id>.<HMAC-SHA256>`; JSON keeps the parts apart, and the first one says what is signed. */
export function sign(key: AuditKey, parts: readonly unknown[]): string {
  return `${key.id}.${createHmac('sha256', key.bytes).update(JSON.stringify(parts)).digest('base64url')}`;
}

export type Signature = 'holds' | 'wrong' | 'unknown_key';

/** Compares a signature with what it should be. Each key is asked for once. */
export class SignatureChecker {
  private readonly known = new Map<string, AuditKey | null>();

  constructor(private readonly keys: AuditKeys) {}

  async check(signature: string, parts: readonly unknown[]): Promise<Signature> {
    const [keyId = ''] = signature.split('.');
    let key = this.known.get(keyId);
    if (key === undefined) {
      key = await this.keys.find(keyId);
      this.known.set(keyId, key);
    }
    if (key === null) return 'unknown_key';
    return sign(key, parts) === signature ? 'holds' : 'wrong';
  }
}
