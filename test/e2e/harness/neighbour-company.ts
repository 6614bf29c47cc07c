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
import type { Role } from '@weft/access';
import { ApiClient } from '@weft/testing';
import mongoose from 'mongoose';
import { randomInt } from 'node:crypto';
import type { Fleet } from './fleet.js';

const newId = createIdSource(Date.now, randomInt(2 ** 32));
const SESSION_MS = 3_600_000;

/** People who were there before the test: put into the database, signed in without a password's half second. */
export async function signedIn(fleet: Fleet, role: Role, companyId: string): Promise<ApiClient> {
  const sid = newSessionId();
  const userId = newId();
  const email = `${userId}@weft.test`;
  await store(fleet, async (db) => {
    await db.collection<UserDocument>(USERS).insertOne({
      _id: userId,
      email,
      email_key: emailKey(email),
      name: null,
      password_hash: null,
      operator: false,
      company_roles: [{ company_id: companyId, role, group_ids: [] }],
      created_at: new Date(),
      last_activity: null,
    });
    await db.collection<SessionDocument>(SESSIONS).insertOne({
      _id: newId(),
      SessionHash: hashSessionId(sid),
      UserID: userId,
      CompanyID: companyId,
      CreatedAt: new Date(),
      LastActivity: new Date(),
      ExpiresAt: new Date(Date.now() + SESSION_MS),
      UserAgent: 'spec',
      IPAddress: '127.0.0.1',
    });
  });
  return new ApiClient(fleet.admin.url, { cookie: `sid=${sid}` });
}

/** The admin of another company of the same installation. */
export async function neighbourCompany(fleet: Fleet): Promise<ApiClient> {
  const company = { _id: newId(), name: 'The neighbours', active: true, created_at: new Date() };
  await store(fleet, (db) => db.collection<CompanyDocument>(COMPANIES).insertOne(company));
  return signedIn(fleet, 'admin', company._id);
}

async function store<T>({ servers }: Fleet, work: (db: mongoose.mongo.Db) => Promise<T>): Promise<T> {
  const client = await mongoose.mongo.MongoClient.connect(servers.mongodbUri, { maxPoolSize: 1 });
  try {
    return await work(client.db(servers.mongodbDb));
  } finally {
    await client.close();
  }
}
