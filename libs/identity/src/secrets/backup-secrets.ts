/**
 * The secrets of an installation are the half of a backup that is forgotten: without them, credentials, API keys and the proof of the
 * audit log are lost. A backup names them by fingerprints, and can include them, encrypted with a passphrase.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import type { Settings } from '@weft/config';
import type { BackupKeys } from '@weft/records';

type Secrets = Settings['secrets'];

const FINGERPRINT_PURPOSE = 'weft/backup-fingerprint/1';
const FINGERPRINT_BYTES = 6;
const ALGORITHM = 'aes-256-gcm';
const FORMAT = 'v1';
const SALT_BYTES = 16;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
/** About half a second and 128 MB a guess. */
const COST = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 } as const;

/** Does not reveal the secret, which has 32 random bytes. */
export function fingerprintOf(secret: string): string {
  return Buffer.from(hkdfSync('sha256', secret, '', FINGERPRINT_PURPOSE, FINGERPRINT_BYTES)).toString('hex');
}

/** @param passphrase null: the secrets themselves are not included */
export async function describeKeys(secrets: Secrets, passphrase: string | null): Promise<BackupKeys> {
  return {
    encKeySecret: fingerprintOf(secrets.encKeySecret),
    encKeySecretPrevious: secrets.encKeySecretPrevious.map(fingerprintOf),
    envKeySalt: fingerprintOf(secrets.envKeySalt),
    sealed: passphrase === null ? null : await sealSecrets(secrets, passphrase),
  };
}

/** What is wrong with the secrets of this machine for a backup, one sentence each; empty: they open it. */
export function keyFaults({ encKeySecret, encKeySecretPrevious, envKeySalt }: BackupKeys, secrets: Secrets): string[] {
  const ours = [secrets.encKeySecret, ...secrets.encKeySecretPrevious].map(fingerprintOf);
  const salt = fingerprintOf(secrets.envKeySalt);
  const missing = encKeySecretPrevious.filter((each) => !ours.includes(each));
  return [
    ...(ours.includes(encKeySecret)
      ? []
      : [`the backup was made with an ENC_KEY_SECRET of fingerprint ${encKeySecret}; here it is ${ours.join(', ')}`]),
    ...(salt === envKeySalt
      ? []
      : [`the backup was made with an ENV_KEY_SALT of fingerprint ${envKeySalt}; here it is ${salt}`]),
    ...missing.map((each) => `the backup needs an ENC_KEY_SECRET_PREVIOUS of fingerprint ${each}`),
  ];
}

/**
 * @param sealed of a backup
 * @throws Error when the passphrase is another one
 */
export async function openSealedSecrets(sealed: string, passphrase: string): Promise<Secrets> {
  const [format, salt = '', iv = '', body = ''] = sealed.split('.');
  if (format !== FORMAT) throw new Error('the secrets in the backup have a format that this version does not know');
  const bytes = Buffer.from(body, 'base64url');
  const key = await keyFrom(passphrase, Buffer.from(salt, 'base64url'));
  const decipher = createDecipheriv(ALGORITHM, key, Buffer.from(iv, 'base64url'), { authTagLength: TAG_BYTES });
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const opened = Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]);
    return JSON.parse(opened.toString('utf8')) as Secrets;
  } catch (cause) {
    throw new Error('the passphrase is not that of the secrets in the backup', { cause });
  }
}

async function sealSecrets(secrets: Secrets, passphrase: string): Promise<string> {
  const [salt, iv] = [randomBytes(SALT_BYTES), randomBytes(IV_BYTES)];
  const cipher = createCipheriv(ALGORITHM, await keyFrom(passphrase, salt), iv, { authTagLength: TAG_BYTES });
  const sealed = Buffer.concat([cipher.update(JSON.stringify(secrets), 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return [FORMAT, ...[salt, iv, sealed].map((bytes) => bytes.toString('base64url'))].join('.');
}

const derive = promisify<string, Buffer, number, typeof COST, Buffer>(scrypt);

function keyFrom(passphrase: string, salt: Buffer): Promise<Buffer> {
  return derive(passphrase, salt, KEY_BYTES, COST);
}
