// It derives keys at full cost: too slow for a unit spec on a busy machine.
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { describeKeys, fingerprintOf, keyFaults, openSealedSecrets } from './backup-secrets.js';

const hex = (name: string): string => createHash('sha256').update(name).digest('hex');
const SECRETS = { encKeySecret: hex('now'), encKeySecretPrevious: [hex('before')], envKeySalt: hex('salt') };
const PASSPHRASE = 'a passphrase of the night shift';

describe('the secrets in a backup', () => {
  it('are named by fingerprints that do not reveal them, and are not included unless a passphrase is given', async () => {
    const keys = await describeKeys(SECRETS, null);
    expect(keys).toEqual({
      encKeySecret: fingerprintOf(hex('now')),
      encKeySecretPrevious: [fingerprintOf(hex('before'))],
      envKeySalt: fingerprintOf(hex('salt')),
      sealed: null,
    });
    for (const secret of [hex('now'), hex('before'), hex('salt')]) {
      expect(fingerprintOf(secret)).toMatch(/^[0-9a-f]{12}$/);
      expect(secret).not.toContain(fingerprintOf(secret));
    }
  });

  it('open with the passphrase, with no other, and not when they were changed', async () => {
    const { sealed } = await describeKeys(SECRETS, PASSPHRASE);
    if (sealed === null) throw new Error('they are not included');
    expect(sealed).not.toContain(hex('now'));
    expect(await openSealedSecrets(sealed, PASSPHRASE)).toEqual(SECRETS);
    await expect(openSealedSecrets(sealed, `${PASSPHRASE}.`)).rejects.toThrow('passphrase');
    const changed = sealed.slice(0, -2) + (sealed.endsWith('AA') ? 'BB' : 'AA');
    await expect(openSealedSecrets(changed, PASSPHRASE)).rejects.toThrow('passphrase');
  });
});

describe('a machine that restores a backup', () => {
  it('has its secrets when the present one of the backup is among its own', async () => {
    const keys = await describeKeys(SECRETS, null);
    expect(keyFaults(keys, SECRETS)).toEqual([]);
    const rotated = { ...SECRETS, encKeySecret: hex('next'), encKeySecretPrevious: [hex('now'), hex('before')] };
    expect(keyFaults(keys, rotated)).toEqual([]);
  });

  it('is told which of them is another one, or is missing', async () => {
    const keys = await describeKeys(SECRETS, null);
    const other = { ...SECRETS, encKeySecret: hex('other') };
    expect(keyFaults(keys, other)).toEqual([expect.stringMatching(/ENC_KEY_SECRET of fingerprint/)]);
    expect(keyFaults(keys, { ...SECRETS, envKeySalt: hex('other') })).toEqual([expect.stringMatching(/ENV_KEY_SALT/)]);
    expect(keyFaults(keys, { ...SECRETS, encKeySecretPrevious: [] })).toEqual([
      expect.stringMatching(/ENC_KEY_SECRET_PREVIOUS/),
    ]);
  });
});
