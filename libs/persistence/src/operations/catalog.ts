import { dropFormerPlayIndexes } from './drop-former-play-indexes.js';
import { forgetOldProbes } from './forget-old-probes.js';
import { letCompaniesShareAddresses } from './let-companies-share-addresses.js';
import type { Migration } from './migration.js';
import { renamePlayFields } from './rename-play-fields.js';
import { signAuditEntries } from './sign-audit-entries.js';

/**
 * Every change of stored documents since the first release, in the order in which they run. New ones go to the end; none is
 * changed or taken out once it was released: a process says how new it is by how many it knows.
 */
export const MIGRATIONS: readonly Migration[] = [
  signAuditEntries,
  forgetOldProbes,
  letCompaniesShareAddresses,
  renamePlayFields,
  dropFormerPlayIndexes,
];
