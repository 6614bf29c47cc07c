import { SETTINGS, type Settings } from '@weft/config';
import { APIS, FLOWS, TEST_CASES, type ApiDocument, type FlowDocument, type TestCaseDocument } from '@weft/records';
import { Sandbox } from '@weft/sandbox';
import { AUDIT_LOGS, type AuditDocument } from '@weft/store';
import { waitFor } from '@weft/testing';
import pino from 'pino';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { liveApi, newId, textOf, type Json, type Person } from '../../../../test/api/live-api.js';
import { storedFlow } from '../../../../test/api/stored-play.js';
import { documentOf, NUMBER, post, TEXT } from './api-documents.fixture.js';
import { ApiImporter } from './api-importer.js';

const { app, mongo, person } = await liveApi();
const importer = new ApiImporter(
  app.get<Settings>(SETTINGS, { strict: false }),
  pino({ level: 'silent' }),
  newId,
  mongo,
  app.get(Sandbox),
);
afterAll(() => importer.drain());
const PATH = '/api/v1/apis';
const flows = mongo.collection<FlowDocument>(FLOWS);
const apis = mongo.collection<ApiDocument>(APIS);
afterEach(() => apis.deleteMany({}));

const ORDERS = documentOf({
  '/create': post('create', { customer: TEXT, count: NUMBER }, { id: TEXT, total: NUMBER }),
  '/cancel': post('cancel', { id: TEXT }),
  '/list': post(
    'list',
    {},
    { items: { type: 'array', items: { type: 'object', properties: { id: TEXT, name: TEXT } } } },
  ),
});
/** `create` answers no total, `cancel` is gone, items of `list` have no name. */
const CHANGED = documentOf({
  '/create': post('create', { customer: TEXT, count: NUMBER }, { id: TEXT }),
  '/list': post('list', {}, { items: { type: 'array', items: { type: 'object', properties: { id: TEXT } } } }),
  '/pay': post('pay'),
});

async function settled(who: Person, id: string): Promise<Json> {
  return waitFor(
    async () => {
      await importer.pass();
      const { body } = await who.send('GET', `${PATH}/${id}`);
      return textOf(body.state) !== 'importing' && body;
    },
    { what: 'the import' },
  );
}

async function refresh(who: Person, id: string, body: object): Promise<void> {
  expect((await who.send('POST', `${PATH}/${id}/refresh`, { body })).status).toBe(202);
  await settled(who, id);
}

async function givenApi(who: Person, key = 'orders'): Promise<string> {
  const { body } = await who.send('POST', PATH, { body: { name: 'Orders', key, source: { document: ORDERS } } });
  await settled(who, textOf(body.id));
  return textOf(body.id);
}

async function digestOf(who: Person, operation: string): Promise<string> {
  return textOf((await who.send('GET', `${PATH}/orders/operations/${operation}`)).body.digest);
}

/** A flow that calls the operation, and then reads the expression. */
async function callingFlow(
  who: Person,
  operation: string,
  reads: string,
  fields: Partial<FlowDocument> = {},
): Promise<string> {
  const id = await storedFlow(mongo, who, { call: 'web-request', read: 'web-request' });
  const digest = await digestOf(who, operation);
  const [call, read] = (await flows.findOne({ _id: id }))?.layers ?? [];
  if (!call || !read) throw new Error('the flow has no layers');
  const layers = [
    { ...call, appId: 'operation', args: { api: 'orders', operation, digest, input: { body: {} } } },
    { ...read, args: { url: 'https://peer.example/', query: { read: reads } } },
  ];
  await flows.updateOne({ _id: id }, { $set: { layers, enabled: false, ...fields } as Partial<FlowDocument> });
  await mongo.collection('flow_versions').updateMany({ flowId: id }, { $set: { layers } });
  return id;
}

const diffOf = async (who: Person) => (await who.send('GET', `${PATH}/orders/diff`)).body;
const flowsIn = (diff: Json) =>
  Object.fromEntries(
    (diff.flows as unknown as { flowId: string; layers: { result: string }[] }[]).map(({ flowId, layers }) => [
      flowId,
      layers.map(({ result }) => result),
    ]),
  );

