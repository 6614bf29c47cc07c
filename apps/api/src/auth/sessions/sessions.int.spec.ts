import { AUDIT_LOGS, type AuditDocument } from '@weft/store';
import {
  EXTERNAL_IDENTITIES,
  SESSIONS,
  USERS,
  type ExternalIdentityDocument,
  type SessionDocument,
  type SignInProof,
  type UserDocument,
} from '@weft/records';
import type { Principal, Role } from '@weft/access';
import { Sessions } from '@weft/identity';
import { TEST_ADMIN } from '@weft/testing';
import { describe, expect, it } from 'vitest';
import { liveApi, newId, textOf, type Answer, type Person } from '../../../../../test/api/live-api.js';
import { tiedIdentity } from '../../../../../test/fixtures/tied-identity.js';

const { app, mongo, send, person, signIn } = await liveApi();
const users = mongo.collection<UserDocument>(USERS);
const sessions = mongo.collection<SessionDocument>(SESSIONS);
const audit = mongo.collection<AuditDocument>(AUDIT_LOGS);
const ME = '/api/v1/auth/me';

async function addPlace(who: Person, companyId: string, role: Role): Promise<void> {
  const place = { company_id: companyId, role, group_ids: [] };
  await users.updateOne({ _id: who.userId }, { $push: { company_roles: place } });
}

function cookieOf(answer: Answer): string {
  return String(answer.headers['set-cookie']).split(';')[0] ?? '';
}

function switchTo(who: Person, companyId: string): Promise<Answer> {
  return who.send('POST', '/api/v1/auth/switch-company', { body: { company_id: companyId } });
}

function me(cookie: string): Promise<Answer> {
  return send('GET', ME, { headers: { cookie } });
}

