// `npm run backup -- [<file or folder> | -] [--with-keys]`: copies the database of a running installation into one file, as of one point
// in time; `-` writes it to standard output. With `--with-keys`, the secrets of the installation are included, encrypted with
// BACKUP_PASSPHRASE. For a stopped standalone app, it starts the database itself. docs/deploy/backup.md
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { describeKeys, InstallationSecrets } from '@weft/identity';
import { assertNotRestoring, copyDatabase, fileTarget } from '@weft/records';
import { Trouble } from '#tools/setup/trouble.mjs';
import { openBackup } from './backup/open-backup.js';
import { outputTarget } from './backup/output-target.js';
import { onInstallation, type Installation } from './on-installation.js';

const say = (line: string): void => void process.stderr.write(`${line}\n`);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'with-keys': { type: 'boolean', default: false } },
});

async function backUp({ mongo, settings }: Installation): Promise<void> {
  await assertNotRestoring(mongo);
  await new InstallationSecrets(mongo, settings.secrets).assertOurs(); // or the fingerprints would be wrong
  const { passphrase } = settings.backup;
  if (values['with-keys'] && passphrase === null) {
    throw new Trouble('The secrets cannot be included without a passphrase.', 'Set BACKUP_PASSPHRASE.');
  }
  const path = pathOf(positionals[0] ?? '.', settings.mongodb.db);
  const keys = await describeKeys(settings.secrets, values['with-keys'] ? passphrase : null);
  const target = path === null ? outputTarget() : fileTarget(path);
  const startedAt = new Date(mongo.serverNow());
  const end = await copyDatabase(mongo, openBackup({ target, keys, database: settings.mongodb.db, startedAt }));
  const documents = Object.values(end.counts).reduce<number>((sum, count) => sum + (count ?? 0), 0);
  const size = path === null ? '' : `, ${(statSync(path).size / 2 ** 20).toFixed(1)} MB`;
  say(
    `${path ?? 'Standard output'}: the database ${settings.mongodb.db} as of ${end.at}, ${documents} documents${size}.`,
  );
  say(
    values['with-keys']
      ? 'The secrets of the installation are included: keep the passphrase elsewhere.'
      : `The secrets are not included. Keep ENC_KEY_SECRET (fingerprint ${keys.encKeySecret}) and ENV_KEY_SALT (${keys.envKeySalt}) as safe as this file.`,
  );
}

/** Null: standard output. */
function pathOf(given: string, database: string): string | null {
  if (given === '-') return null;
  const isFolder = existsSync(given) && statSync(given).isDirectory();
  const time = new Date().toISOString().slice(0, 19).replaceAll(':', '');
  const path = isFolder ? join(given, `${database}-${time}Z.weft-backup`) : given;
  if (existsSync(path)) throw new Trouble(`${path} exists.`, 'Give the backup another name: it never replaces a file.');
  return path;
}

await onInstallation('backup', backUp, { joins: false });
