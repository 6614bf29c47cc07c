import { AUDIT_LOGS, type AuditDocument } from '@weft/store';
import { describe, expect, it } from 'vitest';
import { liveApi, textOf, type Answer, type Json } from '../../../../../test/api/live-api.js';

const { mongo, person } = await liveApi();
const editor = await person('flow_editor');
const companyId = editor.scope.companyId;

const at = (flowId: string, path = ''): string => `/api/v1/flows/${flowId}${path}`;
const itemsOf = (answer: Answer): readonly Json[] => answer.body.items as unknown as readonly Json[];

async function newFlow(fields: object = {}): Promise<string> {
  const { status, body } = await editor.send('POST', '/api/v1/flows', { body: { name: 'flow', ...fields } });
  expect(status).toBe(201);
  return textOf(body.id);
}

async function addLayer(flowId: string, ref: string, template: string, fields: object = {}): Promise<string> {
  const body = { ref, appId: 'text-template', args: { template }, ...fields };
  const answer = await editor.send('POST', at(flowId, '/layers'), { body });
  expect(answer.status).toBe(201);
  return textOf(answer.body.id);
}

describe('versions over HTTP', () => {
  it('lists every change as a version, newest first, by page and by cursor', async () => {
    const flowId = await newFlow();
    for (const name of ['b', 'c', 'd']) await editor.send('PUT', at(flowId), { body: { name } });
    const numbers = (answer: Answer) => itemsOf(answer).map(({ version }) => version);
    const first = await editor.send('GET', at(flowId, '/versions?size=2'));
    expect(first.body).toMatchObject({
      page: 0,
      size: 2,
      total: 4,
      items: [{ version: 4, createdBy: editor.userId, flow: { id: flowId, name: 'd', version: 4 } }, { version: 3 }],
    });
    expect(itemsOf(first)[0]?.flow).not.toHaveProperty('layers');
    const second = await editor.send('GET', at(flowId, `/versions?size=2&cursor=${textOf(first.body.nextCursor)}`));
    expect(numbers(second)).toEqual([2, 1]);
    expect(second.body.nextCursor).toBeNull();
    expect(numbers(await editor.send('GET', at(flowId, '/versions?size=3&page=1')))).toEqual([1]);
    expect((await editor.send('GET', at(flowId, '/versions?cursor=x'))).body.code).toBe('invalid_query');
  });

  it('reads a flow as it was, and says what changed since', async () => {
    const flowId = await newFlow({ category: 'old' });
    const layerId = await addLayer(flowId, 'tell', 'one');
    await editor.send('PUT', at(flowId, `/layers/${layerId}`), { body: { args: { template: 'two' } } });
    await editor.send('PUT', at(flowId), { body: { category: 'new' } });
    const old = await editor.send('GET', at(flowId, '/versions/2'));
    expect(old).toMatchObject({
      status: 200,
      body: {
        version: 2,
        createdBy: editor.userId,
        flow: { id: flowId, category: 'old', version: 2, layers: [{ id: layerId, args: { template: 'one' } }] },
      },
    });
    const category = { path: 'category', before: 'old', after: 'new' };
    const template = { path: 'layers.tell.args.template', before: 'one', after: 'two' };
    const diff = async (path: string) => (await editor.send('GET', at(flowId, `/versions/${path}`))).body;
    expect(await diff('2/diff')).toEqual({ from: 2, to: 4, changes: [category, template] });
    expect(await diff('2/diff?to=3')).toEqual({ from: 2, to: 3, changes: [template] });
    expect(await diff('4/diff?to=3')).toMatchObject({ changes: [{ ...category, before: 'new', after: 'old' }] });
    for (const path of ['9', '0', 'x', '01', '9/diff', '2/diff?to=9']) {
      expect([path, (await diff(path)).code]).toEqual([path, 'not_found']);
    }
    expect((await diff('2/diff?to=x')).code).toBe('invalid_query');
  });

  it('restores content as a new version, and leaves how the flow stands', async () => {
    const flowId = await newFlow({ name: 'first', restricted: true });
    await addLayer(flowId, 'a', 'x');
    await editor.send('PUT', at(flowId), { body: { name: 'second', restricted: false, when: '{{ $prev.args.x }}' } });
    await addLayer(flowId, 'b', 'y');
    const restore = (number: number, headers = {}) =>
      editor.send('POST', at(flowId, `/versions/${number}/restore`), { headers });
    expect((await restore(2, { 'if-match': '"3"' })).body).toMatchObject({ status: 412, code: 'version_conflict' });
    const restored = await restore(2, { 'if-match': '"4"' });
    expect(restored).toMatchObject({
      status: 200,
      headers: { etag: '"5"' },
      body: { version: 5, name: 'first', restricted: false, when: null, layers: [{ ref: 'a' }] },
    });
    expect((await editor.send('GET', at(flowId, '/versions/4'))).body.flow).toMatchObject({ name: 'second' });
    expect((await restore(2)).body.version).toBe(5);
    expect((await restore(77)).status).toBe(404);
    const filter = { resource_id: flowId, action_type: 'flow_version_restored' } as const;
    const entries = await mongo.collection<AuditDocument>(AUDIT_LOGS).find(filter).toArray();
    expect(entries).toMatchObject([
      { changes: { restored: { before: 4, after: 2 }, layers: { before: ['a', 'b'], after: ['a'] } } },
    ]);
  });

  it('restores references that lead nowhere only into a disabled flow', async () => {
    const flowId = await newFlow();
    const layerId = await addLayer(flowId, 'a', '{{ .gone.text }}');
    await editor.send('PUT', at(flowId, `/layers/${layerId}`), { body: { args: { template: 'x' } } });
    const restore = () => editor.send('POST', at(flowId, '/versions/2/restore'));
    expect((await restore()).body).toMatchObject({
      status: 422,
      code: 'unresolved_refs',
      errors: [{ path: 'layers.a.args.template' }],
    });
    await editor.send('PUT', at(flowId), { body: { enabled: false } });
    expect((await restore()).body).toMatchObject({ version: 5, enabled: false, layers: [{ warnings: [{}] }] });
  });

  it('shows nothing of another company, and restores nothing for who may only read', async () => {
    const flowId = await newFlow();
    const stranger = await person('admin');
    const viewer = await person('viewer', companyId);
    for (const path of ['/versions', '/versions/1', '/versions/1/diff']) {
      expect((await stranger.send('GET', at(flowId, path))).status).toBe(404);
      expect((await viewer.send('GET', at(flowId, path))).status).toBe(200);
    }
    expect((await stranger.send('POST', at(flowId, '/versions/1/restore'))).status).toBe(404);
    expect((await viewer.send('POST', at(flowId, '/versions/1/restore'))).body.code).toBe('denied');
  });
});

