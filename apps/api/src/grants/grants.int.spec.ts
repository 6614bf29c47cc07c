import { AUDIT_LOGS, type AuditDocument } from '@weft/store';
import { USERS, type UserDocument } from '@weft/records';
import { InvalidationBus } from '@weft/realtime-bus';
import { describe, expect, it } from 'vitest';
import { liveApi, newId, textOf, type Answer, type Person } from '../../../../test/api/live-api.js';

const { app, mongo, person } = await liveApi();
const admin = await person('admin');
const { companyId } = admin.scope;
const editor = await person('flow_editor', companyId);
const GRANTS = '/api/v1/access/grants';

async function made(by: Person, path: string, body: object): Promise<string> {
  const answer = await by.send('POST', path, { body });
  expect(answer.status).toBe(201);
  return textOf(answer.body.id);
}

const newFlow = (over: object = {}): Promise<string> =>
  made(editor, '/api/v1/flows', { name: 'Secret', restricted: true, ...over });

interface Grant {
  readonly on: readonly [type: string, id: string];
  readonly to: readonly [type: string, id: string];
  readonly permissions?: readonly string[];
}

function grant(by: Person, { on, to, permissions = ['read'] }: Grant): Promise<Answer> {
  const [resource_type, resource_id] = on;
  const [grant_type, grantee_id] = to;
  return by.send('POST', '/api/v1/access/grant', {
    body: { resource_type, resource_id, grant_type, grantee_id, permissions },
  });
}

/** Somebody without a role, and a group with that one member. */
async function outsider(): Promise<Person & { readonly groupId: string }> {
  const someone = await person('none', companyId);
  const groupId = newId();
  await mongo.collection<{ _id: string }>('groups').insertOne({ _id: groupId, company_id: companyId } as never);
  const joined = { $set: { 'company_roles.0.group_ids': [groupId] } };
  await mongo.collection<UserDocument>(USERS).updateOne({ _id: someone.userId }, joined);
  return { ...someone, groupId };
}

const statusOf = async (by: Person, method: string, path: string, body?: unknown): Promise<number> =>
  (await by.send(method, path, { body })).status;

async function seen(by: Person): Promise<string[]> {
  const { body } = await by.send('GET', '/api/v1/flows?size=200');
  return (body.items as unknown as { id: string }[]).map(({ id }) => id);
}

