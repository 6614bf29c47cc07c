import { layerModules } from '@weft/layers';
import { AUDIT_LOGS, type AuditDocument } from '@weft/store';
import { describe, expect, it } from 'vitest';
import { storeApi, storeMcpServer } from '../../../../test/fixtures/stored-api.js';
import { liveApi, newId, textOf, type Person } from '../../../../test/api/live-api.js';
import type { ModuleView } from '../modules/module.view.js';

const { mongo, send, person } = await liveApi();
const editor = await person('flow_editor');
const companyId = editor.scope.companyId;

async function newFlow(by: Person = editor, fields: object = {}): Promise<string> {
  const { status, body } = await by.send('POST', '/api/v1/flows', { body: { name: 'flow', ...fields } });
  expect(status).toBe(201);
  return textOf(body.id);
}

function addLayer(flowId: string, ref: string, template: string, fields: object = {}) {
  return editor.send('POST', `/api/v1/flows/${flowId}/layers`, {
    body: { ref, appId: 'text-template', args: { template }, ...fields },
  });
}

const actionsOf = async (flowId: string): Promise<string[]> =>
  (await mongo.collection<AuditDocument>(AUDIT_LOGS).find({ resource_id: flowId }).sort({ _id: 1 }).toArray()).map(
    (entry) => entry.action_type,
  );

describe('the flow that handles failures', () => {
  const settle = (by: Person, flowId: string, onFailure: string | null) =>
    by.send('PUT', `/api/v1/flows/${flowId}`, { body: { settings: { onFailure } } });

  it('is set, shown, exported, and taken from a document', async () => {
    const [handler, flowId] = [await newFlow(), await newFlow()];
    expect((await settle(editor, flowId, handler)).body).toMatchObject({ settings: { onFailure: handler } });
    const { body } = await editor.send('GET', `/api/v1/flows/${flowId}/export`);
    expect(body).toMatchObject({ settings: { onFailure: handler } });
    const imported = await editor.send('POST', '/api/v1/flows/import', { body: { document: body } });
    expect(imported).toMatchObject({ status: 201, body: { settings: { onFailure: handler } } });
    expect((await settle(editor, flowId, null)).body).toMatchObject({ settings: { onFailure: null } });
  });

  it('must be another flow of the company that its writer may run', async () => {
    const flowId = await newFlow();
    const foreign = await newFlow(await person('flow_editor'));
    const blueprint = await newFlow(editor, { isBlueprint: true });
    const admin = await person('admin', companyId);
    const hidden = await newFlow(admin, { restricted: true });
    const refusals = [
      [flowId, 400, 'invalid_body'],
      [blueprint, 400, 'invalid_body'],
      [foreign, 422, 'unknown_id'],
      ['nobody', 422, 'unknown_id'],
      [hidden, 403, 'denied'],
    ] as const;
    for (const [onFailure, status, code] of refusals) {
      const answer = await settle(editor, flowId, onFailure);
      expect(answer.body).toMatchObject({ status, code, errors: [{ path: 'settings.onFailure' }] });
    }
    expect((await settle(admin, flowId, hidden)).status).toBe(200);
    // it stays when somebody who may not run it changes something else
    expect((await editor.send('PUT', `/api/v1/flows/${flowId}`, { body: { name: 'other' } })).status).toBe(200);
    expect((await settle(editor, flowId, hidden)).status).toBe(200);
    const made = await editor.send('POST', '/api/v1/flows', { body: { name: 'x', settings: { onFailure: hidden } } });
    expect(made.body).toMatchObject({ status: 403, code: 'denied' });
  });
});

