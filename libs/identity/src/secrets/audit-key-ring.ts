import type { Settings } from '@weft/config';
import {
  AUDIT_KEYS,
  deriveAuditKey,
  type AuditKey,
  type AuditKeys,
  type Mongo,
  type StoredAuditKey,
} from '@weft/store';
import { SecretBox, SecretUnreadable, type SecretPlace } from './secret-box.js';

/**
 * The keys of the audit log. Those of the current and previous `ENC_KEY_SECRET` of this process are derived; those of retired
 * secrets are stored in MongoDB, sealed like every secret, so that a rotation seals them again.
 */
export class AuditKeyRing implements AuditKeys {
  readonly current: AuditKey;
  private readonly derived: ReadonlyMap<string, AuditKey>;
  private readonly secrets: SecretBox;

  constructor(
    private readonly mongo: Mongo,
    settings: Settings['secrets'],
  ) {
    const { encKeySecret, encKeySecretPrevious, envKeySalt } = settings;
    this.current = deriveAuditKey(encKeySecret, envKeySalt);
    const previous = encKeySecretPrevious.map((secret) => deriveAuditKey(secret, envKeySalt));
    this.derived = new Map([...previous, this.current].map((key) => [key.id, key]));
    this.secrets = new SecretBox(settings);
  }

  async find(keyId: string): Promise<AuditKey | null> {
    const known = this.derived.get(keyId);
    if (known) return known;
    const stored = await this.keys().findOne({ _id: keyId });
    if (!stored) return null;
    try {
      return { id: keyId, bytes: Buffer.from(this.secrets.open(placeOf(keyId), stored.key), 'base64url') };
    } catch (error) {
      if (error instanceof SecretUnreadable) return null;
      throw error;
    }
  }

  /** Stores the keys of this process for the time after its secrets are retired. Idempotent. */
  async remember(): Promise<void> {
    for (const { id, bytes } of this.derived.values()) {
      const key = this.secrets.seal(placeOf(id), bytes.toString('base64url'));
      await this.keys().updateOne({ _id: id }, { $setOnInsert: { key } }, { upsert: true });
    }
  }

  private keys() {
    return this.mongo.collection<StoredAuditKey>(AUDIT_KEYS);
  }
}

function placeOf(keyId: string): SecretPlace {
  return { companyId: null, collection: AUDIT_KEYS, recordId: keyId, field: 'key' };
}
