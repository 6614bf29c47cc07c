import { randomInt } from 'node:crypto';
import { createIdSource } from '@weft/kernel';
import { AUDIT_LOGS, Mongo } from '@weft/store';
import { COLLECTIONS, COMPANIES, ensureIndexes, USERS, type CompanyDocument, type UserDocument } from '@weft/records';
import { liveMongo } from '@weft/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { matchesAdminSettings, ensureFirstAdmin } from './first-admin.js';
import { PasswordHasher } from './password-hasher.js';

const { uri, db } = liveMongo();
const clock = { now: () => Date.now(), monotonicMs: () => performance.now() };
const newId = createIdSource(Date.now, randomInt(2 ** 32));
const given = { email: null, password: 'seven grey herons' };

// Five connections, as of five processes.
const processes = await Promise.all(
  Array.from({ length: 5 }, (_, i) => Mongo.open({ uri, db, appName: `founder-${i}`, maxPoolSize: 2 })),
);
afterAll(() => Promise.all(processes.map((mongo) => mongo.close())));
const mongo = processes[0] as Mongo;
const users = mongo.collection<UserDocument>(USERS);

beforeAll(() => ensureIndexes(mongo));
afterEach(() => Promise.all(COLLECTIONS.map(({ name }) => mongo.walked(name).deleteMany({}))));

describe('the first admin', () => {
  it('is made once when five processes start on an empty database', async () => {
    const made = await Promise.all(
      processes.map((each) => ensureFirstAdmin({ mongo: each, admin: given, clock, newId })),
    );
    const winners = made.filter((each) => each !== null);
    expect(winners).toHaveLength(1);
    expect(await users.countDocuments()).toBe(1);
    expect(await mongo.collection<CompanyDocument>(COMPANIES).countDocuments()).toBe(1);
    expect(await mongo.collection(AUDIT_LOGS).distinct('action_type')).toEqual(['company_created', 'user_created']);
  });

  it('is an operator and admin, and signs in with the password that was given', async () => {
    const made = await ensureFirstAdmin({ mongo, admin: given, clock, newId });
    const user = await users.findOne({});
    expect(user).toMatchObject({
      _id: made?.userId,
      email: made?.email,
      operator: true,
      company_roles: [{ company_id: made?.companyId, role: 'admin' }],
    });
    expect(user?.email).toBe('admin@weft.local');
    expect(await new PasswordHasher().verify(given.password, user?.password_hash ?? null)).toBe(true);
  });

  it('gets the given address', async () => {
    const admin = { ...given, email: 'Ada@Example.org' };
    expect(await ensureFirstAdmin({ mongo, admin, clock, newId })).toMatchObject({ email: 'Ada@Example.org' });
    expect(await users.countDocuments({ email_key: 'ada@example.org' })).toBe(1);
  });

  it('is not made without a password: none is made up, and told where others read it', async () => {
    const admin = { email: null, password: null };
    await expect(ensureFirstAdmin({ mongo, admin, clock, newId })).rejects.toThrow(/Set WEFT_ADMIN_PASSWORD/);
    expect(await users.countDocuments()).toBe(0);
  });

  it('is told from other settings that come later', async () => {
    await ensureFirstAdmin({ mongo, admin: given, clock, newId });
    const admits = (email: string | null, password: string | null) => matchesAdminSettings(mongo, { email, password });
    expect(await admits(null, null)).toBe(true);
    expect(await admits('ADMIN@weft.local', null)).toBe(true);
    expect(await admits(null, given.password)).toBe(true);
    expect(await admits(null, 'eight grey herons')).toBe(false);
    expect(await admits('ada@example.org', given.password)).toBe(false);
  });

  it('is not made again, nor where there are users already', async () => {
    await ensureFirstAdmin({ mongo, admin: given, clock, newId });
    expect(await ensureFirstAdmin({ mongo, admin: given, clock, newId })).toBeNull();
    await mongo.collection('settings').deleteMany({});
    expect(await ensureFirstAdmin({ mongo, admin: given, clock, newId })).toBeNull();
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
