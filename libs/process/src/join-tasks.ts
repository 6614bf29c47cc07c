import { matchesAdminSettings, ensureFirstAdmin, InstallationSecrets, type FirstAdmin } from '@weft/identity';
import {
  assertNotRestoring,
  COLLECTIONS_OF_PLAYS,
  ensureIndexes,
  Migrations,
  OTHER_COLLECTIONS,
  setValidators,
  VALIDATED_COLLECTIONS,
} from '@weft/records';

import type { BootContext, BootTask } from './process-options.js';

/**
 * What any process does first, because any may be the first on an empty database: it refuses a database that is being restored,
 * makes the indexes, looks whether its
 * secrets are those of the installation, and waits for what this version must have changed in the stored documents before
 * it serves. Several at once do it once.
 *
 * @param onWait called when it waits, up to a minute, until processes of an earlier version are gone
 */
export function joinTasks(onWait?: () => void): readonly BootTask[] {
  return [
    { name: 'use the database', run: ({ mongo }) => assertNotRestoring(mongo) },
    { name: 'make the indexes', run: ({ mongo }) => ensureIndexes(mongo, OTHER_COLLECTIONS) },
    {
      name: 'open what the installation has sealed',
      run: ({ mongo, settings }) => new InstallationSecrets(mongo, settings.secrets).assertOurs(),
    },
    { name: 'migrate the stored plays', run: (context) => migrationsOf(context, onWait).standstill() },
    { name: 'make the indexes of plays', run: ({ mongo }) => ensureIndexes(mongo, COLLECTIONS_OF_PLAYS) },
    { name: 'migrate the stored documents', run: (context) => migrationsOf(context).expand() },
    { name: 'set the validators of collections', run: validateCollections },
  ];
}

function validateCollections({ mongo, log }: BootContext): Promise<void> {
  return setValidators(mongo, VALIDATED_COLLECTIONS, (err) =>
    log.warn(
      { component: 'database', err },
      'MongoDB does not check all documents against the schemas of this version: a validator could not be set. The user of ' +
        'MONGODB_URI may lack the right collMod (role dbAdmin). Everything else works.',
    ),
  );
}

function migrationsOf({ mongo, log }: BootContext, onWait: () => void = () => undefined): Migrations {
  const component = 'migrations';
  return new Migrations(mongo, {
    onDone: (done) => log.info({ component, ...done }, 'a migration is done'),
    onWait: (processes) => {
      log.info(
        { component, processes },
        'a migration waits, up to a minute, until processes of an earlier version are gone',
      );
      onWait();
    },
  });
}

/**
 * The same in a process that creates the first company and its admin on an empty database.
 *
 * @param announce called when this process has created the admin, if its caller wants to say how to sign in. By default the log
 *   says so, and at later starts that the settings of the first admin have no effect
 * @param onWait see `joining`
 */
export function provisionTasks(announce?: (admin: FirstAdmin) => void, onWait?: () => void): readonly BootTask[] {
  return [
    ...joinTasks(onWait),
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

/** In parallel with the start, because comparing a password takes a third of a second. */
async function warnOfIgnoredAdmin({ mongo, settings, log }: BootContext): Promise<void> {
  // an unreachable store is reported elsewhere
  const isAdmitted = await matchesAdminSettings(mongo, settings.admin).catch(() => true);
  if (isAdmitted) return;
  log.warn(
    { component: 'auth' },
    'WEFT_ADMIN_EMAIL and WEFT_ADMIN_PASSWORD have no effect: they are read when the database is empty, and this one has an admin ' +
      'with other values. "npm run admin:reset-password" gives an operator a new password.',
  );
}
