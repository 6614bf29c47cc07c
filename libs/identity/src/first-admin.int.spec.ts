import { randomInt } from 'node:crypto';
import { createIdSource } from '@weft/kernel';
import {
  AUDIT_LOGS,
  COMPANIES,
  ensureIndexes,
  Mongo,
  USERS,
  type CompanyDocument,
  type UserDocument,
} from '@weft/persistence';
import { liveMongo } from '@weft/testing';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { ensureFirstAdmin } from './first-admin.js';
import { PasswordHasher } from './password-hasher.js';

const { uri, db } = liveMongo();
const clock = { now: () => Date.now(), monotonicMs: () => performance.now() };
const newId = createIdSource(Date.now, randomInt(2 ** 32));
const nobody = { email: null, password: null };

// Five connections, as of five processes.
const processes = await Promise.all(
  Array.from({ length: 5 }, (_, i) => Mongo.open({ uri, db, appName: `founder-${i}`, maxPoolSize: 2 })),
);
afterAll(() => Promise.all(processes.map((mongo) => mongo.close())));
const mongo = processes[0] as Mongo;
const users = mongo.collection<UserDocument>(USERS);

beforeEach(async () => {
  await mongo.connection.dropDatabase();
  await ensureIndexes(mongo);
});

describe('the first admin', () => {
  it('is made once when five processes start on an empty database', async () => {
    const made = await Promise.all(
      processes.map((each) => ensureFirstAdmin({ mongo: each, admin: nobody, clock, newId })),
    );
    const winners = made.filter((each) => each !== null);
    expect(winners).toHaveLength(1);
    expect(await users.countDocuments()).toBe(1);
    expect(await mongo.collection<CompanyDocument>(COMPANIES).countDocuments()).toBe(1);
    expect(await mongo.collection(AUDIT_LOGS).distinct('action_type')).toEqual(['company_created', 'user_created']);
  });

  it('is an operator and admin who can sign in with the printed password', async () => {
    const made = await ensureFirstAdmin({ mongo, admin: nobody, clock, newId });
    const user = await users.findOne({});
    expect(user).toMatchObject({
      _id: made?.userId,
      email: made?.email,
      operator: true,
      company_roles: [{ company_id: made?.companyId, role: 'admin' }],
    });
    expect(await new PasswordHasher().verify(made?.password ?? '', user?.password_hash ?? null)).toBe(true);
  });

  it('gets the given address and password, which is not printed', async () => {
    const admin = { email: 'Ada@Example.org', password: 'seven grey herons' };
    expect(await ensureFirstAdmin({ mongo, admin, clock, newId })).toMatchObject({
      email: 'Ada@Example.org',
      password: null,
    });
    const user = await users.findOne({ email_key: 'ada@example.org' });
    expect(await new PasswordHasher().verify('seven grey herons', user?.password_hash ?? null)).toBe(true);
  });

  it('is not made again, nor where there are users already', async () => {
    await ensureFirstAdmin({ mongo, admin: nobody, clock, newId });
    expect(await ensureFirstAdmin({ mongo, admin: nobody, clock, newId })).toBeNull();
    await mongo.collection('settings').deleteMany({});
    expect(await ensureFirstAdmin({ mongo, admin: nobody, clock, newId })).toBeNull();
    expect(await users.countDocuments()).toBe(1);
  });

  it('is refused a password that everybody tries, and nothing is made', async () => {
    const admin = { email: null, password: 'Password2026!' };
    await expect(ensureFirstAdmin({ mongo, admin, clock, newId })).rejects.toThrow(
      /^WEFT_ADMIN_PASSWORD cannot be used/,
    );
    expect(await users.countDocuments()).toBe(0);
  });
});
