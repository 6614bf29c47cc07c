import { AUDIT_LOGS, type AuditDocument } from '@weft/store';
import { describe, expect, it } from 'vitest';
import { liveApi, newId, textOf, type Json, type Person } from '../../../../../test/api/live-api.js';

const { mongo, person } = await liveApi();
const editor = await person('flow_editor');

const at = (flowId: string, path = ''): string => `/api/v1/flows/${flowId}${path}`;
const byKey = (key: string): string => `/api/v1/flows/by-key/${key}/document`;
const idsOf = (body: Json): Record<string, string> =>
  Object.fromEntries((body.layers as unknown as readonly Json[]).map(({ ref, id }) => [textOf(ref), textOf(id)]));

const say = (ref: string, template = ref) => ({ ref, appId: 'text-template', args: { template } });
const fetch = {
  ref: 'fetch',
  appId: 'web-request',
  args: { url: 'https://example.com', headers: { 'X-Api-Key': 's3' } },
};
const ada = { name: 'ada', required: true, args: {}, fixtures: { fetch: {} }, expected: { say: { text: 'hello' } } };
const orders = {
  schema: 'weft.flow/1',
  name: 'Orders',
  layers: [fetch, say('say', 'hello')],
  testCases: [ada],
};

async function made(by: Person = editor): Promise<string> {
  const { body } = await by.send('POST', '/api/v1/flows/import', { body: { document: orders } });
  return textOf(body.id);
}

describe('a dry run', () => {
  it('judges a document as the change would, and stores nothing', async () => {
    const flowId = await made();
    const flows = () => mongo.collection('flows').countDocuments({ company_id: editor.scope.companyId });
    const before = [(await editor.send('GET', at(flowId))).body, await flows()];
    const wrong = { ...orders, layers: [{ ...say('say'), appId: 'no-such-module' }] };
    const ask = (document: object, dryRun: unknown = true) => ({ body: { document, dryRun } });
    const change = { ...orders, name: 'Changed' };
    for (const [method, path] of [
      ['POST', '/api/v1/flows/import'],
      ['PUT', at(flowId, '/document')],
      ['PUT', byKey('of-nothing')],
    ] as const) {
      expect(await editor.send(method, path, ask(wrong))).toMatchObject({
        ...{ status: 422, body: { errors: [{ path: 'document.layers.0.appId' }] } },
      });
      expect(await editor.send(method, path, ask(change))).toMatchObject({ status: 200, body: { name: 'Changed' } });
      expect((await editor.send(method, path, ask(change, 'yes'))).status).toBe(400);
    }
    expect([(await editor.send('GET', at(flowId))).body, await flows()]).toEqual(before);
  });
});

