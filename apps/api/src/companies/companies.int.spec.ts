import { AUDIT_LOGS, SystemScope, type AuditDocument } from '@weft/store';
import {
  COMPANIES,
  GRANTS,
  SESSIONS,
  StatsCounters,
  StatsRepository,
  UsageCounters,
  USERS,
  type CompanyDocument,
  type SessionDocument,
  type UserDocument,
} from '@weft/records';
import { describe, expect, it, vi } from 'vitest';
import { liveApi, newId, textOf, type Person } from '../../../../test/api/live-api.js';

const { mongo, send, person } = await liveApi();
const users = mongo.collection<UserDocument>(USERS);
const audit = mongo.collection<AuditDocument>(AUDIT_LOGS);
const ALL = new SystemScope('spec');
/** What is in memory until it is read again. */
const WITHIN = { timeout: 60_000 };
const COMPANIES_PATH = '/api/v1/companies';
const GROUPS_PATH = '/api/v1/groups';

async function operator(): Promise<Person> {
  const one = await person('admin');
  await users.updateOne({ _id: one.userId }, { $set: { operator: true } });
  return one;
}

const op = await operator();
const admin = await person('admin');

describe('a company', () => {
  it('is made by an operator, who is its admin and finds it empty', async () => {
    const made = await op.send('POST', COMPANIES_PATH, { body: { name: 'Heron Works' } });
    const id = textOf(made.body.id);
    expect(made).toMatchObject({ status: 201, headers: { location: `${COMPANIES_PATH}/${id}` } });
    expect(made.body).toMatchObject({ name: 'Heron Works', active: true });
    const moved = await op.send('POST', '/api/v1/auth/switch-company', { body: { company_id: id } });
    expect(moved.body.roles).toEqual(['admin']);
    const headers = { cookie: String(moved.headers['set-cookie']).split(';')[0] ?? '' };
    expect((await send('GET', '/api/v1/flows', { headers })).body.total).toBe(0);
    expect((await send('GET', '/api/v1/users', { headers })).body).toMatchObject({
      total: 1,
      items: [{ id: op.userId }],
    });
  });

  it('is not made by an admin who is no operator', async () => {
    const answer = await admin.send('POST', COMPANIES_PATH, { body: { name: 'x' } });
    expect(answer).toMatchObject({ status: 403, body: { code: 'operator_required' } });
  });

  it('is listed to those who belong to it, and to operators', async () => {
    const viewer = await person('viewer', admin.scope.companyId);
    const list = await viewer.send('GET', COMPANIES_PATH);
    expect(list.body).toMatchObject({ total: 1, items: [{ id: admin.scope.companyId }] });
    const boss = await operator();
    expect(Number((await boss.send('GET', COMPANIES_PATH)).body.total)).toBeGreaterThan(2);
    expect((await boss.send('GET', `${COMPANIES_PATH}/${admin.scope.companyId}`)).status).toBe(200);
    for (const id of [boss.scope.companyId, newId(), 'x']) {
      expect((await viewer.send('GET', `${COMPANIES_PATH}/${id}`)).status, id).toBe(404);
      expect((await admin.send('PATCH', `${COMPANIES_PATH}/${id}`, { body: { name: 'x' } })).status, id).toBe(404);
    }
  });

  it('is renamed by its admin; stopped by an operator alone, and not from inside', async () => {
    const path = `${COMPANIES_PATH}/${admin.scope.companyId}`;
    expect((await admin.send('PATCH', path, { body: { name: 'Herons' } })).body.name).toBe('Herons');
    expect(await audit.countDocuments({ action_type: 'company_updated', company_id: admin.scope.companyId })).toBe(1);
    expect((await admin.send('PATCH', path, { body: { active: false } })).body.code).toBe('operator_required');
    const boss = await operator();
    const own = await boss.send('PATCH', `${COMPANIES_PATH}/${boss.scope.companyId}`, { body: { active: false } });
    expect(own).toMatchObject({ status: 403, body: { code: 'denied' } });
  });

  it('has a label of workers that only operators set, that is recorded, and that fits a name of a queue', async () => {
    const boss = await operator();
    const path = `${COMPANIES_PATH}/${(await person('admin')).scope.companyId}`;
    expect((await boss.send('GET', path)).body.worker_label).toBeNull();
    const own = `${COMPANIES_PATH}/${admin.scope.companyId}`;
    const refused = await admin.send('PATCH', own, { body: { worker_label: 'acme' } });
    expect(refused).toMatchObject({ status: 403, body: { code: 'operator_required' } });
    for (const worker_label of ['Acme', '1a', 'a b', 'a:b', '{a}', 'a'.repeat(31), '']) {
      expect((await boss.send('PATCH', path, { body: { worker_label } })).status, worker_label).toBe(400);
    }
    expect((await boss.send('PATCH', path, { body: { worker_label: 'acme-2' } })).body.worker_label).toBe('acme-2');
    const entry = await audit.findOne({ action_type: 'company_updated', 'changes.worker_label.after': 'acme-2' });
    expect(entry?.changes).toEqual({ worker_label: { before: null, after: 'acme-2' } });
    expect((await boss.send('PATCH', path, { body: { worker_label: null } })).body.worker_label).toBeNull();
  });

  it('has one of 50 labels', async () => {
    const boss = await operator();
    const made = Array.from({ length: 50 }, (_, n) => ({
      ...{ _id: newId(), name: 'x', active: true, created_at: new Date() },
      worker_label: `full-${n}`,
    }));
    const companies = mongo.collection<CompanyDocument>(COMPANIES);
    await companies.insertMany(made);
    const set = (id: string | undefined, worker_label: string) =>
      boss.send('PATCH', `${COMPANIES_PATH}/${id}`, { body: { worker_label } });
    expect(await set(admin.scope.companyId, 'full-50')).toMatchObject({
      status: 422,
      body: { code: 'too_many_labels' },
    });
    expect((await set(admin.scope.companyId, 'full-49')).status).toBe(200);
    expect((await set(made[0]?._id, 'full-50')).status).toBe(200);
    await companies.updateMany({ worker_label: /^full-/ }, { $set: { worker_label: null } });
  });

  it('has a limit of waiting plays that only operators set, and that is recorded', async () => {
    const path = `${COMPANIES_PATH}/${admin.scope.companyId}`;
    expect((await admin.send('GET', path)).body).toMatchObject({ backlog_max: null });
    expect((await admin.send('PATCH', path, { body: { backlog_max: 5 } })).body.code).toBe('operator_required');
    const boss = await operator();
    expect((await boss.send('PATCH', path, { body: { backlog_max: 0 } })).status).toBe(400);
    expect((await boss.send('PATCH', path, { body: { backlog_max: 5 } })).body.backlog_max).toBe(5);
    expect((await admin.send('GET', path)).body).toMatchObject({ backlog_max: 5 });
    expect((await boss.send('PATCH', path, { body: { name: 'Herons' } })).body.backlog_max).toBe(5);
    expect((await boss.send('PATCH', path, { body: { backlog_max: null } })).body.backlog_max).toBeNull();
    const entries = await audit
      .find({ resource_id: admin.scope.companyId, UserID: boss.userId })
      .sort({ _id: 1 })
      .toArray();
    expect(entries.map(({ changes }) => changes.backlog_max)).toEqual([
      { before: null, after: 5 },
      { before: 5, after: null },
    ]);
  });

  it('shows what it did and used, day by day, to its admins and to operators', async () => {
    const boss = await operator();
    const one = await person('admin');
    const { companyId } = one.scope;
    const figures = new StatsRepository(mongo);
    const [plays, used] = [new StatsCounters('spec'), new UsageCounters('spec')];
    const at = Date.now();
    for (const end of ['DONE', 'FAIL'] as const) plays.ended({ company_id: companyId, flowId: newId() }, end, 10, at);
    used.add(companyId, { layers: 3, layerMs: 4_000, tokens: 12, dollars: 0.25 }, at);
    await figures.store(ALL, plays.changed(100, at));
    await figures.storeUsage(ALL, used.changed(100, at));
    const path = `${COMPANIES_PATH}/${companyId}/usage`;
    const day = new Date(at).toISOString().slice(0, 10);
    const today = { plays: 2, failed: 1, layers: 3, layer_seconds: 4, model_tokens: 12, model_dollars: 0.25 };
    for (const by of [one, boss])
      expect((await by.send('GET', path)).body).toMatchObject({
        days: [{ day, ...today }],
        total: today,
        stored: null,
        stored_plays: null,
      });
    const earlier = await one.send('GET', `${path}?to=${new Date(at - 3 * 86_400_000).toISOString()}`);
    expect(earlier.body).toMatchObject({ days: [], total: { plays: 0 } });
    expect((await admin.send('GET', path)).status).toBe(404);
    expect((await (await person('flow_editor', companyId)).send('GET', path)).status).toBe(403);
  });

  it('starts and stores no more than operators let it', async () => {
    const boss = await operator();
    const one = await person('admin');
    const path = `${COMPANIES_PATH}/${one.scope.companyId}`;
    const set = (body: object) => boss.send('PATCH', path, { body });
    expect((await one.send('PATCH', path, { body: { runs_per_second: 5 } })).body.code).toBe('operator_required');
    expect((await one.send('PATCH', path, { body: { bytes_max: 5 } })).body.code).toBe('operator_required');
    expect((await set({ runs_per_second: 1, bytes_max: 1_000 })).body).toMatchObject({
      ...{ runs_per_second: 1, bytes_max: 1_000, backlog_max: null },
    });
    const flow = textOf((await one.send('POST', '/api/v1/flows', { body: { name: 'f' } })).body.id);
    const run = () => one.send('POST', `/api/v1/flows/${flow}/run`, { body: {} });
    await vi.waitFor(async () => {
      const answers = await Promise.all(Array.from({ length: 30 }, run));
      const refused = answers.find(({ status }) => status === 429);
      expect(refused).toMatchObject({
        body: { code: 'too_many_runs' },
        headers: { 'retry-after': expect.anything() as unknown },
      });
    }, WITHIN);
    await set({ runs_per_second: null });
    const at = new Date();
    await mongo
      .collection<CompanyDocument>(COMPANIES)
      .updateOne(
        { _id: one.scope.companyId },
        { $set: { stored: { bytes: 500, at }, stored_plays: { bytes: 600, at, again_at: at } } },
      );
    expect((await one.send('GET', `${path}/usage`)).body).toMatchObject({
      stored: { bytes: 500, at: at.toISOString() },
      stored_plays: { bytes: 600, at: at.toISOString() },
    });
    await set({ name: 'Herons' });
    await vi.waitFor(
      async () => expect(await run()).toMatchObject({ status: 429, body: { code: 'storage_full' } }),
      WITHIN,
    );
    expect(await one.send('POST', '/api/v1/payloads', { body: {} })).toMatchObject({
      ...{ status: 429, body: { code: 'storage_full' }, headers: { 'retry-after': '60' } },
    });
    await set({ bytes_max: null });
    await vi.waitFor(async () => expect((await run()).status).toBe(202), WITHIN);
  });

  it('that is stopped keeps out sessions and keys at once; resumed, its keys work and its sessions do not', async () => {
    const boss = await operator();
    const one = await person('admin');
    const { token } = (await one.send('POST', '/api/v1/admin/api-keys', { body: { name: 'k' } })).body;
    const statuses = async () => {
      const byKey = await send('GET', '/api/v1/auth/me', { headers: { authorization: `Bearer ${textOf(token)}` } });
      return [(await one.send('GET', '/api/v1/auth/me')).status, byKey.status];
    };
    const set = (active: boolean) =>
      boss.send('PATCH', `${COMPANIES_PATH}/${one.scope.companyId}`, { body: { active } });
    expect(await statuses()).toEqual([200, 200]);
    expect((await set(false)).body.active).toBe(false);
    expect(await statuses()).toEqual([401, 403]);
    expect(await mongo.collection<SessionDocument>(SESSIONS).countDocuments({ CompanyID: one.scope.companyId })).toBe(
      0,
    );
    await set(true);
    expect(await statuses()).toEqual([401, 200]);
  });
});

