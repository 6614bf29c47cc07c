import { randomInt } from 'node:crypto';
import type { Principal, Role } from '@weft/access';
import { createIdSource, WeftError } from '@weft/kernel';
import { emailKey, Mongo } from '@weft/store';
import {
  API_KEYS,
  ApiKeyRepository,
  COMPANIES,
  CompanyRepository,
  ensureIndexes,
  SessionRepository,
  SESSIONS,
  UserRepository,
  USERS,
  type ApiKeyDocument,
  type CompanyDocument,
  type SessionDocument,
  type UserDocument,
} from '@weft/records';
import { liveMongo } from '@weft/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PrincipalSource, type VerifiedCredential } from './principal-source.js';
import { hashSessionId, newSessionId } from './session-id.js';
import { MemberSource } from './member-source.js';

const { uri, db } = liveMongo();
const newId = createIdSource(Date.now, randomInt(2 ** 32));
const HOUR_MS = 3_600_000;
// The machine's time, so that the server does not remove what is to be seen.
let nowMs = Math.floor(Date.now() / 1000) * 1000;
const clock = { now: () => nowMs, monotonicMs: () => nowMs };

const mongo = await Mongo.open({ uri, db, appName: 'principal-source', maxPoolSize: 4 });
afterAll(() => mongo.close());
beforeAll(() => ensureIndexes(mongo));

const source = new PrincipalSource(
  new SessionRepository(mongo),
  new ApiKeyRepository(mongo),
  new MemberSource(new UserRepository(mongo), new CompanyRepository(mongo)),
  clock,
);
const reread = async (principal: Principal): Promise<VerifiedCredential> => {
  const [outcome] = await source.rereadAll([principal]);
  if (outcome && 'ok' in outcome) return outcome.ok;
  throw outcome?.error;
};
const users = mongo.collection<UserDocument>(USERS);
const companies = mongo.collection<CompanyDocument>(COMPANIES);
const keys = mongo.collection<ApiKeyDocument>(API_KEYS);
const sessions = mongo.collection<SessionDocument>(SESSIONS);

let companyId: string;
let userId: string;

beforeEach(async () => {
  companyId = newId();
  userId = newId();
  const email = `${userId}@example.org`;
  await companies.insertOne({ _id: companyId, name: 'Herons', active: true, created_at: new Date(nowMs) });
  await users.insertOne({
    _id: userId,
    email,
    email_key: emailKey(email),
    name: null,
    password_hash: null,
    operator: true,
    company_roles: [{ company_id: companyId, role: 'flow_executor', group_ids: ['g1'] }],
    created_at: new Date(nowMs),
    last_activity: null,
  });
});

async function openSession(): Promise<string> {
  const sessionId = newSessionId();
  const at = new Date(nowMs);
  await sessions.insertOne({
    _id: newId(),
    UserID: userId,
    CompanyID: companyId,
    SessionHash: hashSessionId(sessionId),
    CreatedAt: at,
    ExpiresAt: new Date(nowMs + HOUR_MS),
    LastActivity: at,
    UserAgent: '',
    IPAddress: '::1',
  });
  return sessionId;
}

async function makeKey(changes: Partial<ApiKeyDocument> = {}) {
  const key: ApiKeyDocument = {
    _id: newId(),
    name: 'key',
    user_id: userId,
    company_id: companyId,
    scope: ['api', 'read'],
    expires_at: new Date(nowMs + HOUR_MS),
    created_at: new Date(nowMs),
    created_by: userId,
    revoked_at: null,
    last_used_at: null,
    ...changes,
  };
  await keys.insertOne(key);
  return { sub: userId, company_id: companyId, key_id: key._id, scope: key.scope, exp: (nowMs + HOUR_MS) / 1000 };
}

async function codeOf(work: Promise<unknown>): Promise<string | null> {
  return work.then(
    () => null,
    (error: unknown) => (error instanceof WeftError ? error.code : String(error)),
  );
}

const setRole = (role: Role): Promise<unknown> =>
  users.updateOne({ _id: userId }, { $set: { company_roles: [{ company_id: companyId, role, group_ids: [] }] } });

/** Everything by which a user stops being one, S10. */
const losses: readonly [string, () => Promise<unknown>, ofKey?: string][] = [
  [
    'the user is deactivated in the company',
    () => users.updateOne({ _id: userId }, { $set: { 'company_roles.0.deactivated': true } }),
  ],
  ['the user leaves the company', () => users.updateOne({ _id: userId }, { $set: { company_roles: [] } })],
  ['the user is erased', () => users.deleteOne({ _id: userId })],
  [
    'the company is stopped',
    () => companies.updateOne({ _id: companyId }, { $set: { active: false } }),
    'company_stopped',
  ],
];