describe('a grant', () => {
  it('is shown under both spellings of its names, and recorded', async () => {
    const flowId = await newFlow();
    const viewer = await person('viewer', companyId);
    const { status, body, headers } = await grant(admin, {
      on: ['flow', flowId],
      to: ['user', viewer.userId],
      permissions: ['edit', 'read'],
    });
    const id = textOf(body.id);
    expect({ status, body, location: headers.location }).toEqual({
      status: 201,
      location: `${GRANTS}/${id}`,
      body: {
        ...{ id, ID: id, CompanyID: companyId, ResourceType: 'flow', ResourceID: flowId, GrantType: 'user' },
        ...{ GranteeID: viewer.userId, Permissions: ['read', 'edit'], CreatedBy: admin.userId },
        CreatedAt: expect.stringMatching(/Z$/) as string,
      },
    });
    const listed = (await admin.send('GET', `${GRANTS}?resource_id=${flowId}`)).body;
    expect(listed).toMatchObject({ items: [body], total: 1 });
    const entry = await mongo.collection<AuditDocument>(AUDIT_LOGS).findOne({ resource_id: id });
    expect(entry).toMatchObject({
      action_type: 'grant_created',
      company_id: companyId,
      UserID: admin.userId,
      changes: { Permissions: { before: null, after: ['read', 'edit'] }, GranteeID: { after: viewer.userId } },
    });
  });

  it('given again is the same one with the new permissions, also by many at once', async () => {
    const flowId = await newFlow();
    const { userId } = await person('viewer', companyId);
    const give = (...permissions: string[]) =>
      grant(admin, { on: ['flow', flowId], to: ['user', userId], permissions });
    const answers = await Promise.all([give('read'), give('read'), give('read'), give('read')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 201]);
    expect(new Set(answers.map(({ body }) => textOf(body.id))).size).toBe(1);
    const again = await give('delete', 'execute');
    expect(again).toMatchObject({ status: 200, body: { id: answers[0]?.body.id, Permissions: ['execute', 'delete'] } });
    const actions = await mongo
      .collection<AuditDocument>(AUDIT_LOGS)
      .find({ resource_id: textOf(again.body.id) })
      .sort({ _id: 1 })
      .toArray();
    expect(actions.map(({ action_type }) => action_type)).toEqual(['grant_created', 'grant_updated']);
  });

  it('to a user without a role opens exactly that flow, to read, to run, and nothing when it is taken back', async () => {
    const flowId = await newFlow();
    const other = await newFlow({ restricted: false });
    const someone = await outsider();
    const path = `/api/v1/flows/${flowId}`;
    expect([await seen(someone), await statusOf(someone, 'GET', path)]).toEqual([[], 403]);

    const { body } = await grant(admin, { on: ['flow', flowId], to: ['user', someone.userId] });
    expect([await seen(someone), await statusOf(someone, 'GET', path)]).toEqual([[flowId], 200]);
    expect(await statusOf(someone, 'GET', `/api/v1/flows/${other}`)).toBe(403);
    expect(await statusOf(someone, 'POST', `${path}/run`, {})).toBe(403);

    await grant(admin, { on: ['flow', flowId], to: ['user', someone.userId], permissions: ['read', 'execute'] });
    const run = await someone.send('POST', `${path}/run`, { body: {} });
    expect(run.status).toBe(202);
    const plays = (await someone.send('GET', '/api/v1/plays')).body;
    expect(plays.items).toMatchObject([{ id: run.body.playId, flowId }]);
    expect(await statusOf(someone, 'PUT', path, { name: 'mine' })).toBe(403);

    expect(await statusOf(admin, 'DELETE', `${GRANTS}/${textOf(body.id)}`)).toBe(204);
    expect([await seen(someone), await statusOf(someone, 'GET', path)]).toEqual([[], 403]);
    expect((await someone.send('GET', '/api/v1/plays')).body.total).toBe(0);
    expect(await statusOf(someone, 'GET', `/api/v1/plays/${textOf(run.body.playId)}`)).toBe(403);
    expect(await statusOf(admin, 'DELETE', `${GRANTS}/${textOf(body.id)}`)).toBe(404);
  });

  it('to a group opens the flow to its members while they are in it', async () => {
    const flowId = await newFlow();
    const member = await outsider();
    await grant(admin, { on: ['flow', flowId], to: ['group', member.groupId], permissions: ['edit'] });
    const rename = () => statusOf(member, 'PUT', `/api/v1/flows/${flowId}`, { name: 'renamed' });
    expect(await rename()).toBe(200);
    expect(await seen(member)).toEqual([]);
    await mongo
      .collection<UserDocument>(USERS)
      .updateOne({ _id: member.userId }, { $set: { 'company_roles.0.group_ids': [] } });
    app.get(InvalidationBus).publish({ kind: 'user', id: member.userId });
    expect(await rename()).toBe(403);
  });

  it('on a flow group opens the flows that are in it, as long as they are', async () => {
    const groupId = await made(editor, '/api/v1/flow-groups', { name: 'Intake' });
    const [inside, outside] = [await newFlow({ groupId }), await newFlow()];
    const someone = await outsider();
    await grant(admin, { on: ['flow_group', groupId], to: ['user', someone.userId], permissions: ['read', 'delete'] });
    expect(await seen(someone)).toEqual([inside]);
    expect(await statusOf(someone, 'DELETE', `/api/v1/flows/${outside}`)).toBe(403);
    await editor.send('PUT', `/api/v1/flows/${inside}`, { body: { groupId: null } });
    await editor.send('PUT', `/api/v1/flows/${outside}`, { body: { groupId } });
    expect(await seen(someone)).toEqual([outside]);
    expect(await statusOf(someone, 'DELETE', `/api/v1/flows/${inside}`)).toBe(403);
    expect(await statusOf(someone, 'DELETE', `/api/v1/flows/${outside}`)).toBe(204);
  });

  it('lets its user control the plays that the user started, and no others', async () => {
    const flowId = await newFlow();
    const someone = await outsider();
    await grant(admin, { on: ['flow', flowId], to: ['user', someone.userId], permissions: ['read', 'execute'] });
    const start = async (by: Person): Promise<string> => {
      const { body } = await by.send('POST', `/api/v1/flows/${flowId}/run`, { body: { delayMs: 3_600_000 } });
      return textOf(body.playId);
    };
    const [mine, theirs] = [await start(someone), await start(editor)];
    expect(await statusOf(someone, 'POST', `/api/v1/plays/${theirs}/cancel`)).toBe(403);
    expect(await statusOf(someone, 'POST', `/api/v1/plays/${mine}/cancel`)).toBe(200);
  });
});

