import { AUDIT_LOGS, PLAYS, SystemScope, type AuditDocument } from '@weft/store';
import { FLOW_VERSIONS, JobRepository, RetentionPlan } from '@weft/records';
import type { Play } from '@weft/engine';
import { describe, expect, it } from 'vitest';
import { liveApi, textOf, type Json, type Person } from '../../../../test/api/live-api.js';
import { playFixtures } from '../../../../test/fixtures/old-plays.js';

const DAY = 86_400_000;
const { app, mongo, person } = await liveApi({ RETENTION_AUDIT_CADENCE: '60d' });
const PATH = '/api/v1/admin/retention-policies';
const audit = mongo.collection<AuditDocument>(AUDIT_LOGS);
const PLAYS_30D = { scope: 'plays', cadence: '30d', min_entries: 5, enforced_minimum: '1d', enabled: true };

describe('a retention policy', () => {
  it('is made, read, listed, changed and deleted, each change with its audit entry', async () => {
    const admin = await person('admin');
    const made = await admin.send('POST', PATH, { body: PLAYS_30D });
    expect(made.status).toBe(201);
    const id = textOf(made.body.id);
    expect(made.headers.location).toBe(`${PATH}/${id}`);
    expect(made.body).toEqual({
      id,
      company_id: admin.scope.companyId,
      ...PLAYS_30D,
      flow_id: null,
      flow_group_id: null,
      effective: { min_entries: 10, enforced_minimum: '1d' },
      next_cleanup: null,
      created_at: expect.any(String) as unknown,
      updated_at: expect.any(String) as unknown,
    });
    expect((await admin.send('GET', `${PATH}/${id}`)).body).toEqual(made.body);
    expect((await admin.send('GET', PATH)).body).toEqual({ policies: [made.body] });

    const changed = await admin.send('PATCH', `${PATH}/${id}`, { body: { cadence: '6y', enabled: false } });
    expect(changed).toMatchObject({ status: 200, body: { cadence: '6y', enabled: false, min_entries: 5 } });
    expect((await admin.send('DELETE', `${PATH}/${id}`)).status).toBe(204);
    expect((await admin.send('DELETE', `${PATH}/${id}`)).status).toBe(404);
    const entries = await audit.find({ resource_id: id }).sort({ _id: 1 }).toArray();
    expect(entries.map(({ action_type }) => action_type)).toEqual([
      'policy_created',
      'policy_updated',
      'policy_deleted',
    ]);
    expect(entries[1]).toMatchObject({
      UserID: admin.userId,
      changes: { cadence: { before: '30d', after: '6y' }, enabled: { before: true, after: false } },
    });
  });

  it('under a floor is kept as given, and says what holds', async () => {
    const admin = await person('admin');
    const effective = async (body: object) =>
      (await admin.send('POST', PATH, { body: { cadence: '1d', min_entries: 0, enforced_minimum: '0', ...body } }))
        .body;
    expect(await effective({ scope: 'audit_logs' })).toMatchObject({
      scope: 'audit_logs',
      enforced_minimum: '0',
      min_entries: 0,
      effective: { min_entries: 10, enforced_minimum: '14d' },
    });
    expect(await effective({ scope: 'flows.filtered' })).toMatchObject({ effective: { enforced_minimum: '3d' } });
  });

  it('of a flow or of a flow group is of one that the company has', async () => {
    const admin = await person('admin');
    const flowId = textOf((await admin.send('POST', '/api/flows', { body: { name: 'f' } })).body.id);
    const groupId = textOf((await admin.send('POST', '/api/flow-groups', { body: { name: 'g' } })).body.id);
    const terms = { cadence: '1d', min_entries: 0, enforced_minimum: '0', enabled: true };
    const ofFlow = await admin.send('POST', PATH, { body: { ...terms, flow_id: flowId } });
    expect(ofFlow).toMatchObject({ status: 201, body: { scope: null, flow_id: flowId } });
    const ofGroup = await admin.send('POST', PATH, {
      body: { ...terms, scope: 'flows.group', flow_group_id: groupId },
    });
    expect(ofGroup).toMatchObject({ status: 201, body: { scope: 'flows.group', flow_group_id: groupId } });
    const other = await person('admin');
    for (const body of [{ flow_id: flowId }, { flow_group_id: groupId }]) {
      const refused = await other.send('POST', PATH, { body: { ...terms, ...body } });
      expect(refused).toMatchObject({ status: 422, body: { code: 'unknown_id' } });
    }
    expect((await admin.send('DELETE', `/api/flow-groups/${groupId}`)).status).toBe(204);
    expect((await admin.send('GET', `${PATH}/${textOf(ofGroup.body.id)}`)).status).toBe(404);
  });

  const faults: readonly [string, object, string][] = [
    ['an unknown scope', { scope: 'flowz' }, 'scope'],
    ['hours', { cadence: '12h' }, 'cadence'],
    ['a number without unit', { enforced_minimum: '30' }, 'enforced_minimum'],
    ['nothing that it is for', { scope: null }, 'scope'],
    ['a flow and a scope', { flow_id: 'f' }, 'scope'],
    ['a flow and a group', { scope: null, flow_id: 'f', flow_group_id: 'g' }, 'flow_group_id'],
    ['a group under another scope', { flow_group_id: 'g' }, 'scope'],
    ['the scope of groups without one', { scope: 'flows.group' }, 'flow_group_id'],
  ];
  for (const [what, body, path] of faults) {
    it(`is refused with ${what}`, async () => {
      const admin = await person('admin');
      const refused = await admin.send('POST', PATH, { body: { ...PLAYS_30D, ...body } });
      expect(refused).toMatchObject({ status: 422, body: { code: 'invalid_policy', errors: [{ path }] } });
    });
  }

  it('is another company’s for nobody', async () => {
    const [one, other] = [await person('admin'), await person('admin')];
    const id = textOf((await one.send('POST', PATH, { body: PLAYS_30D })).body.id);
    for (const [method, path] of [
      ['GET', `${PATH}/${id}`],
      ['PATCH', `${PATH}/${id}`],
      ['DELETE', `${PATH}/${id}`],
      ['GET', `${PATH}?company_id=${one.scope.companyId}`],
    ] as const) {
      expect([method, (await other.send(method, path)).status]).toEqual([method, 404]);
    }
    expect((await one.send('GET', `${PATH}?company_id=${one.scope.companyId}`)).status).toBe(200);
  });
});

