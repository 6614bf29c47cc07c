import { AUDIT_LOGS, PLAYS, type AuditDocument } from '@weft/store';
import { FlowRepository } from '@weft/records';
import { describe, expect, it } from 'vitest';
import { liveApi, textOf, type Answer } from '../../../../../test/api/live-api.js';

const { app, mongo, person } = await liveApi();
const flows = app.get(FlowRepository, { strict: false });
const editor = await person('flow_editor');
const runner = await person('flow_executor', editor.scope.companyId);

const at = (flowId: string, path = ''): string => `/api/v1/flows/${flowId}${path}`;
const say = (template: string) => ({ ref: 'say', appId: 'text-template', args: { template } });

async function newFlow(fields: object = {}): Promise<string> {
  const body = { name: 'flow', settings: { publish: 'manual' }, layers: [say('one')], ...fields };
  const { status, body: flow } = await editor.send('POST', '/api/v1/flows', { body });
  expect(status).toBe(201);
  return textOf(flow.id);
}

const publish = (flowId: string, body: object = {}): Promise<Answer> =>
  editor.send('POST', at(flowId, '/publish'), { body });
const change = (flowId: string, body: object): Promise<Answer> => editor.send('PATCH', at(flowId), { body });

/** The version that a run gets, or the code of its refusal. */
async function runs(flowId: string, body: object = {}, by = editor): Promise<unknown> {
  const { body: answer } = await by.send('POST', at(flowId, '/run'), { body: { args: {}, ...body } });
  if (answer.code !== undefined) return answer.code;
  return (await editor.send('GET', `/api/v1/plays/${textOf(answer.playId)}`)).body.version;
}