describe('grants are given', () => {
  it('by admins and by whoever made the thing, by nobody else', async () => {
    const flowId = await newFlow();
    const { userId } = await person('viewer', companyId);
    const order: Grant = { on: ['flow', flowId], to: ['user', userId] };
    const given = await grant(editor, order);
    expect(given.status).toBe(201);
    const colleague = await person('flow_editor', companyId);
    expect((await grant(colleague, order)).body).toMatchObject({ status: 403, code: 'denied' });
    expect(await statusOf(colleague, 'DELETE', `${GRANTS}/${textOf(given.body.id)}`)).toBe(403);
    expect((await colleague.send('GET', GRANTS)).body.total).toBe(0);
    const mine = (await editor.send('GET', `${GRANTS}?resource_type=flow&grantee_id=${userId}`)).body;
    expect(mine).toMatchObject({ items: [{ id: given.body.id }], total: 1 });
    expect(await statusOf(editor, 'DELETE', `${GRANTS}/${textOf(given.body.id)}`)).toBe(204);
  });

  it('by a creator only while the creator has a role', async () => {
    const former = await person('flow_editor', companyId);
    const flowId = await made(former, '/api/v1/flows', { name: 'Left behind' });
    const { body } = await grant(former, { on: ['flow', flowId], to: ['user', editor.userId] });
    await mongo
      .collection<UserDocument>(USERS)
      .updateOne({ _id: former.userId }, { $set: { 'company_roles.0.role': 'none' } });
    app.get(InvalidationBus).publish({ kind: 'user', id: former.userId });
    expect((await grant(former, { on: ['flow', flowId], to: ['user', former.userId] })).status).toBe(403);
    expect((await former.send('GET', GRANTS)).body.total).toBe(0);
    expect(await statusOf(former, 'DELETE', `${GRANTS}/${textOf(body.id)}`)).toBe(403);
  });

  it('on flows, flow groups and integration links', async () => {
    const { userId } = await person('viewer', companyId);
    const things = [
      ['flow', await newFlow()],
      ['flow_group', await made(editor, '/api/v1/flow-groups', { name: 'Kept' })],
      ['integration', await made(admin, '/api/v1/integrations', { type: 'chat', name: 'Ours', access_token: 'x' })],
    ] as const;
    for (const on of things) {
      expect((await grant(admin, { on, to: ['user', userId] })).status, on[0]).toBe(201);
    }
    const listed = (await admin.send('GET', `${GRANTS}?grantee_id=${userId}`)).body.items;
    expect(listed).toMatchObject(things.toReversed().map(([type, id]) => ({ ResourceType: type, ResourceID: id })));
  });

  it('on what the company has, to whom it has', async () => {
    const flowId = await newFlow();
    const stranger = await person('admin');
    const theirs = await made(stranger, '/api/v1/flows', { name: 'Theirs' });
    const to = ['user', editor.userId] as const;
    for (const on of [
      ['flow', theirs],
      ['flow', 'none'],
      ['flow_group', flowId],
      ['integration', flowId],
    ] as const) {
      expect((await grant(admin, { on, to })).body, on.join()).toMatchObject({ status: 404, code: 'not_found' });
    }
    for (const grantee of [
      ['user', stranger.userId],
      ['user', 'none'],
      ['group', editor.userId],
    ] as const) {
      const { body } = await grant(admin, { on: ['flow', flowId], to: grantee });
      expect(body, grantee.join()).toMatchObject({
        status: 422,
        code: 'unknown_id',
        errors: [{ path: 'grantee_id', code: 'unknown_id' }],
      });
    }
    const { body } = await grant(admin, { on: ['flow', flowId], to });
    expect(await statusOf(stranger, 'DELETE', `${GRANTS}/${textOf(body.id)}`)).toBe(404);
    expect((await stranger.send('GET', GRANTS)).body.total).toBe(0);
  });

  it('and a restricted flow opened to all, not by who may only edit it', async () => {
    const flowId = await newFlow();
    const guest = await outsider();
    await grant(editor, { on: ['flow', flowId], to: ['user', guest.userId], permissions: ['read', 'edit'] });
    const change = (by: Person, body: object) => statusOf(by, 'PUT', `/api/v1/flows/${flowId}`, body);
    expect(await change(guest, { name: 'Renamed', restricted: true })).toBe(200);
    expect(await change(guest, { restricted: false })).toBe(403);
    expect(await change(editor, { restricted: false })).toBe(200);
  });

  it('on a flow group only as far as the role of whoever made it reaches', async () => {
    const groupId = await made(editor, '/api/v1/flow-groups', { name: 'Trap' });
    const order = { on: ['flow_group', groupId], to: ['user', editor.userId] } as const;
    const all = { ...order, permissions: ['read', 'execute', 'edit', 'delete'] };
    expect((await grant(editor, all)).body).toMatchObject({ status: 403, code: 'denied' });
    expect((await grant(editor, { ...order, permissions: ['read', 'edit'] })).status).toBe(201);
    expect((await grant(admin, all)).status).toBe(200);
  });

  it('on a flow group to flows only by who has as much on the flow', async () => {
    const groupId = await made(editor, '/api/v1/flow-groups', { name: 'Theirs to delete' });
    await grant(admin, { on: ['flow_group', groupId], to: ['user', editor.userId], permissions: ['delete'] });
    const [of, mine] = [await made(admin, '/api/v1/flows', { name: 'Of the admin' }), await newFlow()];
    const enter = (by: Person, flowId: string) => statusOf(by, 'PUT', `/api/v1/flows/${flowId}`, { groupId });
    expect([await enter(editor, of), await enter(editor, mine)]).toEqual([403, 200]);
    expect(await statusOf(editor, 'DELETE', `/api/v1/flows/${of}`)).toBe(403);
    expect(await enter(admin, of)).toBe(200);
    expect(await statusOf(editor, 'DELETE', `/api/v1/flows/${of}`)).toBe(204);
  });

  it('with at least one permission, each a known one', async () => {
    const order = { on: ['flow', 'x'], to: ['user', 'y'] } as const;
    for (const permissions of [[], ['run'], ['read', 'read'], ['read', 7]]) {
      const { body } = await grant(admin, { ...order, permissions: permissions as string[] });
      expect(body, JSON.stringify(permissions)).toMatchObject({ status: 400, code: 'invalid_body' });
    }
    expect((await grant(admin, { ...order, on: ['play', 'x'] })).body.code).toBe('invalid_body');
  });
});