describe('the preview', () => {
  it('counts what the next cleanup deletes, and the statistics tell what it did', async () => {
    const admin = await person('admin');
    const { companyId } = admin.scope;
    const made = playFixtures(mongo, admin.scope, mongo.serverNow());
    await admin.send('POST', PATH, { body: { ...PLAYS_30D, cadence: '7d' } });
    await made.plays(30, { ageMs: 20 * DAY });
    const items = async () =>
      Object.fromEntries(
        ((await admin.send('GET', `${PATH}/preview`)).body.items as unknown as Json[]).map((item) => [
          textOf(item.scope),
          item,
        ]),
      );
    expect(await items()).toMatchObject({
      plays: { collection: 'plays', would_delete: 20, kept: 10 },
      audit: { collection: 'audit_logs', policy_id: null, would_delete: 0 },
    });

    const jobs = new JobRepository(mongo);
    await jobs.declare('retention', 120_000);
    const claim = await jobs.claim('retention', 30_000);
    const run = claim?.startedAt ?? new Date(0);
    const plan = app.get(RetentionPlan, { strict: false });
    for (const sweep of await plan.sweepsOf(admin.scope, run)) await sweep.step();
    await plan.states.report(new SystemScope('spec'), admin.scope, { run, tookMs: new Map() });
    expect(await mongo.collection<Play>(PLAYS).countDocuments({ company_id: companyId })).toBe(10);
    expect((await items()).plays).toMatchObject({ would_delete: 0, kept: 10 });
    const { body } = await admin.send('GET', `${PATH}/stats`);
    expect(body).toEqual({
      last_cleanup: run.toISOString(),
      last_duration_ms: null,
      entries_deleted: 20,
      next_cleanup: new Date(run.getTime() + 120_000).toISOString(),
      collections_processed: ['plays', 'play_layers', 'flows', 'audit_logs', 'kv_stores'],
    });
  });
});