describe('the diff of an API', () => {
  it('is empty before its first refresh', async () => {
    const admin = await person('admin');
    await givenApi(admin);
    expect(await diffOf(admin)).toEqual({ refresh: null, operations: [], flows: [] });
  });

  it('names the flows that a new document breaks, and says of the others that they go on', async () => {
    const admin = await person('admin');
    const id = await givenApi(admin);
    const [total, idOnly, gone, names, ids] = [
      await callingFlow(admin, 'create', '{{ .call.body.total }}'),
      await callingFlow(admin, 'create', '{{ .call.body.id }}'),
      await callingFlow(admin, 'cancel', '1'),
      await callingFlow(admin, 'list', '{{ [.call.body.items.name] }}'),
      await callingFlow(admin, 'list', '{{ [.call.body.items.id] }}'),
    ];
    await refresh(admin, id, { dryRun: true, source: { document: CHANGED } });
    const expected = {
      [total]: ['breaking'],
      [idOnly]: ['changed'],
      [gone]: ['removed'],
      [names]: ['breaking'],
      [ids]: ['changed'],
    };
    const planned = await diffOf(admin);
    expect(planned).toMatchObject({
      refresh: { dryRun: true, counts: { added: 1, removed: 1, breaking: 2, changed: 0 } },
    });
    expect(flowsIn(planned)).toEqual(expected);
    // nothing has changed by it
    const { body } = await admin.send('GET', `${PATH}/orders/operations`);
    expect(body).toMatchObject({ total: 3 });
    expect((await admin.send('GET', `${PATH}/orders`)).body).toMatchObject({ state: 'ready' });

    await refresh(admin, id, { source: { document: CHANGED } });
    const done = await diffOf(admin);
    expect(done).toMatchObject({ refresh: { dryRun: false } });
    expect(flowsIn(done)).toEqual(expected);
    // a further refresh does not forget to what layers are pinned
    await refresh(admin, id, {});
    const later = await diffOf(admin);
    expect(later).toMatchObject({ refresh: { counts: { added: 0, removed: 0, breaking: 0, changed: 0 } } });
    expect(flowsIn(later)).toEqual(expected);
  });

  it('names the test cases with fixtures of these layers', async () => {
    const admin = await person('admin');
    const id = await givenApi(admin);
    const flowId = await callingFlow(admin, 'create', '{{ .call.body.total }}');
    const now = new Date();
    const testCase = {
      company_id: admin.scope.companyId,
      flowId,
      args: {},
      expected: {},
      createdBy: 'x',
      createdAt: now,
      updatedAt: now,
    };
    const cases = mongo.collection<TestCaseDocument>(TEST_CASES);
    await cases.insertMany([
      { ...testCase, _id: newId(), name: 'with', fixtures: { call: { body: {} } }, required: true },
      { ...testCase, _id: newId(), name: 'without', fixtures: { other: {} }, required: true },
    ]);
    await refresh(admin, id, { dryRun: true, source: { document: CHANGED } });
    expect(await diffOf(admin)).toMatchObject({ flows: [{ flowId, testCases: [{ name: 'with', required: true }] }] });
  });

  it('shows no flow that the caller may not read', async () => {
    const admin = await person('admin');
    const id = await givenApi(admin);
    const open = await callingFlow(admin, 'cancel', '1');
    await callingFlow(admin, 'cancel', '1', { restricted: true });
    await refresh(admin, id, { dryRun: true, source: { document: CHANGED } });
    const manager = await person('integration_manager', admin.scope.companyId);
    expect(flowsIn(await diffOf(manager))).toEqual({ [open]: ['removed'] });
  });

  it('needs something that was imported', async () => {
    const admin = await person('admin');
    const { body } = await admin.send('POST', PATH, { body: { name: 'x', source: { document: '[]' } } });
    await settled(admin, textOf(body.id));
    const asked = await admin.send('POST', `${PATH}/${textOf(body.id)}/refresh`, { body: { dryRun: true } });
    expect(asked).toMatchObject({ status: 409, body: { code: 'not_imported' } });
  });
});

