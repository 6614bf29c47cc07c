import { AUDIT_KEYS, Mongo, type StoredAuditKey } from '@weft/store';
import { ensureIndexes } from '@weft/records';
import { liveMongo } from '@weft/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { AuditKeyRing } from './audit-key-ring.js';
import { rotateSecrets } from './rotate-secrets.js';
import { SecretBox } from './secret-box.js';

const { uri, db } = liveMongo();
const mongo = await Mongo.open({ uri, db, appName: 'spec' });
await ensureIndexes(mongo);
afterAll(() => mongo.close());

const hex = (digit: string) => digit.repeat(64);
const secretsOf = (encKeySecret: string, encKeySecretPrevious: readonly string[] = []) => ({
  ...{ encKeySecret, encKeySecretPrevious, envKeySalt: hex('5') },
});

describe('an audit key', () => {
  it('is found when its secret is gone, after a rotation', async () => {
    const first = new AuditKeyRing(mongo, secretsOf(hex('a')));
    await first.remember();
    const during = secretsOf(hex('b'), [hex('a')]);
    expect(await new AuditKeyRing(mongo, during).find(first.current.id)).toEqual(first.current);
    const after = new AuditKeyRing(mongo, secretsOf(hex('b')));
    expect(await after.find(first.current.id)).toBeNull();
    await rotateSecrets(mongo, new SecretBox(during));
    expect(await after.find(first.current.id)).toEqual(first.current);
    expect(after.current.id).not.toBe(first.current.id);
    const stored = await mongo.collection<StoredAuditKey>(AUDIT_KEYS).find().toArray();
    expect(JSON.stringify(stored)).not.toContain(first.current.bytes.toString('base64url'));
  });

  it('that nobody stored is not made up', async () => {
    expect(await new AuditKeyRing(mongo, secretsOf(hex('a'))).find('nobodys')).toBeNull();
  });
});