describe('the preview of a policy that is not stored', () => {
  const previewOf = async (admin: Person, body: object) => {
    const { status, body: answer } = await admin.send('POST', `${PATH}/preview`, { body });
    expect(status).toBe(200);
    return (answer.items as unknown as Json[]).filter((item) => textOf(item.collection) === 'plays');
  };

  it('counts it as a further one, or in the place of the one that it would replace, and stores nothing', async () => {
    const admin = await person('admin');
    const flowId = textOf((await admin.send('POST', '/api/flows', { body: { name: 'f' } })).body.id);
    const made = playFixtures(mongo, admin.scope, mongo.serverNow());
    await made.plays(30, { flowId, ageMs: 20 * DAY });
    const id = textOf((await admin.send('POST', PATH, { body: PLAYS_30D })).body.id);
    const before = (await admin.send('GET', PATH)).body;
    expect(await previewOf(admin, { ...PLAYS_30D, id, cadence: '7d', min_entries: 12 })).toEqual([
      { collection: 'plays', scope: 'plays', policy_id: id, would_delete: 18, kept: 12, capped: false },
    ]);
    expect(await previewOf(admin, { flow_id: flowId, cadence: '7d' })).toMatchObject([
      { policy_id: 'new', would_delete: 20, kept: 10 },
      { policy_id: id, would_delete: 0, kept: 0 },
    ]);
    expect(await previewOf(admin, { ...PLAYS_30D, id, enabled: false })).toEqual([]);
    expect((await admin.send('GET', PATH)).body).toEqual(before);
    expect(await audit.countDocuments({ company_id: admin.scope.companyId, resource_type: 'retention_policy' })).toBe(
      1,
    );
  });

  it('is refused with what a policy is refused with, and with the id of another company’s', async () => {
    const [admin, other] = [await person('admin'), await person('admin')];
    const id = textOf((await other.send('POST', PATH, { body: PLAYS_30D })).body.id);
    expect(await admin.send('POST', `${PATH}/preview`, { body: { ...PLAYS_30D, cadence: '12h' } })).toMatchObject({
      status: 422,
      body: { code: 'invalid_policy', errors: [{ path: 'cadence' }] },
    });
    expect(await admin.send('POST', `${PATH}/preview`, { body: { ...PLAYS_30D, id } })).toMatchObject({
      status: 422,
      body: { code: 'unknown_id', errors: [{ path: 'id' }] },
    });
  });
});

describe('a play whose layers went', () => {
  it('is still read, without layers, and is rerun but not retried', async () => {
    const admin = await person('admin');
    const flowId = textOf((await admin.send('POST', '/api/flows', { body: { name: 'f' } })).body.id);
    const made = playFixtures(mongo, admin.scope, mongo.serverNow());
    const [old] = await made.plays(1, { flowId, ageMs: 20 * DAY, layers: 2, state: 'FAIL' });
    await made.plays(10, { flowId, ageMs: 0, layers: 1 });
    const body = { ...PLAYS_30D, scope: 'play_layers', cadence: '7d', min_entries: 10 };
    await admin.send('POST', PATH, { body });
    expect(await mongo.collection(FLOW_VERSIONS).countDocuments({ flowId })).toBe(1);
    const plan = app.get(RetentionPlan, { strict: false });
    const sweeps = await plan.sweepsOf(admin.scope, new Date(mongo.serverNow()));
    for (const sweep of sweeps.filter(({ scope }) => scope === 'play_layers')) {
      while ((await sweep.step()).more);
    }
    const play = await admin.send('GET', `/api/plays/${old ?? ''}`);
    expect(play).toMatchObject({ status: 200, body: { state: 'FAIL', duration: 0 } });
    expect((await admin.send('GET', `/api/plays/${old ?? ''}/layers`)).body).toEqual([]);
    expect((await admin.send('GET', `/api/plays/${old ?? ''}/layers/layer-0/out`)).status).toBe(404);
    const retried = await admin.send('POST', `/api/plays/${old ?? ''}/retry`);
    expect(retried).toMatchObject({ status: 409, body: { code: 'illegal_move' } });
    expect(retried.body.detail).toContain('rerun');
  });
});
