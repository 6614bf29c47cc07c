import { hashSessionId } from '@weft/identity';
import { AUDIT_LOGS, type AuditDocument } from '@weft/store';
import { SESSIONS, USERS, type SessionDocument, type UserDocument } from '@weft/records';
import { TEST_ADMIN } from '@weft/testing';
import { describe, expect, it } from 'vitest';
import { liveApi, newId, textOf, type Answer } from '../../../../test/api/live-api.js';

const { mongo, send, person } = await liveApi({ TRUST_PROXY: '127.0.0.1/32' });
const sessions = mongo.collection<SessionDocument>(SESSIONS);
const users = mongo.collection<UserDocument>(USERS);
const audit = mongo.collection<AuditDocument>(AUDIT_LOGS);

const login = (body: object, headers: Record<string, string> = {}): Promise<Answer> =>
  send('POST', '/api/v1/auth/login', { body, headers });
const { email, password } = TEST_ADMIN;
const cookieOf = (answer: Answer): string => String(answer.headers['set-cookie']).split(';')[0] ?? '';
const admin = await users.findOne({});
const adminCompany = admin?.company_roles[0]?.company_id;

describe('signing in', () => {
  it('answers with user, company and roles, and sets the specified cookie', async () => {
    const answer = await login({ username: email, password });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      user: { id: admin?._id, email, name: null, state: 'active', operator: true },
      company_id: adminCompany,
      roles: ['admin'],
      companies: [{ company_id: adminCompany, name: 'Weft', role: 'admin' }],
    });
    const left = Date.parse(textOf(answer.body.expires_at)) - Date.now();
    expect(left).toBeGreaterThan(3_590_000);
    expect(left).toBeLessThanOrEqual(3_600_000);
    // secure is off in these specs only; the cookie's own spec has it on
    const cookie = /^sid=[\w-]{43}; Max-Age=(\d+); Path=\/; HttpOnly; SameSite=Strict$/;
    const [, maxAge] = cookie.exec(String(answer.headers['set-cookie'])) ?? [];
    expect(Number(maxAge)).toBeGreaterThanOrEqual(Math.floor(left / 1_000));
    expect(Number(maxAge)).toBeLessThanOrEqual(3_600);
    expect(JSON.stringify(answer.body)).not.toContain(cookieOf(answer).slice(4));
    expect(JSON.stringify(answer.body)).not.toMatch(/password|hash/i);
  });

  it('takes email as well, in any case, under the short path too', async () => {
    const answer = await send('POST', '/api/auth/login', { body: { email: email.toUpperCase(), password } });
    expect(answer.status).toBe(200);
    const sid = cookieOf(answer).slice(4);
    const record = await sessions.findOne({ SessionHash: hashSessionId(sid) });
    expect(record).toMatchObject({ UserID: admin?._id, CompanyID: adminCompany });
    expect(JSON.stringify(await sessions.find().toArray())).not.toContain(sid);
  });

  it('opens a new session whatever cookie came, and ends the one before', async () => {
    const fixed = 'A'.repeat(43);
    const first = await login({ email, password }, { cookie: `sid=${fixed}` });
    const second = await login({ email, password }, { cookie: cookieOf(first) });
    expect(new Set([fixed, cookieOf(first), cookieOf(second)]).size).toBe(3);
    const me = (cookie: string) => send('GET', '/api/v1/auth/me', { headers: { cookie } });
    expect((await me(`sid=${fixed}`)).status).toBe(401);
    expect((await me(cookieOf(first))).body.code).toBe('session_expired');
    expect((await me(cookieOf(second))).status).toBe(200);
  });

  it('gives one answer for a wrong password and an unknown user', async () => {
    const wrong = await login({ email, password: 'not the password' });
    const unknown = await login({ email: 'nobody@weft.test', password: 'not the password' });
    const shown = ({ status, headers, body }: Answer) => ({
      status,
      cookie: headers['set-cookie'],
      body: { ...body, requestId: null },
    });
    expect(shown(wrong)).toEqual(shown(unknown));
    expect(wrong).toMatchObject({ status: 401, body: { code: 'invalid_credentials' } });
    const entries = await audit.find({ action_type: 'login_failed' }).sort({ _id: 1 }).toArray();
    expect(entries.map(({ reason, UserEmail, outcome }) => ({ reason, UserEmail, outcome }))).toEqual([
      { reason: 'invalid_password', UserEmail: email, outcome: 'failure' },
      { reason: 'unknown_user', UserEmail: 'nobody@weft.test', outcome: 'failure' },
    ]);
  });

  it('refuses a deactivated user like a wrong password', async () => {
    const _id = newId();
    const own = { email: `${_id}@weft.test`, email_key: `${_id}@weft.test`, name: null, created_at: new Date() };
    await users.insertOne({
      ...own,
      _id,
      password_hash: admin?.password_hash ?? null,
      operator: false,
      company_roles: (admin?.company_roles ?? []).map((place) => ({ ...place, deactivated: true })),
      last_activity: null,
    });
    expect((await login({ email: own.email, password })).body.code).toBe('invalid_credentials');
  });

  it('closes the pair of account and address after five failures, right password or not', async () => {
    const guess = { email: 'guessed@weft.test', password: 'not the password' };
    const answers = await Promise.all(Array.from({ length: 6 }, () => login(guess)));
    expect(answers.map(({ status }) => status).sort()).toEqual([401, 401, 401, 401, 401, 429]);
    const closed = await login(guess);
    expect(closed).toMatchObject({ status: 429, body: { code: 'too_many_attempts', retryable: true } });
    expect(Number(closed.headers['retry-after'])).toBeGreaterThan(30);
    expect((await login({ email, password })).status).toBe(200);
  });

  it('counts the addresses of an IPv6 network as one: a customer has as many as they like', async () => {
    const guess = (address: string) =>
      login({ email: 'networked@weft.test', password: 'not the password' }, { 'x-forwarded-for': address });
    for (let n = 1; n <= 5; n += 1) expect((await guess(`2001:db8:1:2::${n}`)).status).toBe(401);
    expect((await guess('2001:db8:1:2:ffff::6')).status).toBe(429);
    expect((await guess('2001:db8:1:3::1')).status).toBe(401);
  });

  const bad: readonly [string, unknown, string][] = [
    ['no password', { email }, 'invalid_body'],
    ['no account', { password }, 'invalid_body'],
    ['two different accounts', { email, username: 'other@weft.test', password }, 'invalid_body'],
    ['an operator as account', { username: { $ne: null }, password: { $ne: null } }, 'invalid_body'],
    ['an unknown field', { email, password, admin: true }, 'unknown_field'],
    ['73 bytes of password', { email, password: 'ä'.repeat(37) }, 'password_too_long'],
    ['a megabyte of password', { email, password: 'x'.repeat(1_000_000) }, 'password_too_long'],
    ['a NUL in the password', { email, password: 'a\0b' }, 'invalid_body'],
  ];
  for (const [what, body, code] of bad) {
    it(`refuses ${what}`, async () => {
      expect(await login(body as object)).toMatchObject({ status: 400, body: { code } });
    });
  }

  it('leaves an audit entry with who, where and which request', async () => {
    const answer = await login({ email, password }, { 'x-request-id': 'login-1', 'user-agent': 'heron' });
    const entry = await audit.findOne({ request_id: 'login-1' });
    expect(entry).toMatchObject({
      action_type: 'login_succeeded',
      company_id: adminCompany,
      UserID: admin?._id,
      UserEmail: email,
      UserIPAddress: '127.0.0.1',
      outcome: 'success',
    });
    expect(JSON.stringify(entry)).not.toContain(cookieOf(answer).slice(4));
    expect(await sessions.findOne({ _id: entry?.resource_id ?? '' })).toMatchObject({ UserAgent: 'heron' });
  });
});