describe('drafts and publishing', () => {
  it('runs the published version until another one is published', async () => {
    const flow = await newFlow();
    expect(await runs(flow)).toBe('flow_not_published');
    expect((await publish(flow)).body).toMatchObject({ version: 1, publishedVersion: 1 });
    expect((await change(flow, { layers: [say('two')] })).body).toMatchObject({ version: 2, publishedVersion: 1 });
    expect(await runs(flow)).toBe(1);
    expect((await publish(flow)).body).toMatchObject({ version: 2, publishedVersion: 2 });
    expect(await runs(flow)).toBe(2);
    expect((await publish(flow, { version: 1 })).body).toMatchObject({ version: 2, publishedVersion: 1 });
    expect(await runs(flow)).toBe(1);
  });

  it('judges runs by the condition, the schema and the labels of the published version', async () => {
    const flow = await newFlow({ settings: { publish: 'manual', labels: { v: '1' } } });
    await publish(flow);
    const argsSchema = { type: 'object', required: ['order'] };
    await change(flow, { argsSchema, when: '{{ false }}', settings: { labels: { v: '2' } } });
    const { body } = await editor.send('POST', at(flow, '/run'), { body: {} });
    expect(body).toMatchObject({ state: 'RUN' });
    expect((await editor.send('GET', `/api/v1/plays/${textOf(body.playId)}`)).body.labels).toEqual({ v: '1' });
    await publish(flow);
    expect(await runs(flow)).toBe('invalid_args');
  });

  it('makes no draft of a change that plays would not notice', async () => {
    const flow = await newFlow();
    await publish(flow);
    expect((await change(flow, { restricted: true })).body).toMatchObject({ version: 2, publishedVersion: 2 });
    expect((await change(flow, { settings: { concurrency: 3 } })).body).toMatchObject({ publishedVersion: 3 });
    expect((await change(flow, { layers: [say('two')] })).body).toMatchObject({ version: 4, publishedVersion: 3 });
    const { body } = await change(flow, { settings: { concurrency: 1 } });
    expect(body).toMatchObject({ version: 5, publishedVersion: 3, settings: { concurrency: 1 } });
    const { state } = (await editor.send('POST', at(flow, '/run'), { body: {} })).body;
    expect(state).toBe('DEFERRED');
  });

  it('keeps what was live when publishing becomes manual, and lets the draft go live when it becomes automatic', async () => {
    const flow = await newFlow({ settings: { publish: 'auto' } });
    expect((await publish(flow)).body.code).toBe('publishes_by_itself');
    const changed = await change(flow, { settings: { publish: 'manual' }, layers: [say('two')] });
    expect(changed.body).toMatchObject({ version: 2, publishedVersion: 1 });
    expect(await runs(flow)).toBe(1);
    await change(flow, { layers: [say('{{ .nothing.here }}')] });
    const refused = await change(flow, { settings: { publish: 'auto' } });
    expect(refused).toMatchObject({ status: 422, body: { code: 'unresolved_refs' } });
    await change(flow, { layers: [say('four')] });
    expect((await change(flow, { settings: { publish: 'auto' } })).body).toMatchObject({ publishedVersion: 5 });
    expect(await runs(flow)).toBe(5);
  });

  it('publishes only what could be enabled, and enables a flow by what is published', async () => {
    const flow = await newFlow();
    await publish(flow);
    expect((await change(flow, { layers: [say('{{ .nothing.here }}')] })).status).toBe(200);
    expect(await publish(flow)).toMatchObject({ status: 422, body: { code: 'unresolved_refs' } });
    await change(flow, { enabled: false });
    expect((await change(flow, { enabled: true })).body).toMatchObject({ enabled: true, publishedVersion: 1 });
    expect(await runs(flow)).toBe(1);
    expect(await publish(flow, { version: 99 })).toMatchObject({
      status: 422,
      body: { code: 'unknown_id', errors: [{ path: 'version', message: expect.stringContaining('99') as string }] },
    });
  });

  it('brings an earlier version back only for who may use the links and flows in it', async () => {
    const admin = await person('admin', editor.scope.companyId);
    const link = await admin.send('POST', '/api/v1/integrations', {
      body: { type: 'api', name: 'link', access_token: 'secret-token' },
    });
    const fetch = { url: 'https://api.example.com/', auth: { integrationId: textOf(link.body.id) } };
    const layers = [{ ref: 'fetch', appId: 'web-request', args: fetch }];
    const body = { name: 'linked', settings: { publish: 'manual' }, layers };
    const flow = textOf((await admin.send('POST', '/api/v1/flows', { body })).body.id);
    await admin.send('POST', at(flow, '/publish'), { body: {} });
    expect((await change(flow, { layers: [say('without')] })).status).toBe(200);
    expect((await publish(flow)).body).toMatchObject({ publishedVersion: 2 });
    expect(await publish(flow, { version: 1 })).toMatchObject({ status: 403, body: { code: 'denied' } });
    expect(await runs(flow)).toBe(2);
    expect((await admin.send('POST', at(flow, '/publish'), { body: { version: 1 } })).status).toBe(200);
  });

  it('judges a version as what the flow is now, a blueprint or not', async () => {
    const flow = await newFlow({ isBlueprint: true, enabled: false, layers: [say('{{ $blueprint.x }}')] });
    expect((await publish(flow)).status).toBe(200);
    expect((await change(flow, { isBlueprint: false, layers: [say('two')] })).body).toMatchObject({ version: 2 });
    expect((await publish(flow)).status).toBe(200);
    expect(await publish(flow, { version: 1 })).toMatchObject({ body: { code: 'missing_blueprint_vars' } });
    // it is the flow's, and applies at once
    await change(flow, { enabled: true });
    expect((await change(flow, { isBlueprint: true })).body).toMatchObject({ version: 4, publishedVersion: 4 });
    expect(await runs(flow)).toBe('flow_is_blueprint');
  });

  it('runs another version than the published one only for those who may edit the flow', async () => {
    const flow = await newFlow();
    await publish(flow);
    await change(flow, { layers: [say('two')] });
    await publish(flow);
    await change(flow, { layers: [say('three')] });
    const named = (by = editor) => Promise.all([1, 2, 3, 4].map((version) => runs(flow, { version }, by)));
    const no = 'version_not_published';
    expect(await named(runner)).toEqual([no, 2, no, no]);
    expect(await named()).toEqual([1, 2, 3, 'unknown_id']);
    await publish(flow, { version: 1 });
    expect(await named(runner)).toEqual([1, no, no, no]);
    const batch = await runner.send('POST', at(flow, '/run-batch'), {
      body: { runs: [{ version: 1 }, { version: 3 }] },
    });
    expect(batch.body.items).toMatchObject([{ state: 'RUN' }, { error: { code: no } }]);
  });

  it('runs another version only while the caller and its author may use its links and flows', async () => {
    const { companyId } = editor.scope;
    const [admin, other] = [await person('admin', companyId), await person('flow_editor', companyId)];
    const make = async (path: string, body: object) => textOf((await admin.send('POST', path, { body })).body.id);
    const integrationId = await make('/api/v1/integrations', {
      ...{ type: 'api', name: 'link', access_token: 'secret-token' },
    });
    const grant = await make('/api/v1/access/grant', {
      ...{ resource_type: 'integration', resource_id: integrationId, permissions: ['execute'] },
      ...{ grant_type: 'user', grantee_id: editor.userId },
    });
    const call = {
      ref: 'call',
      appId: 'web-request',
      args: { url: 'https://api.example.com/', auth: { integrationId } },
    };
    const flow = await newFlow({ settings: {}, layers: [call] });
    expect((await change(flow, { layers: [say('two')] })).status).toBe(200);
    const all = () => Promise.all([editor, other, admin].map((by) => runs(flow, { version: 1 }, by)));
    expect(await all()).toEqual([1, 'denied', 1]);
    expect((await admin.send('DELETE', `/api/v1/access/grants/${grant}`)).status).toBe(204);
    expect(await all()).toEqual(['denied', 'denied', 'denied']);
    expect((await admin.send('POST', at(flow, '/versions/1/restore'))).status).toBe(200);
    await change(flow, { layers: [say('four')] });
    expect([await runs(flow, { version: 3 }, admin), await runs(flow, { version: 3 })]).toEqual([3, 'denied']);
  });

  it('has one published version also where each change applies at once, and none before the first is published', async () => {
    const flow = await newFlow({ settings: {} });
    await change(flow, { layers: [say('two')] });
    const asked = [1, 2].map((version) => runs(flow, { version }, runner));
    expect(await Promise.all(asked)).toEqual(['version_not_published', 2]);
    expect(await runs(flow, { version: 1 })).toBe(1);
    const unpublished = await newFlow();
    expect(await runs(unpublished, { version: 1 }, runner)).toBe('version_not_published');
    expect(await runs(unpublished, { version: 1 })).toBe(1);
    const batch = await runner.send('POST', at(unpublished, '/run-batch'), { body: { runs: [{}] } });
    expect(batch).toMatchObject({ status: 409, body: { code: 'flow_not_published' } });
  });

  it('says that a key holds another version, and refuses it where the caller is strict', async () => {
    const flow = await newFlow({ settings: {} });
    await change(flow, { layers: [say('two')] });
    const run = (version: number, headers = {}) =>
      editor.send('POST', at(flow, '/run'), { body: { idempotencyKey: 'k', version }, headers });
    const first = await run(1);
    expect((await run(1)).headers['idempotency-mismatch']).toBeUndefined();
    const again = await run(2);
    expect([again.body.playId, again.headers['idempotency-mismatch']]).toEqual([first.body.playId, 'true']);
    expect((await run(2, { 'idempotency-strict': 'true' })).body.code).toBe('idempotency_mismatch');
  });

  it('answers a key with its play after another version was published, whatever the version that the run names', async () => {
    const flow = await newFlow();
    await publish(flow);
    const run = (version: number, idempotencyKey = 'order') =>
      runner.send('POST', at(flow, '/run'), { body: { idempotencyKey, version } });
    const first = await run(1);
    await change(flow, { layers: [say('two')] });
    await publish(flow);
    const again = await run(1);
    expect([first.status, again.status]).toEqual([202, 200]);
    expect(again).toMatchObject({ body: { playId: first.body.playId } });
    expect(again.headers['idempotency-replayed']).toBe('true');
    const batch = await runner.send('POST', at(flow, '/run-batch'), {
      body: {
        runs: [
          { version: 1, idempotencyKey: 'order' },
          { version: 1, idempotencyKey: 'other' },
        ],
      },
    });
    const no = { error: { code: 'version_not_published' } };
    expect(batch.body.items).toMatchObject([{ playId: first.body.playId }, no]);
    await mongo
      .collection<{ _id: string }>(PLAYS)
      .updateOne({ _id: textOf(first.body.playId) }, { $set: { state: 'FAIL' } });
    expect((await run(1)).body.code).toBe('version_not_published');
  });

  it('starts nothing by triggers, schedules and tools of agents before a version is published', async () => {
    const mcp = { tool: 'by_hand', description: 'A flow.' };
    const flow = await newFlow({ settings: { publish: 'manual', mcp } });
    const tools = async () => (await flows.listTools(editor.scope, { among: [flow] }, 10)).length;
    const verifier = { type: 'none' };
    const trigger = await editor.send('POST', at(flow, '/triggers'), { body: { name: 't', verifier } });
    const path = new URL(textOf(trigger.body.url)).pathname;
    const job = { flow_id: flow, schedule: '0 6 * * *' };
    const schedule = await editor.send('POST', '/api/v1/scheduler/jobs', { body: job });
    const now = () => editor.send('POST', `/api/v1/scheduler/jobs/${textOf(schedule.body.id)}/run`);
    expect([(await editor.send('POST', path, { body: {} })).status, (await now()).body.code, await tools()]).toEqual([
      ...[404, 'flow_not_published', 0],
    ]);
    expect(await mongo.collection(PLAYS).countDocuments({ flowId: flow })).toBe(0);
    await publish(flow);
    expect([(await editor.send('POST', path, { body: {} })).status, (await now()).status, await tools()]).toEqual([
      ...[202, 202, 1],
    ]);
  });

  it('is decided by one of several callers, with the version that it saw', async () => {
    const flow = await newFlow();
    const conflict = await editor.send('POST', at(flow, '/publish'), { body: {}, headers: { 'if-match': '"7"' } });
    expect(conflict).toMatchObject({ status: 412, body: { code: 'version_conflict' } });
    await Promise.all([
      publish(flow),
      change(flow, { layers: [say('two')] }),
      publish(flow),
      change(flow, { name: 'n' }),
    ]);
    const { publishedVersion, version } = (await editor.send('GET', at(flow))).body;
    expect(version).toBe(3);
    expect([1, 2, 3]).toContain(publishedVersion);
    const filter = { resource_id: flow, action_type: 'flow_published' } as const;
    const entries = await mongo.collection<AuditDocument>(AUDIT_LOGS).find(filter).sort({ _id: -1 }).toArray();
    expect(entries.length).toBeGreaterThan(0);
    expect(entries[0]).toMatchObject({ changes: { publishedVersion: { after: publishedVersion } } });
  });

  it('keeps a document from publishing what it does not speak of', async () => {
    const flow = await newFlow();
    await publish(flow);
    const { body: document } = await editor.send('GET', at(flow, '/export'));
    expect(document).toMatchObject({ settings: { publish: 'manual' } });
    const { publish: _, ...settings } = document.settings ?? {};
    const put = { ...document, settings, layers: [say('two')] };
    const { body } = await editor.send('PUT', at(flow, '/document'), { body: put });
    expect(body).toMatchObject({ version: 2, publishedVersion: 1, settings: { publish: 'manual' } });
    const restored = await editor.send('POST', at(flow, '/versions/1/restore'));
    expect(restored.body).toMatchObject({ version: 3, publishedVersion: 1, settings: { publish: 'manual' } });
  });
});
