import type { Settings } from '@weft/config';
import { keyFaults } from '@weft/identity';
import { DATA_LEVEL, type BackupManifest } from '@weft/records';
import { Trouble } from '#tools/setup/trouble.mjs';

/**
 * @param anyKeys also with other secrets than those of the backup
 * @throws Trouble when this version, or these secrets, cannot read what the backup contains
 */
export function assertFits(manifest: BackupManifest, secrets: Settings['secrets'], anyKeys: boolean): void {
  if (manifest.dataLevel > DATA_LEVEL) {
    throw new Trouble(
      `The backup is of Weft ${manifest.version}, which stores what this version cannot read.`,
      'Restore it with that version or a later one.',
    );
  }
  const faults = anyKeys ? [] : keyFaults(manifest.keys, secrets);
  if (faults.length === 0) return;
  throw new Trouble(
    `The secrets of this machine do not open the backup: ${faults.join('; ')}.`,
    'Set the values that belong to the backup (--keys-to writes them if it includes them). If they are lost: --other-keys, and ' +
      'then "npm run secrets:rotate -- --lost".',
  );
}
