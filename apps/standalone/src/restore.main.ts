// `npm run restore -- <file>`: replaces the database by a backup that `npm run backup` wrote, after it has verified the whole file.
// --check                 only verifies the file and says what it is
// --keys-to <new file>    only writes the secrets that the backup includes, as settings; needs BACKUP_PASSPHRASE
// --replace               also into a database that is not empty, and removes the installation's keys from Redis
// --other-keys            although the secrets are not those of the backup: what they sealed stays unreadable
// docs/deploy/backup.md
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { openSealedSecrets } from '@weft/identity';
import { restoreDatabase, verifyBackup, type BackupManifest } from '@weft/records';
import { giveUp, Trouble } from '#tools/setup/trouble.mjs';
import { assertFits } from './backup/assert-fits.js';
import { assertRoom, clearRedis } from './backup/restore-room.js';
import { onInstallation } from './on-installation.js';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    check: { type: 'boolean', default: false },
    'keys-to': { type: 'string' },
    replace: { type: 'boolean', default: false },
    'other-keys': { type: 'boolean', default: false },
  },
});

async function verified(path: string): Promise<BackupManifest> {
  const manifest = await verifyBackup(path).catch((cause: Error) => {
    throw new Trouble(cause.message, 'Nothing was changed.', { cause });
  });
  const { at, version, database, keys, counts } = manifest;
  const documents = Object.values(counts).reduce<number>((sum, count) => sum + (count ?? 0), 0);
  say(`${path} is whole: the database ${database} as of ${at}, ${documents} documents, written by Weft ${version}.`);
  const included = keys.sealed === null ? 'not included' : 'included';
  say(`Its secrets: ENC_KEY_SECRET ${keys.encKeySecret}, ENV_KEY_SALT ${keys.envKeySalt} (fingerprints), ${included}.`);
  return manifest;
}

async function writeKeys({ keys }: BackupManifest, path: string): Promise<void> {
  const passphrase = process.env.BACKUP_PASSPHRASE;
  if (keys.sealed === null) throw new Trouble('The backup does not include its secrets.', 'They were kept elsewhere.');
  if (!passphrase) throw new Trouble('The secrets are encrypted.', 'Set BACKUP_PASSPHRASE.');
  const secrets = await openSealedSecrets(keys.sealed, passphrase).catch((cause: Error) => {
    throw new Trouble(`${cause.message}.`, '', { cause });
  });
  const lines = [`ENC_KEY_SECRET=${secrets.encKeySecret}`, `ENV_KEY_SALT=${secrets.envKeySalt}`];
  if (secrets.encKeySecretPrevious.length > 0)
    lines.push(`ENC_KEY_SECRET_PREVIOUS=${secrets.encKeySecretPrevious.join(',')}`);
  writeFileSync(path, `${lines.join('\n')}\n`, { mode: 0o600, flag: 'wx' });
  say(`${path}: the secrets of the installation, readable by you only.`);
}

async function restore(path: string): Promise<void> {
  const manifest = await verified(path);
  if (values.check) return;
  if (values['keys-to'] !== undefined) return writeKeys(manifest, values['keys-to']);
  await onInstallation(
    'restore',
    async ({ mongo, settings }) => {
      assertFits(manifest, settings.secrets, values['other-keys']);
      await assertRoom(mongo, settings, values.replace);
      await clearRedis(settings);
      await restoreDatabase(mongo, path, manifest);
      say(
        `The database ${settings.mongodb.db} is as it was at ${manifest.at}. Start the processes: the first one makes the indexes.`,
      );
      say('Everybody signs in again. What was revoked, deleted or accepted after that time is not known any more.');
    },
    { joins: false },
  );
}

const [path] = positionals;
if (path === undefined) giveUp(new Trouble('Which backup?', 'npm run restore -- <file>'));
await restore(path).catch(giveUp);