describe('flows over HTTP', () => {
  it('makes, reads, changes and lists a flow, under both prefixes', async () => {
    const made = await editor.send('POST', '/api/flows', {
      body: { name: 'Orders', category: 'sales', settings: { onMissing: 'null' } },
    });
    expect(made).toMatchObject({
      status: 201,
      headers: { location: `/api/v1/flows/${textOf(made.body.id)}`, etag: '"1"' },
      body: {
        name: 'Orders',
        enabled: true,
        category: 'sales',
        isBlueprint: false,
        company_id: companyId,
        description: '',
        version: 1,
        groupId: null,
        restricted: false,
        when: null,
        settings: { concurrency: null, timeoutMs: null, onMissing: 'null', maxOutputBytes: null },
        blueprintId: null,
        createdBy: editor.userId,
        filteredAt: null,
        valid: true,
        errors: [],
        layers: [],
      },
    });
    const path = `/api/v1/flows/${textOf(made.body.id)}`;
    const permissions = ['read', 'execute', 'edit', 'delete'];
    expect((await editor.send('GET', path)).body).toEqual({ ...made.body, permissions });
    const changed = await editor.send('PUT', path.replace('/v1', ''), {
      body: { name: 'Orders 2', settings: { maxOutputBytes: 1000 } },
    });
    expect(changed).toMatchObject({
      status: 200,
      headers: { etag: '"2"' },
      body: { version: 2, name: 'Orders 2', settings: { onMissing: 'null', maxOutputBytes: 1000 } },
    });
    expect((await editor.send('PATCH', path, { body: { name: 'Orders 2' } })).body.version).toBe(2);
    const listed = await editor.send('GET', '/api/v1/flows?category=sales&size=10');
    expect(listed.body).toMatchObject({ page: 0, size: 10, total: 1, totalCapped: false, nextCursor: null });
    expect(listed.body.items).toMatchObject([{ id: made.body.id, name: 'Orders 2' }]);
    expect(await actionsOf(textOf(made.body.id))).toEqual(['flow_created', 'flow_updated']);
  });

  it('keeps settings that are left out, and takes null for the default', async () => {
    const flowId = await newFlow(editor, { settings: { concurrency: 1000, timeoutMs: 5 }, when: '{{ $prev.args.a }}' });
    const put = async (body: object) => (await editor.send('PUT', `/api/v1/flows/${flowId}`, { body })).body;
    const settings = { concurrency: 1000, timeoutMs: null, onMissing: 'fail', maxOutputBytes: null };
    expect(await put({ settings: { timeoutMs: null } })).toMatchObject({ settings, when: '{{ $prev.args.a }}' });
    expect(await put({ when: null })).toMatchObject({ settings, when: null, version: 3 });
  });

  it.each([
    ['cannot be read', '{{ .a', /ends with/],
    ['reads an output', '{{ .a.text }}', /cannot read .a.text/],
    ['is none', 'args.a > 1', /one expression in braces/],
  ])('refuses a condition that %s', async (_what, when, message) => {
    const error = { path: 'when', code: 'invalid_expression', message: expect.stringMatching(message) as string };
    const refused = { status: 422, code: 'invalid_expression', errors: [error] };
    expect((await editor.send('POST', '/api/v1/flows', { body: { name: 'x', when } })).body).toMatchObject(refused);
    const flowId = await newFlow();
    expect((await editor.send('PUT', `/api/v1/flows/${flowId}`, { body: { when } })).body).toMatchObject(refused);
  });

  it('refuses a group that the company does not have', async () => {
    const answer = await editor.send('POST', '/api/v1/flows', { body: { name: 'x', groupId: 'nobody' } });
    expect(answer.body).toMatchObject({ status: 422, code: 'unknown_id', errors: [{ path: 'groupId' }] });
  });

  it('turns a run away whose args the condition does not take: SKIP at once, and its key stays free', async () => {
    const flowId = await newFlow(editor, { when: '{{ $prev.args.on }}' });
    const run = async (args: object, key: string) => {
      const { status, body } = await editor.send('POST', `/api/v1/flows/${flowId}/run`, {
        body: { args, idempotencyKey: key },
      });
      return { status, state: textOf(body.state), playId: textOf(body.playId) };
    };
    const skipped = await run({ on: false }, 'k');
    expect(skipped).toMatchObject({ status: 202, state: 'SKIP' });
    const play = await editor.send('GET', `/api/v1/plays/${skipped.playId}`);
    expect(play.body).toMatchObject({ state: 'SKIP', startedAt: null, error: null });
    const taken = await run({ on: true }, 'k');
    expect(taken).toMatchObject({ status: 202, state: 'RUN' });
    expect(await run({ on: false }, 'k')).toEqual({ ...taken, status: 200 });
    expect(await run({}, 'other')).toMatchObject({ status: 202, state: 'SKIP' });
    const rerun = async (body: object) =>
      (await editor.send('POST', `/api/v1/plays/${skipped.playId}/rerun`, { body })).body.state;
    expect([await rerun({}), await rerun({ args: { on: true } })]).toEqual(['SKIP', 'RUN']);
  });

  it('tells in the audit log who changed what, and no secret', async () => {
    const flowId = await newFlow();
    const args = { url: 'https://example.com', headers: { Authorization: 'Bearer abc' } };
    const layer = { ref: 'call', appId: 'web-request', args };
    const sent = await editor.send('POST', `/api/v1/flows/${flowId}/layers`, {
      body: layer,
      headers: { 'x-request-id': 'my-request' },
    });
    expect(sent.status).toBe(201);
    const entry = await mongo
      .collection<AuditDocument>(AUDIT_LOGS)
      .findOne({ resource_id: flowId, action_type: 'layer_created' });
    expect(entry).toMatchObject({
      company_id: companyId,
      UserID: editor.userId,
      UserEmail: `${editor.userId}@weft.test`,
      UserIPAddress: '127.0.0.1',
      request_id: 'my-request',
      outcome: 'success',
      changes: {
        layer: { before: null, after: sent.body.id },
        args: { after: { url: 'https://example.com', headers: { Authorization: '[secret]' } } },
      },
    });
  });

  it.each([
    ['a missing name', { enabled: true }, 'invalid_body', 'name'],
    ['a wrong type', { name: 7 }, 'invalid_body', 'name'],
    ['null for what cannot be null', { name: null }, 'invalid_body', 'name'],
    ['an unknown field', { name: 'x', colour: 'red' }, 'unknown_field', 'colour'],
    ['an inherited name', '{"name":"x","constructor":1}', 'unknown_field', 'constructor'],
    ['an unknown nested field', { name: 'x', settings: { speed: 1 } }, 'unknown_field', 'settings.speed'],
    ['no play at once', { name: 'x', settings: { concurrency: 0 } }, 'invalid_body', 'settings.concurrency'],
    ['too many plays at once', { name: 'x', settings: { concurrency: 1001 } }, 'invalid_body', 'settings.concurrency'],
    ['a time limit in parts', { name: 'x', settings: { timeoutMs: 0.5 } }, 'invalid_body', 'settings.timeoutMs'],
    ['a poisoned key', '{"name":"x","__proto__":{}}', 'invalid_body', '__proto__'],
    ['a smuggled operator', { name: { $gt: '' } }, 'invalid_body', 'name.$gt'],
    ['a list', [], 'invalid_body', ''],
  ])('refuses a body with %s', async (_what, body, code, path) => {
    const answer = await editor.send('POST', '/api/v1/flows', { body });
    expect(answer).toMatchObject({ status: 400, body: { code } });
    expect((answer.body.errors as unknown as { path: string }[]).map((error) => error.path)).toContain(path);
  });

  it('refuses unknown, repeated and out-of-range parameters', async () => {
    for (const query of [
      'colour=red',
      'size=0',
      'size=201',
      'page=-1',
      'page=x',
      'enabled=yes',
      'q=a&q=b',
      'cursor=x',
    ]) {
      const answer = await editor.send('GET', `/api/v1/flows?${query}`);
      expect([query, answer.status, answer.body.code]).toEqual([query, 400, 'invalid_query']);
    }
  });

  it('shows nothing of another company', async () => {
    const flowId = await newFlow();
    const stranger = await person('admin');
    for (const [method, path] of [
      ['GET', ''],
      ['PUT', ''],
      ['DELETE', ''],
      ['GET', '/layers'],
      ['GET', '/plays'],
    ]) {
      const answer = await stranger.send(String(method), `/api/v1/flows/${flowId}${String(path)}`);
      expect([method, path, answer.status, answer.body.code]).toEqual([method, path, 404, 'not_found']);
    }
    expect((await stranger.send('GET', '/api/v1/flows')).body.total).toBe(0);
  });

  it('holds a restricted flow back from everybody but its creator and admins', async () => {
    const flowId = await newFlow(editor, { restricted: true });
    const colleague = await person('flow_editor', companyId);
    const admin = await person('admin', companyId);
    expect((await colleague.send('GET', `/api/v1/flows/${flowId}`)).body).toMatchObject({
      status: 403,
      code: 'denied',
    });
    expect((await admin.send('GET', `/api/v1/flows/${flowId}`)).status).toBe(200);
    const seen = async (by: Person): Promise<boolean> =>
      ((await by.send('GET', '/api/v1/flows?size=200')).body.items as unknown as { id: string }[]).some(
        (flow) => flow.id === flowId,
      );
    expect([await seen(editor), await seen(admin), await seen(colleague)]).toEqual([true, true, false]);
  });

  it('changes only the version that If-Match names', async () => {
    const flowId = await newFlow();
    const change = (tag: string) =>
      editor.send('PUT', `/api/v1/flows/${flowId}`, { body: { name: tag }, headers: { 'if-match': tag } });
    expect((await change('"1"')).body.version).toBe(2);
    expect((await change('"1"')).body).toMatchObject({ status: 412, code: 'version_conflict' });
    expect((await change('rubbish')).status).toBe(412);
    expect((await change('"1", "2"')).body.version).toBe(3);
  });

  it('lets simultaneous changes all through, each as a version of its own', async () => {
    const flowId = await newFlow();
    const answers = await Promise.all(['a', 'b', 'c', 'd'].map((ref) => addLayer(flowId, ref, 'x')));
    expect(answers.map((answer) => answer.status)).toEqual([201, 201, 201, 201]);
    const flow = (await editor.send('GET', `/api/v1/flows/${flowId}`)).body;
    expect(flow).toMatchObject({ version: 5 });
    expect(flow.layers).toHaveLength(4);
  });

  it('deletes once; then it is gone for everything but the history', async () => {
    const admin = await person('admin', companyId);
    const flowId = await newFlow(editor);
    const helper = await person('flow_editor', companyId);
    expect((await helper.send('DELETE', `/api/v1/flows/${flowId}`)).body).toMatchObject({
      status: 403,
      code: 'denied',
    });
    expect((await editor.send('DELETE', `/api/v1/flows/${flowId}`)).status).toBe(204);
    expect((await editor.send('DELETE', `/api/v1/flows/${flowId}`)).status).toBe(404);
    expect((await editor.send('GET', `/api/v1/flows/${flowId}`)).status).toBe(404);
    expect((await addLayer(flowId, 'a', 'x')).status).toBe(404);
    expect((await editor.send('GET', `/api/v1/flows/${flowId}/plays`)).body.total).toBe(0);
    expect((await editor.send('GET', '/api/v1/flows?filtered=true')).body.code).toBe('denied');
    const filtered = (await admin.send('GET', '/api/v1/flows?filtered=true')).body;
    expect(filtered.items).toContainEqual(expect.objectContaining({ id: flowId, enabled: true }));
    expect(await actionsOf(flowId)).toEqual(['flow_created', 'flow_deleted']);
  });

  it('brings a deleted flow back for admins, disabled, with what it was', async () => {
    const admin = await person('admin', companyId);
    const flowId = await newFlow(editor, { name: 'back' });
    await addLayer(flowId, 'a', 'x');
    const restore = (by: Person) => by.send('POST', `/api/v1/flows/${flowId}/restore`);
    expect((await restore(admin)).status).toBe(404);
    expect((await editor.send('DELETE', `/api/v1/flows/${flowId}`)).status).toBe(204);
    expect((await restore(editor)).body.code).toBe('denied');
    expect((await restore(await person('admin'))).status).toBe(404);
    const back = await restore(admin);
    expect(back).toMatchObject({
      status: 200,
      headers: { etag: '"4"' },
      body: { name: 'back', enabled: false, filteredAt: null, version: 4, layers: [{ ref: 'a' }] },
    });
    expect((await editor.send('GET', `/api/v1/flows/${flowId}`)).body).toMatchObject(back.body);
    expect((await actionsOf(flowId)).at(-1)).toBe('flow_restored');
  });
});