describe('adopting the operations as they are now', () => {
  const adopt = async (who: Person, ids: readonly string[]) =>
    (await who.send('POST', `${PATH}/orders/adopt`, { body: { flows: ids } })).body.items;
  const pinOf = async (id: string) => (await flows.findOne({ _id: id }))?.layers[0]?.args.digest;

  it('makes a new version of each flow, and leaves those that have nothing to adopt', async () => {
    const admin = await person('admin');
    const id = await givenApi(admin);
    const flow = await callingFlow(admin, 'create', '{{ .call.body.id }}');
    const gone = await callingFlow(admin, 'cancel', '1');
    const before = await flows.findOne({ _id: flow });
    expect(await adopt(admin, [flow])).toMatchObject([{ flowId: flow, result: 'unchanged', version: before?.version }]);
    await refresh(admin, id, { source: { document: CHANGED } });
    expect(await adopt(admin, [flow, gone, 'nowhere'])).toMatchObject([
      { flowId: flow, result: 'adopted', version: (before?.version ?? 0) + 1 },
      { flowId: gone, result: 'unchanged' },
      { flowId: 'nowhere', result: 'refused', version: null, code: 'not_found' },
    ]);
    expect(await pinOf(flow)).toBe(await digestOf(admin, 'create'));
    expect(flowsIn(await diffOf(admin))).toEqual({ [gone]: ['removed'] });
    const entry = await mongo
      .collection<AuditDocument>(AUDIT_LOGS)
      .findOne({ resource_id: flow, action_type: 'flow_updated' });
    expect(entry?.changes).toMatchObject({ operations: { before: [expect.stringMatching(/^call: create@/)] } });
  });

  it('runs the required test cases of an enabled flow before, and refuses what fails one', async () => {
    const admin = await person('admin');
    const id = await givenApi(admin);
    const [good, bad] = [
      await callingFlow(admin, 'create', '{{ .call.body.id }}', { enabled: true }),
      await callingFlow(admin, 'create', '{{ .call.body.id }}', { enabled: true }),
    ];
    const answer = (body: object) => ({ statusCode: 200, headers: {}, durationMs: 1, body });
    for (const [flow, name, seen] of [
      [good, 'has the id', 'a'],
      [bad, 'has another id', 'b'],
    ] as const) {
      const body = {
        ...{ name, required: true, args: {}, expected: { call: { body: { id: seen } } } },
        fixtures: { call: answer({ id: 'a' }), read: answer({}) },
      };
      expect((await admin.send('POST', `/api/v1/flows/${flow}/test-cases`, { body })).status).toBe(201);
    }
    await refresh(admin, id, { source: { document: CHANGED } });
    const pinned = await pinOf(bad);
    expect(await adopt(admin, [good, bad])).toMatchObject([
      { flowId: good, result: 'adopted' },
      {
        ...{ flowId: bad, result: 'refused', code: 'required_case_failed' },
        message: expect.stringMatching(/has another id/) as string,
      },
    ]);
    expect(await pinOf(good)).toBe(await digestOf(admin, 'create'));
    expect(await pinOf(bad)).toBe(pinned);
  });

  it('is for those who may edit the flow, and stores nothing that cannot be enabled', async () => {
    const admin = await person('admin');
    const id = await givenApi(admin);
    const flow = await callingFlow(admin, 'create', '{{ .call.body.id }}');
    const broken = await callingFlow(admin, 'create', '{{ .nobody.body }}', { enabled: true });
    await refresh(admin, id, { source: { document: CHANGED } });
    const pinned = await pinOf(flow);
    const manager = await person('integration_manager', admin.scope.companyId);
    expect(await adopt(manager, [flow])).toMatchObject([{ result: 'refused', code: 'denied' }]);
    expect(await pinOf(flow)).toBe(pinned);
    expect(await adopt(admin, [broken])).toMatchObject([{ flowId: broken, result: 'refused' }]);
    expect(await pinOf(broken)).toBe(pinned);
    const stranger = await person('admin');
    const other = await stranger.send('POST', `${PATH}/${id}/adopt`, { body: { flows: [flow] } });
    expect(other.status).toBe(404);
  });
});

describe('operations to which nothing is pinned', () => {
  it('go a day after they were replaced; those of flow versions stay', async () => {
    const admin = await person('admin');
    const id = await givenApi(admin);
    const [create, cancel] = [await digestOf(admin, 'create'), await digestOf(admin, 'cancel')];
    const flow = await callingFlow(admin, 'create', '1');
    const { layers } = (await flows.findOne({ _id: flow })) as FlowDocument;
    await mongo.collection('flow_versions').insertOne({
      _id: `${flow}:77` as never,
      ...{ companyId: admin.scope.companyId, flowId: flow, version: 77, layers },
    });
    await refresh(admin, id, { source: { document: CHANGED } });
    const operations = mongo.collection('api_operations');
    expect(await operations.countDocuments({ apiId: id })).toBe(6);
    await operations.updateMany(
      { apiId: id, current: false },
      { $set: { pastSince: new Date(Date.now() - 90_000_000) } },
    );
    // versions go on to name its former key
    expect((await admin.send('PATCH', `${PATH}/${id}`, { body: { key: 'sales' } })).status).toBe(200);
    await refresh(admin, id, {});
    const past = await operations.find({ apiId: id, current: false }).toArray();
    expect(past.map(({ digest }) => digest as string)).toEqual([create]);
    const read = async (name: string, digest: string) =>
      (await admin.send('GET', `${PATH}/sales/operations/${name}?digest=${digest}`)).status;
    expect(await read('create', create)).toBe(200);
    expect(await read('cancel', cancel)).toBe(404);
  });
});