describe('switching the company', () => {
  it('goes on under a new id in the other company, and the old id is dead', async () => {
    const one = await person('viewer');
    const other = await person('admin');
    await addPlace(one, other.scope.companyId, 'flow_editor');
    const record = await sessions.findOne({ UserID: one.userId });
    const begun = new Date(Date.now() - 3_600_000);
    await sessions.updateOne({ _id: record?._id }, { $set: { CreatedAt: begun } });
    const moved = await switchTo(one, other.scope.companyId);
    expect(moved).toMatchObject({
      status: 200,
      body: { company_id: other.scope.companyId, roles: ['flow_editor'], user: { id: one.userId } },
    });
    expect(moved.headers['set-cookie']).toMatch(/^sid=[\w-]{43}; Max-Age=3600; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(JSON.stringify(moved.body)).not.toContain(cookieOf(moved).slice(4));
    expect((await one.send('GET', ME)).body.code).toBe('session_expired');
    expect((await me(cookieOf(moved))).body.company_id).toBe(other.scope.companyId);
    // still the same sign-in: its absolute maximum goes on
    const now = await sessions.find({ UserID: one.userId }).toArray();
    expect(now).toMatchObject([{ CompanyID: other.scope.companyId, CreatedAt: begun }]);
    const entries = await audit.find({ UserID: one.userId, action_type: { $ne: 'login_succeeded' } }).toArray();
    expect(entries.map(({ action_type, company_id }) => [action_type, company_id])).toEqual([
      ['session_ended', one.scope.companyId],
      ['company_switched', other.scope.companyId],
    ]);
  });

  it('answers 404 for a company that is not theirs, 403 where the role is none, and changes nothing', async () => {
    const one = await person('viewer');
    const other = await person('admin');
    const none = await person('admin');
    await addPlace(one, none.scope.companyId, 'none');
    for (const id of [other.scope.companyId, newId()]) expect((await switchTo(one, id)).body.code).toBe('not_found');
    expect(await switchTo(one, none.scope.companyId)).toMatchObject({ status: 403, body: { code: 'denied' } });
    expect((await one.send('GET', ME)).body.company_id).toBe(one.scope.companyId);
  });

  it('lets requests under way keep their company, and happens once', async () => {
    const one = await person('flow_editor');
    const other = await person('admin');
    await addPlace(one, other.scope.companyId, 'flow_editor');
    const make = () => one.send('POST', '/api/v1/flows', { body: { name: 'under way' } });
    const [first, moves, second] = await Promise.all([
      make(),
      Promise.all([switchTo(one, other.scope.companyId), switchTo(one, other.scope.companyId)]),
      make(),
    ]);
    for (const { status, body } of [first, second]) {
      if (status === 201) expect(body.company_id).toBe(one.scope.companyId);
      else expect(body.code).toBe('session_expired');
    }
    expect(moves.map(({ status }) => status).sort()).toEqual([200, 401]);
    expect(await sessions.countDocuments({ UserID: one.userId })).toBe(1);
  });

  it('is for sessions, not for keys', async () => {
    const one = await person('admin');
    const { token } = (await one.send('POST', '/api/v1/admin/api-keys', { body: { name: 'k', scope: 'api,admin' } }))
      .body;
    const headers = { authorization: `Bearer ${textOf(token)}` };
    const body = { company_id: one.scope.companyId };
    for (const [method, path] of [
      ['POST', 'switch-company'],
      ['GET', 'sessions'],
      ['POST', 'password'],
    ] as const) {
      const answer = await send(method, `/api/v1/auth/${path}`, { ...(method === 'POST' && { body }), headers });
      expect(answer.body.code, path).toBe('session_required');
    }
  });
});

describe('the sessions of a user', () => {
  it('are listed to that user with what the contract names, and never by the id of the cookie', async () => {
    const one = await person('viewer');
    const other = await person('viewer');
    await signIn(one.userId, one.scope.companyId);
    await sessions.updateOne({ UserID: other.userId }, { $set: { ExpiresAt: new Date(Date.now() - 1) } });
    const { body } = await one.send('GET', '/api/v1/auth/sessions');
    expect(body).toMatchObject({ total: 2, items: [{ Current: false }, { Current: true }] });
    const items = body.items as unknown as Record<string, unknown>[];
    expect(Object.keys(items[0] ?? {}).sort()).toEqual([
      'CompanyID',
      'CreatedAt',
      'Current',
      'ExpiresAt',
      'ID',
      'IPAddress',
      'LastActivity',
      'UserAgent',
      'UserID',
      'id',
    ]);
    const stored = await sessions.find({ UserID: one.userId }).toArray();
    for (const { SessionHash } of stored) expect(JSON.stringify(body)).not.toContain(SessionHash);
    const id = String(items[0]?.id);
    expect((await one.send('GET', `/api/v1/auth/sessions/${id}`)).body).toEqual(items[0]);
    expect((await other.send('GET', '/api/v1/auth/sessions')).status).toBe(401);
  });

  it('end one by one; nobody ends those of others', async () => {
    const one = await person('viewer');
    const two = await signIn(one.userId, one.scope.companyId);
    const stranger = await person('admin', one.scope.companyId);
    const { items } = (await one.send('GET', '/api/v1/auth/sessions')).body as unknown as {
      items: { id: string; Current: boolean }[];
    };
    const [other, own] = items.map(({ id }) => `/api/v1/auth/sessions/${id}`);
    expect((await stranger.send('DELETE', String(other))).status).toBe(404);
    expect((await stranger.send('GET', String(other))).status).toBe(404);
    expect((await me(two)).status).toBe(200);
    expect((await one.send('DELETE', String(other))).status).toBe(204);
    expect((await me(two)).body.code).toBe('session_expired');
    expect((await one.send('DELETE', String(other))).status).toBe(404);
    const last = await one.send('DELETE', String(own));
    expect(last.headers['set-cookie']).toMatch(/^sid=; Max-Age=0;/);
    expect((await one.send('GET', ME)).status).toBe(401);
  });
});

describe('ending all sessions', () => {
  it('signs the user out everywhere, in each company with an entry, and nobody else', async () => {
    const one = await person('viewer');
    const elsewhere = await person('viewer');
    await addPlace(one, elsewhere.scope.companyId, 'viewer');
    const there = await signIn(one.userId, elsewhere.scope.companyId);
    const { status, headers } = await one.send('DELETE', '/api/v1/auth/sessions');
    expect(status).toBe(204);
    expect(headers['set-cookie']).toMatch(/^sid=; Max-Age=0;/);
    expect([(await one.send('GET', ME)).status, (await me(there)).status]).toEqual([401, 401]);
    expect((await elsewhere.send('GET', ME)).status).toBe(200);
    const entries = await audit.find({ UserID: one.userId, action_type: 'session_ended' }).toArray();
    expect(entries.map(({ company_id }) => company_id).sort()).toEqual(
      [one.scope.companyId, elsewhere.scope.companyId].sort(),
    );
  });
});

describe('a sign-in that is under way while the user is locked out', () => {
  const origin = { address: '127.0.0.1', userAgent: 'spec', requestId: 'spec' };
  const tied = { kind: 'identity', issuer: 'https://id.example.com', subject: newId() } as const;
  const lockOuts: readonly [string, SignInProof, (boss: Person, one: Person) => Promise<unknown>][] = [
    [
      'by a password reset',
      { kind: 'password' },
      (boss, one) => boss.send('POST', `/api/v1/users/${one.userId}/password-reset`),
    ],
    [
      'by a deactivation',
      { kind: 'password' },
      (boss, one) => boss.send('PATCH', `/api/v1/users/${one.userId}`, { body: { active: false } }),
    ],
    ['by a removal', { kind: 'password' }, (boss, one) => boss.send('DELETE', `/api/v1/users/${one.userId}`)],
    [
      'by untying the account at a provider',
      tied,
      (boss, one) =>
        boss.send('POST', `/api/v1/users/${one.userId}/password-reset`, { body: { end_identities: true } }),
    ],
  ];

  it.each(lockOuts)('opens no session: %s', async (_what, proof, lockOut) => {
    const boss = await person('admin');
    const one = await person('viewer', boss.scope.companyId);
    await users.updateOne({ _id: one.userId }, { $set: { password_hash: '$2b$12$of-nobody' } });
    await mongo
      .collection<ExternalIdentityDocument>(EXTERNAL_IDENTITIES)
      .insertOne({ ...tiedIdentity(one.userId, tied.subject), issuer: tied.issuer });
    // what a sign-in has read when it compares the password, or comes back from the provider
    const asRead = (await users.findOne({ _id: one.userId }))!;
    await lockOut(boss, one);
    const opened = await app.get(Sessions, { strict: false }).open(asRead, one.scope.companyId, origin, proof);
    expect(opened).toBeNull();
    expect(await sessions.countDocuments({ UserID: one.userId })).toBe(0);
    await mongo.collection(EXTERNAL_IDENTITIES).deleteMany({ subject: tied.subject });
  });

  it('opens none in another account of the address whose password was changed meanwhile', async () => {
    const [one, other] = [await person('viewer'), await person('viewer')];
    const same = { email_key: `${one.userId}@weft.test`, password_hash: '$2b$12$of-nobody' };
    await users.updateMany({ _id: { $in: [one.userId, other.userId] } }, { $set: same });
    const asRead = (await users.findOne({ _id: other.userId }))!;
    await users.updateOne({ _id: other.userId }, { $set: { password_hash: '$2b$12$of-another' } });
    const session = (await sessions.findOne({ UserID: one.userId }))!;
    const caller = { userId: one.userId, companyId: one.scope.companyId, credentialId: session._id } as Principal;
    const moved = await app.get(Sessions, { strict: false }).moveTo(asRead, other.scope.companyId, caller, origin);
    expect(moved).toBeNull();
    // the one that it began with
    expect(await sessions.countDocuments({ UserID: other.userId })).toBe(1);
  });
});

describe('changing the password', () => {
  it('asks for the current one, ends the other sessions, and keeps this one', async () => {
    const one = await person('viewer');
    const admin = await users.findOne({ email: TEST_ADMIN.email });
    await users.updateOne({ _id: one.userId }, { $set: { password_hash: admin?.password_hash ?? null } });
    const two = await signIn(one.userId, one.scope.companyId);
    const change = (current_password: string, new_password: string) =>
      one.send('POST', '/api/v1/auth/password', { body: { current_password, new_password } });
    expect((await change(TEST_ADMIN.password, 'ä'.repeat(37))).body.code).toBe('password_too_long');
    expect((await change('not the password', 'seven grey herons')).body.code).toBe('invalid_credentials');
    expect((await change(TEST_ADMIN.password, 'Password1234!')).body.code).toBe('weak_password');
    expect((await me(two)).status).toBe(200);
    expect((await change(TEST_ADMIN.password, 'seven grey herons')).status).toBe(204);
    expect((await me(two)).status).toBe(401);
    expect((await one.send('GET', ME)).status).toBe(200);
    const after = await users.findOne({ _id: one.userId });
    expect(after?.password_hash).toMatch(/^\$2b\$/);
    expect(after?.password_hash).not.toBe(admin?.password_hash);
    expect(await audit.countDocuments({ action_type: 'password_changed', UserID: one.userId })).toBe(1);
  });

  it('is no way to guess it: wrong ones count like failed sign-ins', async () => {
    const one = await person('viewer');
    const body = { current_password: 'not the password', new_password: 'seven grey herons' };
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => one.send('POST', '/api/v1/auth/password', { body })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([401, 401, 401, 401, 401, 429]);
  });
});