describe('layers over HTTP', () => {
  it('keeps order, answers with what is doubtful, and lets it be put right', async () => {
    const flowId = await newFlow();
    const path = `/api/v1/flows/${flowId}/layers`;
    const second = await addLayer(flowId, 'second', '{{ .first.text }} {{ .frist.text }}');
    expect(second).toMatchObject({
      status: 201,
      headers: { location: `${path}/${textOf(second.body.id)}` },
      body: { flowId, name: 'second', index: 0, onError: 'fail', onInterrupted: 'repeat', timeoutMs: null, when: null },
    });
    expect(second.body.warnings).toMatchObject([
      { path: 'args.template', code: 'unknown_ref' },
      { path: 'args.template', code: 'unknown_ref' },
    ]);
    const first = await addLayer(flowId, 'first', 'x', { index: 0, name: 'First' });
    expect(first.body).toMatchObject({ index: 0, name: 'First', warnings: [] });
    const listed = (await editor.send('GET', path)).body as unknown as {
      ref: string;
      warnings: { message: string }[];
    }[];
    expect(listed.map((layer) => layer.ref)).toEqual(['first', 'second']);
    expect(listed[1]?.warnings.map((warning) => warning.message)).toEqual([
      expect.stringMatching(/"frist".*did you mean first/),
    ]);
    const reordered = await editor.send('PUT', `${path}/order`, {
      body: { layerIds: [second.body.id, first.body.id] },
    });
    expect(reordered.body).toMatchObject([
      { ref: 'second', index: 0, warnings: [{ code: 'later_ref' }, { code: 'unknown_ref' }] },
      { ref: 'first', index: 1 },
    ]);
    const fixed = await editor.send('PUT', `${path}/${textOf(second.body.id)}`, {
      body: { args: { template: '{{ .first.text }}' }, index: 5 },
    });
    expect(fixed.body).toMatchObject({ index: 5, warnings: [] });
    expect((await editor.send('DELETE', `${path}/${textOf(first.body.id)}`)).status).toBe(204);
    expect((await editor.send('DELETE', `${path}/${textOf(first.body.id)}`)).status).toBe(404);
    expect((await editor.send('GET', `${path}/${textOf(second.body.id)}`)).body.warnings).toHaveLength(1);
    expect(await actionsOf(flowId)).toEqual([
      'flow_created',
      'layer_created',
      'layer_created',
      'layers_reordered',
      'layer_updated',
      'layer_deleted',
    ]);
  });

  it('enables a flow only when its references lead somewhere', async () => {
    const flowId = await newFlow(editor, { enabled: false });
    await addLayer(flowId, 'a', '{{ .missing.text }}');
    const refused = await editor.send('PUT', `/api/v1/flows/${flowId}`, { body: { enabled: true } });
    expect(refused.body).toMatchObject({
      status: 422,
      code: 'unresolved_refs',
      errors: [{ path: 'layers.a.args.template', code: 'unknown_ref' }],
    });
    await addLayer(flowId, 'missing', 'x', { index: 0 });
    expect((await editor.send('PUT', `/api/v1/flows/${flowId}`, { body: { enabled: true } })).status).toBe(200);
  });

  it('refuses what makes no sense by itself', async () => {
    const flowId = await newFlow();
    expect((await addLayer(flowId, 'a', 'x')).status).toBe(201);
    const codeOf = async (body: object): Promise<unknown> =>
      (await editor.send('POST', `/api/v1/flows/${flowId}/layers`, { body })).body.code;
    const good = { ref: 'b', appId: 'text-template', args: { template: 'x' } };
    expect(await codeOf({ ...good, ref: 'a' })).toBe('ref_taken');
    expect(await codeOf({ ...good, ref: '1st' })).toBe('invalid_body');
    expect(await codeOf({ ...good, appId: 'no-such' })).toBe('unknown_app');
    expect(await codeOf({ ...good, appId: 'web-request', args: { url: 7 } })).toBe('invalid_args');
    expect(await codeOf({ ...good, args: { template: '{{ .a' } })).toBe('invalid_expression');
    expect(await codeOf({ ...good, retry: { attempts: 21 } })).toBe('invalid_body');
    expect(await codeOf({ ...good, when: null, retry: null, forEach: null, stage: null })).toBeUndefined();
  });

  it('keeps $-keys and dots in args as they are', async () => {
    const flowId = await newFlow();
    const args = { url: 'https://example.com', body: { $set: { 'a.b': 1 }, $ref: 'x' } };
    const { body } = await editor.send('POST', `/api/v1/flows/${flowId}/layers`, {
      body: { ref: 'call', appId: 'web-request', args },
    });
    expect(body.args).toEqual(args);
    expect((await editor.send('GET', `/api/v1/flows/${flowId}/layers/${textOf(body.id)}`)).body.args).toEqual(args);
  });
});

