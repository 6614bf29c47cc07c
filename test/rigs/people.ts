import type { Role } from '@weft/access';
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
import type { ProcessServers } from '@weft/testing';
import mongoose from 'mongoose';
import { randomInt } from 'node:crypto';

const SESSION_MS = 3_600_000;

const newId = createIdSource(Date.now, randomInt(2 ** 32));

/** Companies and users that exist before the test: inserted into the database, and signed in without hashing a password. */
export class People {
  private constructor(private readonly db: mongoose.mongo.Db) {}

  static async in<T>(
    { mongodbUri, mongodbDb }: Pick<ProcessServers, 'mongodbUri' | 'mongodbDb'>,
    work: (people: People) => Promise<T>,
  ): Promise<T> {
    const client = await mongoose.mongo.MongoClient.connect(mongodbUri, { maxPoolSize: 1 });
    try {
      return await work(new People(client.db(mongodbDb)));
    } finally {
      await client.close();
    }
  }

  /** @returns its id */
  async company(name: string): Promise<string> {
    const company: CompanyDocument = { _id: newId(), name, active: true, created_at: new Date() };
    await this.db.collection<CompanyDocument>(COMPANIES).insertOne(company);
    return company._id;
  }

  /**
   * The user is inserted last, because a process that finds one considers the installation complete.
   *
   * @returns a cookie
   */
  async signedIn(companyId: string, role: Role, own: Partial<UserDocument> = {}): Promise<string> {
    const sid = newSessionId();
    const now = new Date();
    const _id = newId();
    const email = own.email ?? `${_id}@weft.test`;
    await this.db.collection<SessionDocument>(SESSIONS).insertOne({
      _id: newId(),
      SessionHash: hashSessionId(sid),
      UserID: _id,
      CompanyID: companyId,
      CreatedAt: now,
      LastActivity: now,
      ExpiresAt: new Date(now.getTime() + SESSION_MS),
      UserAgent: 'spec',
      IPAddress: '127.0.0.1',
    });
    await this.db.collection<UserDocument>(USERS).insertOne({
      _id,
      email,
      email_key: emailKey(email),
      name: null,
      password_hash: null,
      operator: false,
      company_roles: [{ company_id: companyId, role, group_ids: [] }],
      created_at: now,
      last_activity: null,
      ...own,
    });
    return `sid=${sid}`;
  }
}
