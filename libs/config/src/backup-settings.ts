import { words } from './parse.js';
import { secret } from './setting-entry.js';

export const BACKUP = {
  'backup.passphrase': secret(
    'BACKUP_PASSPHRASE',
    'Passphrase with which "npm run backup -- --with-keys" encrypts the secrets of the installation; 16 or more characters.',
    words(/^.{16,1000}$/, '16 or more characters'),
    null,
  ),
} as const;
