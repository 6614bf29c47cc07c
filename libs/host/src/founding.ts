import { admitsGivenAdmin, ensureFirstAdmin, InstallationSecrets, type FirstAdmin } from '@weft/identity';
import { ensureIndexes, Migrations } from '@weft/persistence';

import type { BootContext, BootTask } from './process-options.js';

/**
 * What any process does first, because any may be the first on an empty database: it makes the indexes, looks whether its
 * secrets are those of the installation, and waits for what this version must have changed in the stored documents before
 * it serves. Several at once do it once.
 */
export function joining(): readonly BootTask[] {
  return [
    { name: 'make the indexes', run: ({ mongo }) => ensureIndexes(mongo) },
    {
      name: 'open what the installation has sealed',
      run: ({ mongo, settings }) => new InstallationSecrets(mongo, settings.secrets).assertOurs(),
    },
    {
      name: 'migrate the stored documents',
      run: ({ mongo, newId, log }) =>
        new Migrations(mongo, {
          owner: newId(),
          onDone: (done) => log.info({ component: 'migrations', ...done }, 'a migration is done'),
        }).expand(),
    },
  ];
}

/**
 * The same in a process that makes the first company and its admin on an empty database.
 *
 * @param announce told when this process made the admin, where whoever starts it says how to sign in; by default that goes to
 *   the log, and later that the settings of the first admin have no effect
 */
export function founding(announce?: (admin: FirstAdmin) => void): readonly BootTask[] {
  return [
    ...joining(),
    {
      name: 'make the first admin',
      run: async (context) => {
        const { mongo, settings, clock, newId, log } = context;
        const made = await ensureFirstAdmin({ mongo, admin: settings.admin, clock, newId });
        if (made && announce) announce(made);
        else if (made)
          log.info({ component: 'auth' }, `First admin: ${made.email}, with the password of WEFT_ADMIN_PASSWORD`);
        else if (!announce) void warnOfIgnoredAdmin(context);
      },
    },
  ];
}

/** Beside the start: comparing a password takes a third of a second. */
async function warnOfIgnoredAdmin({ mongo, settings, log }: BootContext): Promise<void> {
  // the store going away is told by everything else
  const isAdmitted = await admitsGivenAdmin(mongo, settings.admin).catch(() => true);
  if (isAdmitted) return;
  log.warn(
    { component: 'auth' },
    'WEFT_ADMIN_EMAIL and WEFT_ADMIN_PASSWORD have no effect: they are read when the database is empty, and this one has an admin ' +
      'with other values. "npm run admin:reset-password" gives an operator a new password.',
  );
}