describe('a group', () => {
  const member = (group: string, userId: string) => `${GROUPS_PATH}/${group}/members/${userId}`;
  const makeGroup = async (name: string) => textOf((await admin.send('POST', GROUPS_PATH, { body: { name } })).body.id);

  it('is made, renamed and listed with its members', async () => {
    const id = await makeGroup('Night shift');
    const one = await person('viewer', admin.scope.companyId);
    const two = await person('none', admin.scope.companyId);
    for (const { userId } of [one, two, one]) expect((await admin.send('PUT', member(id, userId))).status).toBe(204);
    expect((await admin.send('PATCH', `${GROUPS_PATH}/${id}`, { body: { name: 'Day shift' } })).body).toEqual({
      id,
      name: 'Day shift',
      company_id: admin.scope.companyId,
      members: [one.userId, two.userId],
    });
    for (const status of [204, 404]) expect((await admin.send('DELETE', member(id, one.userId))).status).toBe(status);
    expect((await admin.send('GET', GROUPS_PATH)).body).toMatchObject({
      total: 1,
      items: [{ id, members: [two.userId] }],
    });
    const actions = (await audit.find({ resource_id: id }).sort({ _id: 1 }).toArray()).map(
      (entry) => entry.action_type,
    );
    expect(actions).toEqual([
      'group_created',
      'group_member_added',
      'group_member_added',
      'group_updated',
      'group_member_removed',
    ]);
  });

  it('has members of its own company only, and is nothing to others', async () => {
    const id = await makeGroup('Herons');
    const foreigner = await person('admin');
    for (const userId of [foreigner.userId, newId()]) {
      expect((await admin.send('PUT', member(id, userId))).status).toBe(404);
    }
    const calls: readonly [string, string, object?][] = [
      ['GET', `${GROUPS_PATH}/${id}`],
      ['PATCH', `${GROUPS_PATH}/${id}`, { name: 'x' }],
      ['DELETE', `${GROUPS_PATH}/${id}`],
      ['PUT', member(id, foreigner.userId)],
      ['DELETE', member(id, foreigner.userId)],
    ];
    for (const [method, path, body] of calls) {
      expect((await foreigner.send(method, path, { body })).status, `${method} ${path}`).toBe(404);
    }
    const viewer = await person('viewer', admin.scope.companyId);
    expect((await viewer.send('GET', GROUPS_PATH)).body.code).toBe('denied');
  });

  it('that is deleted takes what was granted to it along', async () => {
    const id = await makeGroup('Gone');
    const one = await person('viewer', admin.scope.companyId);
    await admin.send('PUT', member(id, one.userId));
    const flow = textOf((await admin.send('POST', '/api/v1/flows', { body: { name: 'f', restricted: true } })).body.id);
    const read = async () => (await one.send('GET', `/api/v1/flows/${flow}`)).status;
    await mongo.collection(GRANTS).insertOne({
      _id: newId() as never,
      CompanyID: admin.scope.companyId,
      ResourceType: 'flow',
      ResourceID: flow,
      ResourceCreatedBy: admin.userId,
      GrantType: 'group',
      GranteeID: id,
      Permissions: ['read'],
      CreatedBy: admin.userId,
      CreatedAt: new Date(),
    });
    expect(await read()).toBe(200);
    expect((await admin.send('DELETE', `${GROUPS_PATH}/${id}`)).status).toBe(204);
    expect((await admin.send('DELETE', `${GROUPS_PATH}/${id}`)).status).toBe(404);
    expect(await read()).not.toBe(200);
    expect(await mongo.collection(GRANTS).countDocuments({ GranteeID: id })).toBe(0);
    expect((await users.findOne({ _id: one.userId }))?.company_roles[0]?.group_ids).toEqual([]);
  });
});
