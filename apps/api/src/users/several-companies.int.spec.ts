import type { Role } from '@weft/access';
import { USERS, type UserDocument } from '@weft/records';
import { describe, expect, it } from 'vitest';
import { liveApi, newId, textOf, type Answer, type Person } from '../../../../test/api/live-api.js';

const { mongo, send, person } = await liveApi();
const users = mongo.collection<UserDocument>(USERS);

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
  return new URL(textOf(answer.body.invite_url)).searchParams.get('token') ?? '';
}

describe('an address that has an account in another company', () => {
  it('gets an account of its own in this one, and the other stays as it is', async () => {
    const email = `${newId()}@weft.test`;
    const home = await invite(foreigner, { email, name: 'Ada' });
    await givePassword(home);
    const before = await users.findOne({ _id: textOf(home.body.id) });
    const made = await invite(admin, { email, name: 'Mallory' });
    expect(made).toMatchObject({ status: 201, body: { name: 'Mallory', state: 'invited' } });
    expect(made.body.company_roles).toEqual([place(admin, 'viewer')]);
    expect(made.body.id).not.toBe(home.body.id);
    expect(await users.findOne({ _id: textOf(home.body.id) })).toEqual(before);
    expect((await invite(admin, { email })).body.code).toBe('email_taken');
  });

  it('is reset and removed by each company for itself', async () => {
    const email = `${newId()}@weft.test`;
    const [home, here] = [await invite(foreigner, { email }), await invite(admin, { email })];
    for (const made of [home, here]) await givePassword(made);
    const path = `${PATH}/${textOf(here.body.id)}`;
    expect((await foreigner.send('POST', `${path}/password-reset`)).status).toBe(404);
    expect((await admin.send('POST', `${path}/password-reset`)).status).toBe(201);
    expect((await admin.send('DELETE', path)).status).toBe(204);
    expect((await users.findOne({ _id: textOf(home.body.id) }))?.password_hash).not.toBeNull();
  });
});

describe('an account with places in several companies', () => {
  const inBoth = async (): Promise<string> => {
    const { userId } = await person('viewer', foreigner.scope.companyId);
    const here = { company_id: admin.scope.companyId, role: 'viewer', group_ids: [] } as const;
    await users.updateOne({ _id: userId }, { $push: { company_roles: here }, $set: { password_hash: 'x' } });
    return userId;
  };

  it('cannot be reset or renamed by the admin of one of them, and an operator not by other admins', async () => {
    const id = await inBoth();
    const reset = await admin.send('POST', `${PATH}/${id}/password-reset`);
    expect(reset).toMatchObject({ status: 403, body: { code: 'denied' } });
    const renamed = await admin.send('PATCH', `${PATH}/${id}`, { body: { name: 'Mallory' } });
    expect(renamed).toMatchObject({ status: 403, body: { code: 'denied' } });
    expect((await users.findOne({ _id: id }))?.password_hash).not.toBeNull();

    const operator = await person('viewer', admin.scope.companyId);
    await users.updateOne({ _id: operator.userId }, { $set: { operator: true } });
    expect((await admin.send('POST', `${PATH}/${operator.userId}/password-reset`)).body.code).toBe('denied');
  });

  it('gets no further one by a change of its roles, also not from an admin of both', async () => {
    const boss = await person('admin');
    const two = { company_id: foreigner.scope.companyId, role: 'admin', group_ids: [] } as const;
    await users.updateOne({ _id: boss.userId }, { $push: { company_roles: two } });
    const prepared = await invite(boss, { password: 'seven grey herons' });
    const body = { roles: [place(boss, 'viewer'), place(foreigner, 'admin')] };
    const refused = await boss.send('PATCH', `${PATH}/${textOf(prepared.body.id)}`, { body });
    expect(refused).toMatchObject({
      status: 422,
      body: { code: 'unknown_id', errors: [{ path: 'roles.1.company_id' }] },
    });
  });

  it('is not opened by a link from before the last of them', async () => {
    const made = await invite(admin);
    const there = { company_id: foreigner.scope.companyId, role: 'admin', group_ids: [] } as const;
    await users.updateOne({ _id: textOf(made.body.id) }, { $push: { company_roles: there } });
    const body = { token: tokenOf(made), password: 'seven grey herons' };
    const accept = () => send('POST', '/api/v1/auth/password/accept', { body });
    expect(await accept()).toMatchObject({ status: 401, body: { code: 'token_invalid' } });
    await users.updateOne(
      { _id: textOf(made.body.id) },
      { $pull: { company_roles: { company_id: there.company_id } } },
    );
    expect((await accept()).status).toBe(401);
    expect((await users.findOne({ _id: textOf(made.body.id) }))?.password_hash).toBeNull();
  });
});
