import { ensureFirstAdmin, type FirstAdmin } from '@weft/identity';
import { ensureIndexes, Migrations } from '@weft/persistence';

import type { BootTask } from './process-options.js';

/**
 * What any process does first, because any may be the first on an empty database: indexes, then what this
 * version must have changed in the stored documents before it serves, then the first company and its admin. Several at
 * once do it once.
 *
 * @param announce told when this process made the admin; by default it prints how to sign in, this once
 */
export function founding(announce: (admin: FirstAdmin) => void = printLogin): readonly BootTask[] {
  return [
    { name: 'make the indexes', run: ({ mongo }) => ensureIndexes(mongo) },
    {
      name: 'migrate the stored documents',
      run: ({ mongo, newId, log }) =>
        new Migrations(mongo, {
          owner: newId(),
          onDone: (done) => log.info({ component: 'migrations', ...done }, 'a migration is done'),
        }).expand(),
    },
    {
      name: 'make the first admin',
      run: async ({ mongo, settings, clock, newId }) => {
        const made = await ensureFirstAdmin({ mongo, admin: settings.admin, clock, newId });
        if (made) announce(made);
      },
    },
  ];
}

/** Past the log: a log file would keep the password. */
function printLogin({ email, password }: FirstAdmin): void {
  const secret = password === null ? 'the password of WEFT_ADMIN_PASSWORD' : `password ${password} (shown only now)`;
  process.stdout.write(`First admin: ${email}, ${secret}\n`);
}