describe('PUT /flows/{id}/document', () => {
  it('makes a flow as the document says in one version; layers and cases keep their ids', async () => {
    const flowId = await made();
    const before = (await editor.send('GET', at(flowId))).body;
    const [kept] = (await editor.send('GET', at(flowId, '/test-cases'))).body.items as unknown as readonly Json[];
    const exported = await editor.send('GET', at(flowId, '/export'));
    expect(exported.headers.etag).toMatch(/^"1-[0-9a-f]{16}"$/);
    const document = {
      ...exported.body,
      category: 'sales',
      settings: { concurrency: 3 },
      layers: [say('first'), ...(exported.body.layers as unknown as readonly object[])],
      testCases: [
        ...(exported.body.testCases as unknown as readonly object[]),
        { ...ada, name: 'bob', required: false },
      ],
    };
    const put = await editor.send('PUT', at(flowId, '/document'), { body: document, headers: { 'if-match': '"1"' } });
    expect(put).toMatchObject({
      status: 200,
      headers: { etag: expect.stringMatching(/^"2-/) as string },
      body: {
        version: 2,
        enabled: false,
        category: 'sales',
        settings: { concurrency: 3 },
        layers: [{ ref: 'first' }, { ref: 'fetch', args: fetch.args }, { ref: 'say', index: 2 }],
      },
    });
    expect(idsOf(put.body)).toMatchObject(idsOf(before));
    const cases = (await editor.send('GET', at(flowId, '/test-cases'))).body.items as unknown as readonly Json[];
    expect(cases.map(({ name }) => name)).toEqual(['bob', 'ada']);
    expect(cases[1]).toEqual(kept);
    const entry = { resource_id: flowId, action_type: 'flow_updated' } as const;
    expect(await mongo.collection<AuditDocument>(AUDIT_LOGS).find(entry).toArray()).toMatchObject([
      { changes: { testCases: { after: ['ada', 'bob'] }, layers: { after: ['first', 'fetch', 'say'] } } },
    ]);
  });

  it('writes nothing when the flow is like that: what an export gave, sent as it is or in "document"', async () => {
    const flowId = await made();
    const { body: document, headers } = await editor.send('GET', at(flowId, '/export'));
    for (const body of [document, { document }]) {
      const put = await editor.send('PUT', at(flowId, '/document'), { body });
      expect(put).toMatchObject({ status: 200, body: { version: 1 }, headers: { etag: headers.etag } });
    }
    expect((await editor.send('GET', at(flowId, '/export'))).body).toEqual(document);
  });

  it('is refused over test cases that were made, changed or removed after the export, and loses none', async () => {
    const flowId = await made();
    const cases = at(flowId, '/test-cases');
    const namesOf = async () =>
      ((await editor.send('GET', cases)).body.items as unknown as readonly Json[]).map(({ name }) => name);
    const [kept] = (await editor.send('GET', cases)).body.items as unknown as readonly Json[];
    let madeId = '';
    for (const change of [
      async () => {
        const { body } = await editor.send('POST', cases, { body: { name: 'late' } });
        madeId = textOf(body.id);
      },
      () => editor.send('PATCH', `${cases}/${textOf(kept?.id)}`, { body: { required: false } }),
      () => editor.send('DELETE', `${cases}/${madeId}`),
    ]) {
      const { etag } = (await editor.send('GET', at(flowId, '/export'))).headers;
      await change();
      const names = await namesOf();
      const body = { ...orders, testCases: [] };
      const put = await editor.send('PUT', at(flowId, '/document'), { body, headers: { 'if-match': String(etag) } });
      expect(put).toMatchObject({ status: 412, body: { code: 'version_conflict' } });
      expect(await namesOf()).toEqual(names);
    }
    const { etag } = (await editor.send('GET', at(flowId, '/export'))).headers;
    const put = await editor.send('PUT', at(flowId, '/document'), {
      body: { ...orders, testCases: [ada, { name: 'new' }] },
      headers: { 'if-match': `"99", ${String(etag)}` },
    });
    expect(put.status).toBe(200);
    expect((await editor.send('GET', at(flowId, '/export'))).headers.etag).toBe(put.headers.etag);
    expect(await namesOf()).toEqual(['new', 'ada']);
  });

  it('knows its tag where a version of the flow is meant, and a version where test cases do not matter', async () => {
    const flowId = await made();
    const { etag } = (await editor.send('GET', at(flowId, '/export'))).headers;
    const patched = await editor.send('PATCH', at(flowId), {
      body: { category: 'sales' },
      headers: { 'if-match': String(etag) },
    });
    expect(patched).toMatchObject({ status: 200, headers: { etag: '"2"' } });
    await editor.send('POST', at(flowId, '/test-cases'), { body: { name: 'late' } });
    const put = await editor.send('PUT', at(flowId, '/document'), { body: orders, headers: { 'if-match': '"2"' } });
    expect(put.status).toBe(200);
  });

  it('keeps a secret under a name with dots where the document leaves it out', async () => {
    const call = { ...fetch, args: { ...fetch.args, headers: { 'x.session.token': 's4' } } };
    const document = { ...orders, layers: [call], testCases: [] };
    const { body } = await editor.send('POST', '/api/v1/flows/import', { body: { document } });
    const flowId = textOf(body.id);
    const exported = (await editor.send('GET', at(flowId, '/export'))).body;
    expect(exported.layers).toMatchObject([{ args: { headers: { 'x.session.token': '[left out]' } } }]);
    const put = await editor.send('PUT', at(flowId, '/document'), { body: { ...exported, category: 'sales' } });
    expect(put.body).toMatchObject({ version: 2, layers: [{ args: { headers: { 'x.session.token': 's4' } } }] });
  });

  it('keeps the secrets of list entries by their names, and refuses one more with its place', async () => {
    const entries = [
      { name: 'password', value: 'S' },
      { name: 'api_token', value: 'T' },
    ];
    const args = { url: 'https://example.com', method: 'POST', bodyType: 'multipart', body: entries };
    const document = { ...orders, layers: [{ ...fetch, args }], testCases: [] };
    const flowId = textOf((await editor.send('POST', '/api/v1/flows/import', { body: { document } })).body.id);
    const exported = (await editor.send('GET', at(flowId, '/export'))).body;
    const put = (...names: readonly string[]) => {
      const body = names.map((name) => ({ name, value: '[left out]' }));
      const layers = [{ ...fetch, args: { ...args, body } }];
      return editor.send('PUT', at(flowId, '/document'), { body: { ...exported, layers } });
    };
    const reordered = (await put('api_token', 'password')).body;
    expect(reordered.layers).toMatchObject([{ args: { body: [{ value: 'T' }, { value: 'S' }] } }]);
    expect((await put('password')).body.layers).toMatchObject([{ args: { body: [{ name: 'password', value: 'S' }] } }]);
    const before = (await editor.send('GET', at(flowId))).body;
    expect((await put('client_secret', 'password')).body).toMatchObject({
      status: 422,
      code: 'left_out',
      errors: [{ path: 'document.layers.0.args.body.0.value', code: 'left_out' }],
    });
    const left = { ...exported, blueprintVars: { token: '[left out]' }, layers: [{ ...fetch, when: '{{ $nope }}' }] };
    expect((await editor.send('PUT', at(flowId, '/document'), { body: left })).body).toMatchObject({
      code: 'invalid_document',
      errors: [{ path: 'document.layers.0.when' }, { path: 'document.blueprintVars.token', code: 'left_out' }],
    });
    expect((await editor.send('GET', at(flowId))).body).toEqual(before);
  });

  it('keeps what the document leaves out because it looks like a secret, in another company until it is filled in', async () => {
    const args = {
      url: 'https://u:p4ss@orders.example/?api_key=k123',
      method: 'POST',
      headers: { authorization: "Basic {{ $base64encode('user:hunter2') }}" },
      bodyType: 'multipart',
      body: [
        { name: 'password', value: 'hunter2' },
        { name: 'details', value: { 'X-Auth-Token': 5 } },
      ],
    };
    const document = { ...orders, layers: [{ ...fetch, args }], testCases: [] };
    const { body } = await editor.send('POST', '/api/v1/flows/import', { body: { document } });
    const flowId = textOf(body.id);
    const exported = (await editor.send('GET', at(flowId, '/export'))).body;
    expect(JSON.stringify(exported)).not.toMatch(/p4ss|k123|hunter2|:5\b/);
    const put = await editor.send('PUT', at(flowId, '/document'), { body: { ...exported, category: 'sales' } });
    expect(put.body).toMatchObject({ version: 2, layers: [{ args }] });
    const other = await person('flow_editor');
    const copy = await other.send('POST', '/api/v1/flows/import', { body: { document: exported } });
    const { status, body: refusal } = await other.send('PATCH', at(textOf(copy.body.id)), { body: { enabled: true } });
    const paths = ['url', 'headers.authorization', 'body.0.value', 'body.1.value.X-Auth-Token'];
    expect([status, refusal.errors]).toMatchObject([422, paths.map((path) => ({ path: `layers.fetch.args.${path}` }))]);
  });

  it('keeps a layer under a new ref by its id, and gives cases that changed places the order of the document', async () => {
    const flowId = await made();
    const { fetch: fetchId } = idsOf((await editor.send('GET', at(flowId))).body);
    const document = {
      ...orders,
      layers: [{ ...fetch, id: fetchId, ref: 'get' }, say('say', 'hello')],
      testCases: [{ ...ada, name: 'bob' }, ada],
    };
    const put = await editor.send('PUT', at(flowId, '/document'), { body: document });
    expect(idsOf(put.body)).toMatchObject({ get: fetchId });
    const again = { ...document, testCases: [ada, { ...ada, name: 'bob' }] };
    await editor.send('PUT', at(flowId, '/document'), { body: again });
    const exported = await editor.send('GET', at(flowId, '/export'));
    expect(exported.body.testCases).toMatchObject([{ name: 'ada' }, { name: 'bob' }]);
    const strange = { ...document, layers: [{ ...fetch, id: newId() }] };
    expect((await editor.send('PUT', at(flowId, '/document'), { body: strange })).body.code).toBe('unknown_id');
  });

  it('leaves an enabled flow as it is when the document could not be enabled, judged by the cases of the document', async () => {
    const flowId = await made();
    const put = (body: object) => editor.send('PUT', at(flowId, '/document'), { body });
    expect((await editor.send('PUT', at(flowId), { body: { enabled: true } })).status).toBe(200);
    const layers = [fetch, say('say', 'goodbye')];
    expect((await put({ ...orders, layers })).body).toMatchObject({ status: 422, code: 'required_case_failed' });
    const unresolved = { ...orders, layers: [say('say', '{{ .nowhere.x }}')] };
    expect((await put(unresolved)).body).toMatchObject({ status: 422, code: 'unresolved_refs' });
    expect((await editor.send('GET', at(flowId))).body.version).toBe(2);
    const testCases = [{ ...ada, expected: { say: { text: 'goodbye' } } }];
    expect((await put({ ...orders, layers, testCases })).body).toMatchObject({ version: 3, enabled: true });
  });

  it('is refused to who may not edit, over another version, and with the place of each fault', async () => {
    const flowId = await made();
    const put = (body: unknown, by: Person = editor, headers = {}) =>
      by.send('PUT', at(flowId, '/document'), { body, headers });
    expect((await put(orders, await person('flow_executor', editor.scope.companyId))).body.code).toBe('denied');
    expect((await put(orders, await person('admin'))).body.code).toBe('not_found');
    expect((await put(orders, editor, { 'if-match': '"7"' })).body.code).toBe('version_conflict');
    expect((await put([])).body.code).toBe('invalid_body');
    expect((await put({ ...orders, layers: [{ ref: 'a' }] })).body).toMatchObject({
      status: 422,
      code: 'invalid_document',
      errors: [{ path: 'document.layers.0.appId' }],
    });
    expect((await put({ ...orders, layerz: [] })).body).toMatchObject({
      status: 400,
      errors: [{ path: 'layerz', code: 'unknown_field' }],
    });
  });
});

describe('PUT /flows/by-key/{key}/document', () => {
  it('makes a flow the first time, and changes the same one from then on', async () => {
    const key = `orders-${newId()}`;
    const first = await editor.send('PUT', byKey(key), { body: orders });
    const flowId = textOf(first.body.id);
    expect(first).toMatchObject({ status: 201, headers: { location: at(flowId) }, body: { key } });
    expect((await editor.send('GET', at(flowId, '/export'))).headers.etag).toBe(first.headers.etag);
    expect(first.body.enabled).toBe(false);
    const second = await editor.send('PUT', byKey(key), { body: { ...orders, name: 'New' } });
    expect(second).toMatchObject({ status: 200, body: { id: flowId, key, name: 'New', version: 2 } });
    expect((await editor.send('GET', `/api/v1/flows?key=${key}`)).body.items).toMatchObject([{ id: flowId }]);
    const elsewhere = await person('flow_editor');
    expect((await elsewhere.send('PUT', byKey(key), { body: orders })).status).toBe(201);
  });

  it('refuses a tool of more than 32 KB, as an import does and a flow that is there', async () => {
    const argsSchema = { description: 'x'.repeat(1_000_000) };
    const document = { ...orders, settings: { mcp: { tool: 'orders', description: 'Takes orders', argsSchema } } };
    const flowId = await made();
    for (const [method, path, body] of [
      ['PUT', byKey(newId()), document],
      ['PUT', at(flowId, '/document'), document],
      ['POST', '/api/v1/flows/import', { document }],
    ] as const) {
      expect((await editor.send(method, path, { body })).body).toMatchObject({
        status: 422,
        code: 'invalid_document',
        errors: [{ path: 'document.settings.mcp', code: 'too_large' }],
      });
    }
  });

  it('makes one flow when several ask at once', async () => {
    const key = newId();
    const answers = await Promise.all([1, 2, 3].map(() => editor.send('PUT', byKey(key), { body: orders })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 201]);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  });

  it('is for editors of the flow, needs a key, and knows no version of a flow that is not there', async () => {
    const key = newId();
    const admin = await person('admin', editor.scope.companyId);
    const other = await person('flow_editor', editor.scope.companyId);
    const { body } = await admin.send('PUT', byKey(key), { body: orders });
    await admin.send('PUT', at(textOf(body.id)), { body: { restricted: true } });
    expect((await other.send('PUT', byKey(key), { body: orders })).body.code).toBe('denied');
    const viewer = await person('viewer', editor.scope.companyId);
    expect((await viewer.send('PUT', byKey(newId()), { body: orders })).body.code).toBe('denied');
    expect((await editor.send('PUT', byKey('-x'), { body: orders })).body.code).toBe('invalid_body');
    for (const ifMatch of ['"1"', '*']) {
      const absent = newId();
      const headers = { 'if-match': ifMatch };
      const put = await editor.send('PUT', byKey(absent), { body: orders, headers });
      expect(put).toMatchObject({ status: 412, body: { code: 'version_conflict' } });
      expect((await editor.send('GET', `/api/v1/flows?key=${absent}`)).body.items).toEqual([]);
    }
    const headers = { 'if-match': '*' };
    expect((await admin.send('PUT', byKey(key), { body: orders, headers })).status).toBe(200);
  });
});

describe('the key of a flow', () => {
  it('belongs to one flow that is not deleted', async () => {
    const key = newId();
    const send = (name: string) => editor.send('POST', '/api/v1/flows', { body: { name, key } });
    const admin = await person('admin', editor.scope.companyId);
    const flowId = textOf((await send('one')).body.id);
    expect((await send('two')).body).toMatchObject({ status: 409, code: 'key_taken', errors: [{ path: 'key' }] });
    const other = textOf((await editor.send('POST', '/api/v1/flows', { body: { name: 'three' } })).body.id);
    expect((await editor.send('PATCH', at(other), { body: { key } })).body.code).toBe('key_taken');
    await admin.send('DELETE', at(flowId));
    expect((await editor.send('PATCH', at(other), { body: { key } })).body).toMatchObject({ key, version: 2 });
    expect((await admin.send('POST', at(flowId, '/restore'))).body.code).toBe('key_taken');
    expect((await editor.send('PATCH', at(other), { body: { key: null } })).body.key).toBeNull();
    expect((await admin.send('POST', at(flowId, '/restore'))).body.key).toBe(key);
  });
});