describe('blueprints over HTTP', () => {
  async function newBlueprint(fields: object = {}): Promise<string> {
    const flowId = await newFlow({ name: 'blueprint', category: 'base', isBlueprint: true, ...fields });
    await addLayer(flowId, 'greet', '{{ $blueprint.word }} {{ $prev.args.who }} {{ $blueprint.end ?? "!" }}');
    await addLayer(flowId, 'again', '{{ .greet.text }}, {{ $blueprint.word }} {{ $blueprint.more }}', { timeoutMs: 9 });
    return flowId;
  }
  const instantiate = (flowId: string, body: unknown) => editor.send('POST', at(flowId, '/instantiate'), { body });

  it('names the variables and the layers that read them', async () => {
    const flowId = await newBlueprint();
    expect((await editor.send('GET', at(flowId, '/blueprint-vars'))).body).toEqual({
      items: [
        { name: 'word', refs: ['greet', 'again'] },
        { name: 'end', refs: ['greet'] },
        { name: 'more', refs: ['again'] },
      ],
    });
  });

  it('makes an independent flow with layers and settings, which no later change of either reaches', async () => {
    const settings = { concurrency: 3, timeoutMs: 1000, onMissing: 'null', maxOutputBytes: 5 };
    const blueprintId = await newBlueprint({ settings, description: 'what for', restricted: true });
    const blueprintVars = { word: '{{ $prev.secret }}', more: '' };
    const made = await instantiate(blueprintId, { name: 'instance', blueprintVars });
    expect(made).toMatchObject({
      status: 201,
      headers: { location: at(textOf(made.body.id)), etag: '"1"' },
      body: {
        name: 'instance',
        enabled: true,
        isBlueprint: false,
        restricted: true,
        category: 'base',
        description: 'what for',
        version: 1,
        blueprintId,
        settings,
        layers: [{ ref: 'greet' }, { ref: 'again', timeoutMs: 9 }],
      },
    });
    const copy = made.body.layers as unknown as readonly Json[];
    const own = (await editor.send('GET', at(blueprintId, '/layers'))).body as unknown as readonly Json[];
    expect(copy.map(({ args }) => args)).toEqual(own.map(({ args }) => args));
    expect(new Set([...copy, ...own].map(({ id }) => textOf(id))).size).toBe(4);
    await editor.send('DELETE', at(blueprintId, `/layers/${textOf(own[1]?.id)}`));
    await editor.send('DELETE', at(blueprintId));
    expect((await editor.send('GET', at(textOf(made.body.id)))).body).toMatchObject(made.body);
  });

  it('names all missing variables, and refuses unknown ones and what is no text', async () => {
    const flowId = await newBlueprint();
    expect((await instantiate(flowId, { name: 'x' })).body).toMatchObject({
      status: 422,
      code: 'missing_blueprint_vars',
      errors: [{ path: 'blueprintVars.word' }, { path: 'blueprintVars.more' }],
    });
    expect(
      (await instantiate(flowId, { name: 'x', blueprintVars: { word: 'a', more: 'b', mroe: 'c' } })).body,
    ).toMatchObject({
      status: 422,
      code: 'unknown_blueprint_vars',
      errors: [{ path: 'blueprintVars.mroe', message: expect.stringContaining('did you mean more') as string }],
    });
    for (const vars of ['{"word":7}', '{"word":null}', '[]', '{"__proto__":"x"}', '{"$where":"x"}']) {
      const answer = await instantiate(flowId, `{"name":"x","blueprintVars":${vars}}`);
      expect([vars, answer.status]).toEqual([vars, 400]);
    }
  });

  it('instantiates only blueprints, whose mark comes and goes', async () => {
    const flowId = await newBlueprint({ isBlueprint: false });
    const body = { name: 'x', blueprintVars: { word: 'a', more: 'b' } };
    expect((await instantiate(flowId, body)).body).toMatchObject({ status: 409, code: 'not_a_blueprint' });
    const listed = async (query: string) =>
      itemsOf(await editor.send('GET', `/api/v1/flows?size=200&isBlueprint=${query}`)).map(({ id }) => textOf(id));
    expect(await listed('true')).not.toContain(flowId);
    await editor.send('PUT', at(flowId), { body: { isBlueprint: true } });
    expect(await listed('true')).toContain(flowId);
    expect(await listed('false')).not.toContain(flowId);
    expect((await editor.send('POST', at(flowId, '/run'), { body: {} })).body.code).toBe('flow_is_blueprint');
    expect((await instantiate(flowId, body)).status).toBe(201);
    await editor.send('PUT', at(flowId), { body: { isBlueprint: false } });
    expect((await instantiate(flowId, body)).body.code).toBe('not_a_blueprint');
  });

  it('passes the values of a blueprint that is an instance itself on to its instances', async () => {
    const base = await newBlueprint();
    const first = await instantiate(base, { name: 'first', blueprintVars: { word: 'hello', more: 'more' } });
    const firstId = textOf(first.body.id);
    await editor.send('PUT', at(firstId), { body: { isBlueprint: true } });
    await addLayer(firstId, 'new', '{{ $blueprint.fresh }}');
    expect((await instantiate(firstId, { name: 'second' })).body).toMatchObject({
      code: 'missing_blueprint_vars',
      errors: [{ path: 'blueprintVars.fresh' }],
    });
    const second = await instantiate(firstId, { name: 'second', blueprintVars: { fresh: 'f', more: 'less' } });
    expect(second.body).toMatchObject({ blueprintId: firstId, layers: [{}, {}, { ref: 'new' }] });
    const stored = await mongo.collection<{ _id: string; blueprintVars: unknown }>('flow_versions').findOne({
      _id: `${textOf(second.body.id)}:1`,
    });
    expect(stored?.blueprintVars).toEqual({ word: 'hello', more: 'less', fresh: 'f' });
  });

  it('enables no flow whose variables nobody gave', async () => {
    const flowId = await newBlueprint({ enabled: false });
    const refused = await editor.send('PUT', at(flowId), { body: { isBlueprint: false, enabled: true } });
    expect(refused.body).toMatchObject({ status: 422, code: 'missing_blueprint_vars', errors: [{}, {}] });
    expect((await editor.send('PUT', at(flowId), { body: { enabled: true } })).status).toBe(200);
  });

  it('instantiates nothing for who may not edit, and nothing of another company', async () => {
    const flowId = await newBlueprint();
    const body = { name: 'x', blueprintVars: { word: 'a', more: 'b' } };
    const path = at(flowId, '/instantiate');
    expect((await (await person('flow_executor', companyId)).send('POST', path, { body })).body.code).toBe('denied');
    expect((await (await person('admin')).send('POST', path, { body })).status).toBe(404);
    const hidden = await newBlueprint({ restricted: true });
    const colleague = await person('flow_editor', companyId);
    expect((await colleague.send('POST', at(hidden, '/instantiate'), { body })).body.code).toBe('denied');
  });
});
