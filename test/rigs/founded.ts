import { hashSessionId, newSessionId } from '@weft/identity';
import { createIdSource } from '@weft/kernel';
import {
  COMPANIES,
  emailKey,
  SESSIONS,
  USERS,
  type CompanyDocument,
  type SessionDocument,
  type UserDocument,
} from '@weft/persistence';
import { TEST_ADMIN, type ProcessServers } from '@weft/testing';
import mongoose from 'mongoose';
import { randomInt } from 'node:crypto';

/** Of the password of `TEST_ADMIN`, as the product stores it: each process that founds an installation takes a third of a second for one. */
const PASSWORD_HASH = '$2b$12$LNT673uQvC0Sip8VsP6WzO82q4NaQqawIIivZvV/juIJ3uY79nKim';
const SESSION_MS = 3_600_000;

const newId = createIdSource(Date.now, randomInt(2 ** 32));

/**
 * Puts the first company and its admin into an empty database, before any process looks: as an earlier start left them.
 *
 * @returns a cookie of the admin
 */
export async function founded({
  mongodbUri,
  mongodbDb,
}: Pick<ProcessServers, 'mongodbUri' | 'mongodbDb'>): Promise<string> {
  const client = await mongoose.mongo.MongoClient.connect(mongodbUri, { maxPoolSize: 1 });
  const db = client.db(mongodbDb);
  const sid = newSessionId();
  const now = new Date();
  const company: CompanyDocument = { _id: newId(), name: 'Weft', active: true, created_at: now };
  const { email } = TEST_ADMIN;
  const admin: UserDocument = {
    _id: newId(),
    email,
    email_key: emailKey(email),
    name: null,
    password_hash: PASSWORD_HASH,
    operator: true,
    company_roles: [{ company_id: company._id, role: 'admin', group_ids: [] }],
    created_at: now,
    last_activity: null,
  };
  const session: SessionDocument = {
    _id: newId(),
    SessionHash: hashSessionId(sid),
    UserID: admin._id,
    CompanyID: company._id,
    CreatedAt: now,
    LastActivity: now,
    ExpiresAt: new Date(now.getTime() + SESSION_MS),
    UserAgent: 'spec',
    IPAddress: '127.0.0.1',
  };
  try {
    await db.collection<CompanyDocument>(COMPANIES).insertOne(company);
    await db.collection<SessionDocument>(SESSIONS).insertOne(session);
    // last: whoever finds a user takes the installation for founded
    await db.collection<UserDocument>(USERS).insertOne(admin);
  } finally {
    await client.close();
  }
  return `sid=${sid}`;
}