describe('signing out', () => {
  for (const path of ['/auth/logout', '/api/v1/auth/logout', '/api/auth/logout']) {
    it(`ends the session at once and clears the cookie at ${path}`, async () => {
      const one = await person('viewer');
      expect((await one.send('GET', '/api/v1/auth/me')).status).toBe(200);
      const answer = await one.send('POST', path);
      expect(answer).toMatchObject({ status: 204, body: '' });
      expect(answer.headers['set-cookie']).toBe('sid=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict');
      expect((await one.send('GET', '/api/v1/auth/me')).body.code).toBe('session_expired');
      expect(await sessions.countDocuments({ UserID: one.userId })).toBe(0);
      expect(await audit.countDocuments({ action_type: 'logout', UserID: one.userId })).toBe(1);
    });
  }

  it('is no error without a session', async () => {
    expect((await send('POST', '/auth/logout')).status).toBe(204);
    expect((await send('POST', '/auth/logout', { headers: { cookie: 'sid=x' } })).status).toBe(204);
  });
});

describe('a session in use', () => {
  const minutesAgo = (minutes: number): Date => new Date(Date.now() - minutes * 60_000);

  it('is renewed after a minute, with a new cookie, and not before', async () => {
    const one = await person('viewer');
    expect((await one.send('GET', '/api/v1/auth/me')).headers['set-cookie']).toBeUndefined();
    const two = await person('viewer');
    const old = {
      CreatedAt: minutesAgo(40),
      LastActivity: minutesAgo(40),
      ExpiresAt: new Date(Date.now() + 20 * 60_000),
    };
    await sessions.updateOne({ UserID: two.userId }, { $set: old });
    const answers = await Promise.all([1, 2, 3].map(() => two.send('GET', '/api/v1/auth/me')));
    const cookies = answers.map(({ headers }) => headers['set-cookie']).filter((cookie) => cookie !== undefined);
    expect(cookies).toHaveLength(1);
    expect(cookies[0]).toMatch(/^sid=[\w-]{43}; Max-Age=3600; /);
    const record = await sessions.findOne({ UserID: two.userId });
    expect(record?.ExpiresAt.getTime()).toBeGreaterThan(Date.now() + 59 * 60_000);
  });

  it('does not live past the absolute maximum', async () => {
    const one = await person('viewer');
    const created = minutesAgo(24 * 60 - 10);
    const old = { CreatedAt: created, LastActivity: minutesAgo(30), ExpiresAt: new Date(Date.now() + 5 * 60_000) };
    await sessions.updateOne({ UserID: one.userId }, { $set: old });
    const { headers } = await one.send('GET', '/api/v1/auth/me');
    expect(Number(/Max-Age=(\d+)/.exec(String(headers['set-cookie']))?.[1])).toBeLessThanOrEqual(600);
    const record = await sessions.findOne({ UserID: one.userId });
    expect(record?.ExpiresAt.getTime()).toBe(created.getTime() + 24 * 3_600_000);
  });
});
