import type { ClientSession } from 'mongoose';
import { PLAYS, type Mongo } from '@weft/store';
import { LEASES } from '../operations/lease.schema.js';
import { HEALTH_PROBES } from '../operations/health-probe.schema.js';
import { OAUTH_LOGINS } from '../people/oauth-login.schema.js';
import { SESSIONS } from '../people/session.schema.js';
import { BACKUPS } from './backup.schema.js';

/**
 * Not in a backup: a session that was ended since would be open again, a sign-in that is under way belongs to a browser, and signs of
 * life and backups belong to one database.
 */
const LEFT_OUT: ReadonlySet<string> = new Set([SESSIONS, OAUTH_LOGINS, HEALTH_PROBES, LEASES, BACKUPS]);

export function isBackedUp(name: string): boolean {
  return !LEFT_OUT.has(name) && !name.startsWith('system.');
}

/** Those of the database, also of a version that knows more of them; plays last, because they change most. */
export async function backedUpCollections(mongo: Mongo, session?: ClientSession): Promise<readonly string[]> {
  const found = await mongo.db.listCollections({ type: 'collection' }, { session, nameOnly: true }).toArray();
  const names = found.map(({ name }) => name).filter(isBackedUp);
  return names.toSorted((a, b) => Number(a === PLAYS) - Number(b === PLAYS) || a.localeCompare(b));
}