describe('modules over HTTP', () => {
  it('describes every module: what it is called, what it takes and gives, and how it is used', async () => {
    const { body } = await editor.send('GET', '/api/v1/modules');
    const modules = body.items as unknown as ModuleView[];
    expect(modules.map(({ appId }) => appId)).toEqual([...layerModules.keys()]);
    for (const module of modules) {
      const schema = { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object' };
      expect(module).toMatchObject({ argsSchema: schema, outSchema: schema });
      for (const text of [module.title, module.description, module.icon]) expect(text, module.appId).toMatch(/\S/);
      expect(module.examples.length, module.appId).toBeGreaterThan(0);
      const { status, body: one } = await editor.send('GET', `/api/modules/${module.appId}`);
      expect([status, one]).toEqual([200, module]);
    }
    expect((await editor.send('GET', '/api/modules/none')).status).toBe(404);
    expect((await send('GET', '/api/v1/modules')).status).toBe(401);
  });

  it('takes every example into a flow, and no constant that its module cannot use', async () => {
    const writer = await person('admin', editor.scope.companyId);
    await newFlow(writer, { key: 'open-task' });
    await storeApi(mongo, writer.scope, 'shop', {
      ...{ openapi: '3.1.0', info: { title: 'Shop', version: '1' }, servers: [{ url: 'https://api.example.com' }] },
      paths: {
        '/orders': { post: { operationId: 'createOrder', requestBody: { content: { 'application/json': {} } } } },
      },
    });
    const inputSchema = { type: 'object', properties: { query: { type: 'string' }, limit: { type: 'integer' } } };
    await storeMcpServer(mongo, writer.scope, 'wiki', [{ name: 'search', inputSchema }]);
    const path = `/api/v1/flows/${await newFlow()}/layers`;
    let n = 0;
    const save = (appId: string, args: object) =>
      writer.send('POST', path, { body: { ref: `l${(n += 1)}`, appId, args } });
    for (const { appId, examples } of layerModules.values()) {
      const [example] = examples;
      expect((await save(appId, example?.args ?? {})).status, appId).toBe(201);
      const refused = { status: 422, body: { code: 'invalid_args', errors: [{ path: 'args.notAnArgument' }] } };
      expect(await save(appId, { ...example?.args, notAnArgument: 1 }), appId).toMatchObject(refused);
    }
    const LINK = '0'.repeat(20);
    const wrong = async (appId: string, args: object) => (await save(appId, args)).body.errors;
    expect(await wrong('kv', { op: 'increment', key: 'k', by: 'x' })).toMatchObject([{ path: 'args.by' }]);
    expect(await wrong('email', { integrationId: LINK, to: ['a@b', 7], subject: 's', text: 't' })).toMatchObject([
      { path: expect.stringMatching(/^args\.to/) as string },
    ]);
    const message = { role: 'robot', content: '{{ $prev.args.text }}' };
    expect(await wrong('ai-chat', { integrationId: LINK, model: 'm', messages: [message] })).toMatchObject([
      { path: 'args.messages.0.role' },
    ]);
    // what only a run will know is checked then
    expect((await save('kv', { op: 'increment', key: 'k', by: '{{ $prev.args.by }}' })).status).toBe(201);
  });
});

describe('a flow that runs another flow', () => {
  it('is written by who may execute that one, and by admins where only a run will know which', async () => {
    const admin = await person('admin', editor.scope.companyId);
    const stranger = await person('admin');
    const [own, open, closed, foreign] = [
      await newFlow(),
      await newFlow(admin),
      await newFlow(admin, { restricted: true }),
      await newFlow(stranger),
    ];
    const write = (who: Person, flowId: string) => {
      const layer = { ref: `call${newId()}`, appId: 'run-flow', args: { flowId } };
      return who.send('POST', `/api/v1/flows/${own}/layers`, { body: layer });
    };
    const denied = { status: 403, body: { code: 'denied', errors: [{ code: 'denied' }] } };
    expect(await write(editor, closed)).toMatchObject(denied);
    expect(await write(editor, '{{ $prev.args.flow }}')).toMatchObject(denied);
    expect((await write(editor, open)).status).toBe(201);
    // another company's is like none: it says nothing, and runs nothing
    const [unknown, theirs] = [await write(editor, newId()), await write(editor, foreign)];
    expect([unknown.status, theirs.status]).toEqual([201, 201]);
    expect(Object.keys(theirs.body)).toEqual(Object.keys(unknown.body));
    const grant = { resource_type: 'flow', resource_id: closed, grant_type: 'user', grantee_id: editor.userId };
    await admin.send('POST', '/api/v1/access/grant', { body: { ...grant, permissions: ['execute'] } });
    expect((await write(editor, closed)).status).toBe(201);
    expect((await write(admin, '{{ $prev.args.flow }}')).status).toBe(201);
  });
});

describe('a flow that is read', () => {
  it('says what its reader may do with it, by role, as its creator and by grants', async () => {
    const [admin, viewer] = [
      await person('admin', editor.scope.companyId),
      await person('viewer', editor.scope.companyId),
    ];
    const id = await newFlow();
    const permissions = async (who: Person) => (await who.send('GET', `/api/v1/flows/${id}`)).body.permissions;
    expect(await permissions(editor)).toEqual(['read', 'execute', 'edit', 'delete']);
    expect(await permissions(viewer)).toEqual(['read']);
    const grant = { resource_type: 'flow', resource_id: id, grant_type: 'user', grantee_id: viewer.userId };
    await admin.send('POST', '/api/v1/access/grant', { body: { ...grant, permissions: ['execute', 'edit'] } });
    expect(await permissions(viewer)).toEqual(['read', 'execute', 'edit']);
  });
});