describe('a session', () => {
  it('stands for the user as the database has it', async () => {
    const sessionId = await openSession();
    const { principal } = await source.ofSessionId(sessionId);
    expect(principal).toMatchObject({
      userId,
      companyId,
      role: 'flow_executor',
      operator: true,
      auth: 'session',
      groupIds: ['g1'],
      expiresAt: new Date(nowMs + HOUR_MS),
    });
    await setRole('viewer');
    expect((await source.ofSessionId(sessionId)).principal.role).toBe('viewer');
    expect((await reread(principal)).principal).toMatchObject({ role: 'viewer', groupIds: [] });
  });

  it('ends at its time, before the server removes the record', async () => {
    const sessionId = await openSession();
    const { principal } = await source.ofSessionId(sessionId);
    nowMs += HOUR_MS;
    expect(await sessions.countDocuments({ _id: principal.credentialId })).toBe(1);
    expect(await codeOf(source.ofSessionId(sessionId))).toBe('session_expired');
    expect(await codeOf(reread(principal))).toBe('session_expired');
  });

  for (const [what, lose] of losses) {
    it(`ends when ${what}`, async () => {
      const sessionId = await openSession();
      await lose();
      expect(await codeOf(source.ofSessionId(sessionId))).toBe('session_expired');
    });
  }

  it('is nothing that a stranger can name', async () => {
    const sessionId = await openSession();
    for (const text of [newSessionId(), hashSessionId(sessionId), '', `${sessionId}x`, '[object Object]']) {
      expect(await codeOf(source.ofSessionId(text)), text).toBe('session_expired');
    }
  });
});

it('tells many credentials apart that are read in one question', async () => {
  const session = (await source.ofSessionId(await openSession())).principal;
  const claims = await makeKey();
  const key = (await source.ofKey(claims)).principal;
  const foreign = { ...session, companyId: newId() };
  const another = { ...session, userId: newId() };
  await keys.updateOne({ _id: claims.key_id }, { $set: { revoked_at: new Date(nowMs) } });
  const outcomes = await source.rereadAll([key, session, foreign, another, { ...key, companyId: newId() }]);
  expect(outcomes).toMatchObject([
    { error: { code: 'token_revoked' } },
    { ok: { principal: { credentialId: session.credentialId, userId } } },
    { error: { code: 'session_expired' } },
    { error: { code: 'session_expired' } },
    { error: { code: 'token_revoked' } },
  ]);
});

describe('an API key', () => {
  it('stands for its user in its company, with the scopes that token and record share', async () => {
    const claims = await makeKey();
    const { principal } = await source.ofKey({ ...claims, scope: ['api', 'admin'] });
    expect(principal).toMatchObject({ userId, companyId, role: 'flow_executor', auth: 'api_key', scopes: ['api'] });
  });

  it('is an operator only by the hand of its operator', async () => {
    expect((await source.ofKey(await makeKey())).principal.operator).toBe(true);
    expect((await source.ofKey(await makeKey({ created_by: 'another-admin' }))).principal.operator).toBe(false);
  });

  it('is refused once revoked, for good', async () => {
    const claims = await makeKey();
    const { principal } = await source.ofKey(claims);
    await keys.updateOne({ _id: claims.key_id }, { $set: { revoked_at: new Date(nowMs) } });
    expect(await codeOf(source.ofKey(claims))).toBe('token_revoked');
    expect(await codeOf(reread(principal))).toBe('token_revoked');
    expect(await codeOf(source.ofKey({ ...claims, key_id: newId() }))).toBe('token_revoked');
  });

  it('ends with its record, and no token outlives that', async () => {
    const claims = await makeKey();
    expect(await codeOf(source.ofKey({ ...claims, exp: claims.exp + 1 }))).toBe('token_invalid');
    nowMs += HOUR_MS;
    expect(await codeOf(source.ofKey(claims))).toBe('token_expired');
  });

  it('opens no other company and stands for no other user than its own', async () => {
    const claims = await makeKey();
    expect(await codeOf(source.ofKey({ ...claims, company_id: newId() }))).toBe('token_revoked');
    expect(await codeOf(source.ofKey({ ...claims, sub: newId() }))).toBe('token_invalid');
  });

  for (const [what, lose, code = 'token_invalid'] of losses) {
    it(`is refused when ${what}`, async () => {
      const claims = await makeKey();
      await lose();
      expect(await codeOf(source.ofKey(claims))).toBe(code);
    });
  }

  it('remembers its last use to the minute', async () => {
    const claims = await makeKey();
    const lastUse = async () => (await keys.findOne({ _id: claims.key_id }))?.last_used_at?.getTime();
    const first = nowMs;
    await source.ofKey(claims);
    nowMs += 59_000;
    await source.ofKey(claims);
    expect(await lastUse()).toBe(first);
    nowMs += 1_000;
    await source.ofKey(claims);
    expect(await lastUse()).toBe(nowMs);
  });
});
