import { AUDIT_LOGS, type AuditDocument } from '@weft/store';
import {
  API_KEYS,
  ONE_TIME_LINKS,
  SESSIONS,
  USERS,
  type ApiKeyDocument,
  type OneTimeLinkDocument,
  type SessionDocument,
  type UserDocument,
} from '@weft/records';
import type { Role } from '@weft/access';
import { TEST_ADMIN } from '@weft/testing';
import { describe, expect, it } from 'vitest';
import { liveApi, newId, textOf, type Answer, type Person } from '../../../../test/api/live-api.js';

const { mongo, send, person } = await liveApi();
const users = mongo.collection<UserDocument>(USERS);
const sessions = mongo.collection<SessionDocument>(SESSIONS);
const audit = mongo.collection<AuditDocument>(AUDIT_LOGS);

const admin = await person('admin');
const foreigner = await person('admin');
const PATH = '/api/v1/users';

function place(who: Person, role: Role) {
  return { company_id: who.scope.companyId, role };
}

function invite(by: Person, body: object = {}): Promise<Answer> {
  return by.send('POST', PATH, { body: { email: `${newId()}@weft.test`, roles: [place(by, 'viewer')], ...body } });
}

/** As if the user had chosen one: bcrypt's third of a second is for where it matters. */
async function givePassword(made: Answer): Promise<void> {
  await users.updateOne({ _id: textOf(made.body.id) }, { $set: { password_hash: '$2b$12$of-nobody' } });
}

function tokenOf(answer: Answer): string {
  return new URL(textOf(answer.body.invite_url ?? answer.body.reset_url)).searchParams.get('token') ?? '';
}

