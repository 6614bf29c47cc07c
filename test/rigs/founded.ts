import { TEST_ADMIN, type ProcessServers } from '@weft/testing';
import { People } from './people.js';

/** Of the password of `TEST_ADMIN`, as the product stores it: each process that founds an installation takes a third of a second for one. */
const PASSWORD_HASH = '$2b$12$LNT673uQvC0Sip8VsP6WzO82q4NaQqawIIivZvV/juIJ3uY79nKim';

/**
 * Puts the first company and its admin into an empty database, before any process looks: as an earlier start left them.
 *
 * @returns a cookie of the admin
 */
export function founded(servers: Pick<ProcessServers, 'mongodbUri' | 'mongodbDb'>): Promise<string> {
  const { email } = TEST_ADMIN;
  return People.in(servers, async (people) =>
    people.signedIn(await people.company('Weft'), 'admin', { email, password_hash: PASSWORD_HASH, operator: true }),
  );
}