describe('an invited user', () => {
  it('is told of with the link, once, and signs in after following it', async () => {
    const email = `${newId()}@Weft.Test`;
    const made = await invite(admin, { email, name: 'Ada' });
    const id = textOf(made.body.id);
    expect(made).toMatchObject({ status: 201, headers: { location: `${PATH}/${id}` } });
    expect(made.body).toMatchObject({
      email,
      name: 'Ada',
      state: 'invited',
      company_roles: [place(admin, 'viewer')],
      operator: false,
      last_activity: null,
    });
    const token = tokenOf(made);
    expect(textOf(made.body.invite_url)).toMatch(/^http:\/\/localhost:\d+\/invite\?token=[\w-]{43}$/);
    expect((await admin.send('GET', `${PATH}/${id}`)).body).not.toHaveProperty('invite_url');
    expect(JSON.stringify(await mongo.collection(ONE_TIME_LINKS).find().toArray())).not.toContain(token);
    expect(JSON.stringify(await audit.find({ resource_id: id }).toArray())).not.toContain(token);

    const accept = (password: string) => send('POST', '/api/v1/auth/password/accept', { body: { token, password } });
    expect((await accept('too short')).body.code).toBe('weak_password');
    const both = await Promise.all([accept('seven grey herons'), accept('eight grey herons')]);
    expect(both.map(({ status }) => status).sort()).toEqual([204, 401]);
    expect((await accept('seven grey herons')).body.code).toBe('token_invalid');
    const password = both[0]?.status === 204 ? 'seven grey herons' : 'eight grey herons';
    const signedIn = await send('POST', '/api/v1/auth/login', { body: { username: email.toLowerCase(), password } });
    expect(signedIn).toMatchObject({ status: 200, body: { roles: ['viewer'], user: { id, state: 'active' } } });
  });

  it('cannot follow a link after 72 hours, although the record is still there', async () => {
    const made = await invite(admin);
    const links = mongo.collection<OneTimeLinkDocument>(ONE_TIME_LINKS);
    const link = await links.findOne({ user_id: textOf(made.body.id) });
    expect(Number(link?.expires_at) - Number(link?.created_at)).toBe(72 * 3_600_000);
    // as far in the past as the server's own sweep, once a minute, may leave it
    await links.updateOne({ _id: link?._id }, { $set: { expires_at: new Date(Date.now() - 1) } });
    const body = { token: tokenOf(made), password: 'seven grey herons' };
    expect((await send('POST', '/api/v1/auth/password/accept', { body })).body.code).toBe('token_invalid');
  });

  it('with a password from the admin needs no link, and a weak one is refused', async () => {
    expect((await invite(admin, { password: 'Password1234!' })).body.code).toBe('weak_password');
    const strong = await invite(admin, { password: 'seven grey herons' });
    expect(strong.body).toMatchObject({ state: 'active' });
    expect(strong.body).not.toHaveProperty('invite_url');
  });

  it('names at least one company, each of which the admin administers', async () => {
    const body = { email: `${newId()}@weft.test` };
    const without = await admin.send('POST', PATH, { body: { ...body, roles: [] } });
    expect(without).toMatchObject({ status: 400, body: { code: 'invalid_body' } });
    const roles = [{ company_id: newId(), role: 'viewer' }];
    expect(await admin.send('POST', PATH, { body: { ...body, roles } })).toMatchObject({ status: 404 });
    expect(await users.countDocuments({ email: body.email })).toBe(0);
  });

  it('has the role none in the company of the admin when none is given', async () => {
    const { status, body } = await admin.send('POST', PATH, { body: { email: `${newId()}@weft.test` } });
    expect([status, body.company_roles]).toEqual([201, [place(admin, 'none')]]);
  });

  it('has an address that can be read as it is', async () => {
    for (const email of [
      'ad\u200bmin@weft.test',
      'vic\u034ftim@weft.test',
      'victim@weft\u3002test',
      'admin@weft.test\u202e',
      'admin@weft.test\0',
      'ad min@weft.test',
    ]) {
      expect(await invite(admin, { email })).toMatchObject({ status: 400, body: { code: 'invalid_body' } });
    }
  });

  it('is one user, of however many invitations at once', async () => {
    const email = `${newId()}@weft.test`;
    const answers = await Promise.all([1, 2, 3].map(() => invite(admin, { email })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body.code).toBe('email_taken');
    expect(await users.countDocuments({ email_key: email })).toBe(1);
  });
});

describe('an admin', () => {
  it('finds the users of the own company, by name, role and state', async () => {
    const boss = await person('admin');
    const ada = (await invite(boss, { name: 'Ada (night)', email: `ada-${newId()}@weft.test` })).body;
    const bob = (await invite(boss, { roles: [place(boss, 'flow_editor')] })).body;
    await boss.send('PATCH', `${PATH}/${textOf(bob.id)}`, { body: { active: false } });
    const found = async (query: string) =>
      ((await boss.send('GET', `${PATH}${query}`)).body.items as unknown as { id: string }[]).map(({ id }) => id);
    expect(await found('')).toEqual([bob.id, ada.id, boss.userId]);
    expect(await found('?q=A%20(NIGHT')).toEqual([ada.id]);
    expect(await found('?q=.')).toHaveLength(3);
    expect(await found('?role=flow_editor')).toEqual([bob.id]);
    expect(await found('?state=invited')).toEqual([ada.id]);
    expect(await found('?state=active')).toEqual([boss.userId]);
    expect(await found('?state=deactivated')).toEqual([bob.id]);
    expect((await boss.send('GET', `${PATH}?role=king`)).body.code).toBe('invalid_query');
  });

  it('finds and changes nothing and nobody of another company', async () => {
    const victim = await person('admin', foreigner.scope.companyId);
    const calls: readonly [string, string, object?][] = [
      ['GET', ''],
      ['PATCH', '', { active: false }],
      ['DELETE', ''],
      ['POST', '/password-reset'],
      ['GET', '/activity'],
    ];
    const before = await users.findOne({ _id: victim.userId });
    for (const [method, path, body] of calls) {
      for (const id of [victim.userId, newId(), 'no-id']) {
        const answer = await admin.send(method, `${PATH}/${id}${path}`, { body });
        expect(answer, `${method} ${path}`).toMatchObject({ status: 404, body: { code: 'not_found' } });
      }
    }
    const own = await person('viewer', admin.scope.companyId);
    for (const companyId of [foreigner.scope.companyId, newId()]) {
      const roles = [{ company_id: companyId, role: 'admin' }];
      expect((await invite(admin, { roles })).status).toBe(404);
      expect((await invite(admin, { roles: [place(admin, 'viewer'), ...roles] })).status).toBe(404);
      expect((await admin.send('PATCH', `${PATH}/${own.userId}`, { body: { roles } })).status).toBe(404);
    }
    expect(await users.findOne({ _id: victim.userId })).toEqual(before);
  });

  it('gives roles in every company that they administer, and sees those only', async () => {
    const boss = await person('admin');
    const both = [place(boss, 'viewer'), place(foreigner, 'flow_editor')];
    const two = { company_id: foreigner.scope.companyId, role: 'admin', group_ids: [] } as const;
    await users.updateOne({ _id: boss.userId }, { $push: { company_roles: two } });
    const made = await invite(boss, { roles: both });
    expect(made).toMatchObject({ status: 201, body: { company_roles: both } });
    const id = textOf(made.body.id);
    expect((await foreigner.send('GET', `${PATH}/${id}`)).body.company_roles).toEqual([
      place(foreigner, 'flow_editor'),
    ]);
    expect((await invite(boss, { roles: [...both, place(boss, 'admin')] })).body.code).toBe('invalid_body');
    const { token } = (await boss.send('POST', '/api/v1/admin/api-keys', { body: { name: 'k', scope: 'admin' } })).body;
    const byKey = await send('PATCH', `${PATH}/${id}`, {
      body: { roles: [place(foreigner, 'admin')] },
      headers: { authorization: `Bearer ${textOf(token)}` },
    });
    expect(byKey.status).toBe(404);
  });

  it('lets an audit viewer look, and nobody else', async () => {
    const auditor = await person('audit_viewer', admin.scope.companyId);
    expect((await auditor.send('GET', `${PATH}/${admin.userId}`)).body).toMatchObject({
      id: admin.userId,
      company_roles: [place(admin, 'admin')],
    });
    expect((await invite(auditor, { roles: [place(admin, 'admin')] })).body.code).toBe('denied');
    const editor = await person('flow_editor', admin.scope.companyId);
    expect((await editor.send('GET', PATH)).body.code).toBe('denied');
  });
});

describe('a right that is taken away', () => {
  const isIn = async (who: Person) => (await who.send('GET', '/api/v1/auth/me')).status;
  const change = (who: Person, body: object) => admin.send('PATCH', `${PATH}/${who.userId}`, { body });

  it('ends the sessions in that company, one that is added does not', async () => {
    const cases: readonly [Role, Role, number][] = [
      ['viewer', 'flow_executor', 200],
      ['viewer', 'audit_viewer', 200],
      ['flow_editor', 'viewer', 401],
      ['audit_viewer', 'flow_editor', 401],
      ['viewer', 'none', 401],
    ];
    for (const [before, after, status] of cases) {
      const one = await person(before, admin.scope.companyId);
      expect(await isIn(one)).toBe(200);
      expect((await change(one, { roles: [place(admin, after)] })).body.company_roles).toEqual([place(admin, after)]);
      expect(await isIn(one), `${before} to ${after}`).toBe(status);
    }
  });

  it('leaves the sessions and rights in other companies alone', async () => {
    const one = await person('viewer', foreigner.scope.companyId);
    const here = { company_id: admin.scope.companyId, role: 'viewer', group_ids: [] } as const;
    await users.updateOne({ _id: one.userId }, { $push: { company_roles: here } });
    expect((await change(one, { active: false })).body).toMatchObject({ state: 'deactivated' });
    expect(await isIn(one)).toBe(200);
    expect((await foreigner.send('GET', `${PATH}/${one.userId}`)).body.state).toBe('active');
    expect(
      (await one.send('POST', '/api/v1/auth/switch-company', { body: { company_id: here.company_id } })).status,
    ).toBe(404);
    expect((await admin.send('DELETE', `${PATH}/${one.userId}`)).status).toBe(204);
    expect((await admin.send('DELETE', `${PATH}/${one.userId}`)).status).toBe(404);
    expect(await isIn(one)).toBe(200);
  });

  it('with a deactivation stops the keys too, until the user is let in again', async () => {
    const one = await person('admin', admin.scope.companyId);
    const { token } = (await one.send('POST', '/api/v1/admin/api-keys', { body: { name: 'k' } })).body;
    const byKey = async () =>
      (await send('GET', '/api/v1/auth/me', { headers: { authorization: `Bearer ${textOf(token)}` } })).status;
    expect(await byKey()).toBe(200);
    await change(one, { active: false });
    expect([await isIn(one), await byKey()]).toEqual([401, 401]);
    await change(one, { active: true });
    expect([await isIn(one), await byKey()]).toEqual([401, 200]);
    const entries = await audit.find({ resource_id: one.userId }).sort({ _id: 1 }).toArray();
    expect(entries.map(({ action_type }) => action_type)).toEqual(['user_deactivated', 'user_reactivated']);
  });

  it('with the last place takes the account, and its keys for good', async () => {
    const one = await person('admin', admin.scope.companyId);
    const { id } = (await one.send('POST', '/api/v1/admin/api-keys', { body: { name: 'k' } })).body;
    expect((await admin.send('DELETE', `${PATH}/${one.userId}`)).status).toBe(204);
    expect(await users.findOne({ _id: one.userId })).toBeNull();
    const key = await mongo.collection<ApiKeyDocument>(API_KEYS).findOne({ _id: textOf(id) });
    expect(key?.revoked_at).not.toBeNull();
    expect(await isIn(one)).toBe(401);
  });

  it('by a password reset leaves no session and no password, and one link', async () => {
    const made = await invite(admin);
    await givePassword(made);
    const id = textOf(made.body.id);
    const first = await admin.send('POST', `${PATH}/${id}/password-reset`);
    const second = await admin.send('POST', `${PATH}/${id}/password-reset`);
    expect(second).toMatchObject({ status: 201 });
    expect((await users.findOne({ _id: id }))?.password_hash).toBeNull();
    expect(await sessions.countDocuments({ UserID: id })).toBe(0);
    const accept = async (answer: Answer) =>
      (
        await send('POST', '/api/v1/auth/password/accept', {
          body: { token: tokenOf(answer), password: 'nine grey herons' },
        })
      ).status;
    expect([await accept(first), await accept(second)]).toEqual([401, 204]);
  });
});

describe('the last admin of a company', () => {
  it('can be neither lowered, deactivated nor removed, whoever asks', async () => {
    const boss = await person('admin');
    await invite(boss, { roles: [place(boss, 'admin')] }); // invited only: nobody who could come in
    const answers = [
      await boss.send('PATCH', `${PATH}/${boss.userId}`, { body: { roles: [place(boss, 'viewer')] } }),
      await boss.send('PATCH', `${PATH}/${boss.userId}`, { body: { active: false } }),
      await boss.send('DELETE', `${PATH}/${boss.userId}`),
    ];
    for (const answer of answers) expect(answer).toMatchObject({ status: 409, body: { code: 'last_admin' } });
    expect((await boss.send('GET', '/api/v1/auth/me')).body.roles).toEqual(['admin']);
  });

  it('is left when two admins lower each other at once', async () => {
    for (let round = 0; round < 5; round += 1) {
      const one = await person('admin');
      const two = await person('admin', one.scope.companyId);
      const lower = (by: Person, whom: Person) =>
        by.send('PATCH', `${PATH}/${whom.userId}`, { body: { roles: [place(one, 'viewer')] } });
      const answers = await Promise.all([lower(one, two), lower(two, one)]);
      const left = await users.countDocuments({
        company_roles: { $elemMatch: { company_id: one.scope.companyId, role: 'admin' } },
      });
      expect(left).toBe(1);
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    }
  });
});

describe('the last operator of the installation', () => {
  it('cannot be kept out by another admin of the company, until there is another operator', async () => {
    await users.updateMany({ email: { $ne: TEST_ADMIN.email } }, { $set: { operator: false } });
    const operator = await users.findOne({ email: TEST_ADMIN.email });
    const path = `${PATH}/${operator?._id}`;
    const other = await person('admin', operator?.company_roles[0]?.company_id);
    const keepOut = { body: { active: false } };
    const last = { status: 409, body: { code: 'last_admin' } };
    expect(await other.send('PATCH', path, keepOut)).toMatchObject(last);
    expect(await other.send('DELETE', path)).toMatchObject(last);
    await users.updateOne({ _id: other.userId }, { $set: { operator: true } });
    expect((await other.send('PATCH', path, keepOut)).status).toBe(200);
  });
});

describe('the activity of a user', () => {
  it('is what they did in this company, for auditors', async () => {
    const boss = await person('admin');
    const auditor = await person('audit_viewer', boss.scope.companyId);
    const made = await invite(boss);
    const { body } = await auditor.send('GET', `${PATH}/${boss.userId}/activity?size=1`);
    expect(body).toMatchObject({
      size: 1,
      total: 2,
      items: [{ action_type: 'user_created', UserID: boss.userId, resource_id: made.body.id, outcome: 'success' }],
    });
    await audit.updateMany(
      { UserID: boss.userId },
      { $set: { timestamp: new Date(Date.now() - 31 * 24 * 3_600_000) } },
    );
    const old = await auditor.send('GET', `${PATH}/${boss.userId}/activity`);
    expect(JSON.stringify(old.body)).not.toMatch(/127\.0\.0\.1|@weft\.test"/);
    const viewer = await person('viewer', boss.scope.companyId);
    expect((await viewer.send('GET', `${PATH}/${boss.userId}/activity`)).body.code).toBe('denied');
  });
});
