import { APIS, FLOW_VERSIONS, type ApiDocument, type FlowVersionDocument } from '@weft/records';
import { describe, expect, it } from 'vitest';
import { liveApi, textOf, type Answer, type Json, type Person } from '../../../../test/api/live-api.js';
import { storeApi } from '../../../../test/fixtures/stored-api.js';

const { mongo, person } = await liveApi();

const schemaOf = (more: object = {}) => ({
  type: 'object',
  required: ['sku'],
  properties: {
    sku: { type: 'string' },
    count: { type: 'integer' },
    parts: { $ref: '#/components/schemas/Parts' },
    ...more,
  },
});
const shop = (more?: object) => ({
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1' },
  servers: [{ url: 'https://api.example.com' }],
  components: {
    securitySchemes: { login: { type: 'http', scheme: 'basic' } },
    schemas: {
      Order: schemaOf(more),
      Parts: { type: 'array', items: { $ref: '#/components/schemas/Order' } },
    },
  },
  security: [{ login: [] }],
  paths: {
    '/orders': {
      post: {
        operationId: 'createOrder',
        summary: 'Create an order',
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Order' } } },
        },
        responses: { 200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Order' } } } } },
      },
    },
  },
});
const layer = (args: object = {}, more: object = {}) => ({
  ref: 'order',
  appId: 'operation',
  args: { api: 'shop', operation: 'createOrder', input: { body: { sku: '{{ $prev.args.sku }}' } }, ...args },
  ...more,
});

async function editorOf(document: object = shop(), key = 'shop'): Promise<Person> {
  const editor = await person('flow_editor');
  await storeApi(mongo, editor.scope, key, document);
  return editor;
}

const newFlow = (editor: Person, layers: readonly object[], more: object = {}): Promise<Answer> =>
  editor.send('POST', '/api/v1/flows', { body: { name: 'flow', layers, ...more } });
const put = (editor: Person, { id }: Json, body: object): Promise<Answer> =>
  editor.send('PUT', `/api/v1/flows/${textOf(id)}`, { body });
const faceOf = (by: Person, key: string, appId = 'operation'): Promise<Answer> =>
  by.send('GET', `/api/v1/modules/${appId}/face?key=${encodeURIComponent(key)}`);
const argsOf = (flow: Json): { readonly digest: string } =>
  (flow.layers as unknown as { args: { digest: string } }[])[0]?.args ?? { digest: '' };
const digestNow = async (editor: Person): Promise<string> =>
  textOf((await faceOf(editor, 'shop/createOrder')).body.digest);
const faultsOf = ({ status, body }: Answer): string =>
  [status, textOf(body.code), ...(body.errors as unknown as { path: string }[]).map(({ path }) => path)].join(' ');

describe('the face of an operation', () => {
  it('has the schemas of its layer, with what they refer to', async () => {
    const editor = await editorOf();
    const { status, body } = await faceOf(editor, 'shop/createOrder');
    expect([status, body]).toMatchObject([
      200,
      {
        title: 'Create an order',
        linkKinds: ['basic'],
        servers: ['https://api.example.com'],
        warnings: [],
        argsSchema: {
          properties: {
            api: { type: 'string' },
            input: { properties: { body: { $ref: '#/$defs/Order' } }, required: ['body'] },
          },
          required: ['api', 'operation', 'input'],
          $defs: { Order: { properties: { parts: { $ref: '#/$defs/Parts' } } }, Parts: { type: 'array' } },
        },
        outSchema: { properties: { body: { $ref: '#/$defs/Order' } } },
      },
    ]);
  });

  it('is that of the state which the key names, and says when it is not the last one', async () => {
    const editor = await editorOf();
    const before = await digestNow(editor);
    await storeApi(mongo, editor.scope, 'shop', shop({ note: { type: 'string' } }));
    const pinned = await faceOf(editor, `shop/createOrder@${before}`);
    expect(pinned.body.digest).toBe(before);
    expect(pinned.body.warnings).toEqual([expect.stringContaining('says something else')]);
    expect(await digestNow(editor)).not.toBe(before);
  });

  it('is read in the own company only, by everybody there', async () => {
    const editor = await editorOf();
    const { body: api } = {
      body: await mongo.collection<ApiDocument>(APIS).findOne({ company_id: editor.scope.companyId }),
    };
    for (const role of ['admin', 'viewer', 'integration_manager'] as const) {
      const stranger = await person(role);
      expect((await faceOf(stranger, 'shop/createOrder')).status).toBe(404);
      expect((await faceOf(stranger, `${api?._id}/createOrder`)).status).toBe(404);
    }
    expect((await faceOf(editor, `${api?._id}/createOrder`)).status).toBe(200);
  });

  it.each([
    ['shop/removeOrder', 'the API "shop" has no operation "removeOrder"'],
    ['market/createOrder', 'no API with the id or key "market"'],
    ['shop/createOrder@AAAAAAAAAAAAAAAAAAAAAA', 'is not stored in this state'],
    ['nonsense', 'no API with the id or key "nonsense"'],
    ['a/b/c@d@e', 'no API with the id or key'],
    ['__proto__/constructor', 'no API with the id or key "__proto__"'],
  ])('of %s is not there', async (key, says) => {
    const answer = await faceOf(await editorOf(), key);
    expect([answer.status, textOf(answer.body.detail)]).toEqual([404, expect.stringContaining(says)]);
  });

  it('is asked for of modules that have one', async () => {
    const editor = await editorOf();
    expect((await faceOf(editor, 'a/b', 'delay')).status).toBe(404);
    expect((await editor.send('GET', '/api/v1/modules/operation/face')).status).toBe(400);
  });
});

describe('a layer of an operation', () => {
  it('is pinned when it is saved, and stays so after a refresh', async () => {
    const editor = await editorOf();
    const digest = await digestNow(editor);
    const { body: flow } = await newFlow(editor, [layer()]);
    expect(argsOf(flow).digest).toBe(digest);
    await storeApi(mongo, editor.scope, 'shop', shop({ note: { type: 'string' } }));
    // the same again, and another edit: neither takes over what the document says now
    expect((await put(editor, flow, { layers: [layer()] })).body).toMatchObject({ version: 1 });
    const renamed = await put(editor, flow, { layers: [layer({}, { name: 'Order' })] });
    expect([renamed.body.version, argsOf(renamed.body).digest]).toEqual([2, digest]);
    const changed = await put(editor, flow, { layers: [layer({ input: { body: { sku: 'a' } } })] });
    expect([changed.body.version, argsOf(changed.body).digest]).toEqual([3, digest]);
    const now = await digestNow(editor);
    const adopted = await put(editor, flow, {
      layers: [layer({ digest: now, input: { body: { sku: 'a', note: 'b' } } })],
    });
    expect([adopted.body.version, argsOf(adopted.body).digest]).toEqual([4, now]);
    const versions = await mongo
      .collection<FlowVersionDocument>(FLOW_VERSIONS)
      .find({ flowId: textOf(flow.id) })
      .sort({ version: 1 })
      .toArray();
    expect(versions.map(({ layers }) => layers[0]?.args.digest)).toEqual([digest, digest, digest, now]);
  });

  it('is pinned when it is added or changed alone', async () => {
    const editor = await editorOf();
    const digest = await digestNow(editor);
    const { body: flow } = await newFlow(editor, []);
    const path = `/api/v1/flows/${textOf(flow.id)}/layers`;
    const added = await editor.send('POST', path, { body: layer() });
    expect(added.body.args).toMatchObject({ digest });
    await storeApi(mongo, editor.scope, 'shop', shop({ note: { type: 'string' } }));
    const { args } = layer({ input: { body: { sku: 'b' } } });
    const changed = await editor.send('PUT', `${path}/${textOf(added.body.id)}`, { body: { args } });
    expect([changed.status, changed.body.args]).toMatchObject([200, { digest }]);
    const refused = await editor.send('PUT', `${path}/${textOf(added.body.id)}`, {
      body: { args: { ...args, input: {} } },
    });
    expect(faultsOf(refused)).toBe('422 invalid_args layers.order.args.input.body');
  });

  it.each([
    [{ api: 'market' }, 'args.api'],
    [{ operation: 'removeOrder' }, 'args.operation'],
    [{ digest: 'AAAAAAAAAAAAAAAAAAAAAA' }, 'args.digest'],
    [{ input: {} }, 'args.input.body'],
    [{ input: { body: { count: 1 } } }, 'args.input.body.sku'],
    [
      { input: { body: { sku: 'a', parts: [{ sku: 'b', parts: [{ sku: 7 }] }] } } },
      'args.input.body.parts.0.parts.0.sku',
    ],
    [{ input: { body: { sku: '{{ $prev.args.sku }}', count: 'many' } } }, 'args.input.body.count'],
    [{ input: { body: { sku: 'a' }, query: { limit: 1 } } }, 'args.input.query'],
    [{ server: 3 }, 'args.server'],
  ])('is refused with %j, at its place', async (args, path) => {
    const editor = await editorOf();
    expect(faultsOf(await newFlow(editor, [layer(args)]))).toBe(`422 invalid_args layers.order.${path}`);
    const { body: flow } = await newFlow(editor, []);
    const report = await editor.send('POST', `/api/v1/flows/${textOf(flow.id)}/validate`, {
      body: { layers: [layer(args)] },
    });
    expect([report.body.valid, report.body.errors]).toMatchObject([false, [{ path: `layers.order.${path}` }]]);
    expect((await editor.send('GET', `/api/v1/flows/${textOf(flow.id)}`)).body.version).toBe(1);
  });

  it.each(['{{ $prev.args.api }}', 'a/b', 'a@b', '', 7])('names its API as it is, not as %j', async (api) => {
    const editor = await editorOf();
    expect(faultsOf(await newFlow(editor, [layer({ api })]))).toMatch(/^422 invalid_args .*args\.api/);
  });

  it('does not see an API of another company', async () => {
    const owner = await editorOf();
    const stranger = await person('admin');
    const own = await mongo.collection<ApiDocument>(APIS).findOne({ company_id: owner.scope.companyId });
    for (const api of ['shop', own?._id]) {
      expect(faultsOf(await newFlow(stranger, [layer({ api })]))).toBe('422 invalid_args layers.order.args.api');
    }
  });

  it('is refused where the operations of its flow are more than a process holds for one', async () => {
    const long = { type: 'string', enum: ['x'.repeat(200_000)] };
    const paths = Object.fromEntries(
      Array.from({ length: 25 }, (_, n) => {
        const content = { 'application/json': { schema: { type: 'object', properties: { [`f${n}`]: long } } } };
        return [`/o${n}`, { post: { operationId: `o${n}`, requestBody: { content } } }];
      }),
    );
    const editor = await editorOf({ ...shop(), paths });
    const layers = (count: number) =>
      Array.from({ length: count }, (_, n) => layer({ operation: `o${n}`, input: { body: {} } }, { ref: `o${n}` }));
    const { status, body: flow } = await newFlow(editor, layers(20));
    expect(status).toBe(201);
    const refused = await put(editor, flow, { layers: layers(25) });
    expect([refused.status, textOf(refused.body.detail)]).toEqual([
      422,
      expect.stringMatching(/^The 25 operations .* more than 4194304 characters together: .* run-flow\.$/),
    ]);
  });

  it('whose API is gone can stay while others change, and keeps its flow from being enabled', async () => {
    const editor = await editorOf();
    const { body: flow } = await newFlow(editor, [layer()], { enabled: false });
    await mongo.collection(APIS).deleteMany({ company_id: editor.scope.companyId });
    const other = { ref: 'tell', appId: 'text-template', args: { template: 'x' } };
    expect((await put(editor, flow, { layers: [layer(), other] })).body).toMatchObject({ version: 2 });
    expect(faultsOf(await put(editor, flow, { enabled: true }))).toBe('422 invalid_args layers.order.args.api');
  });
});

describe('a dry run', () => {
  it('judges the input that expressions give', async () => {
    const editor = await editorOf();
    const { body: flow } = await newFlow(editor, [layer()]);
    const run = (args: object) =>
      editor.send('POST', `/api/v1/flows/${textOf(flow.id)}/dry-run`, {
        body: { args, fixtures: { order: { statusCode: 200, body: { sku: 'a' } } } },
      });
    expect((await run({ sku: 'a' })).body).toMatchObject({ state: 'DONE' });
    expect((await run({ sku: 7 })).body).toMatchObject({
      state: 'FAIL',
      error: { code: 'invalid_args', message: 'input.body.sku must be string', ref: 'order' },
    });
  });
});

describe('a document of a flow', () => {
  it('names the API by its key, and the state', async () => {
    const [editor, other] = [await editorOf(), await editorOf()];
    const { body: flow } = await newFlow(editor, [layer()]);
    const { body: document } = await editor.send('GET', `/api/v1/flows/${textOf(flow.id)}/export`);
    expect(argsOf(document)).toMatchObject({ api: 'shop', digest: argsOf(flow).digest });
    // another company has imported the same document
    const imported = await other.send('POST', '/api/v1/flows/import', { body: { document } });
    expect([imported.status, argsOf(imported.body)]).toMatchObject([201, { digest: argsOf(flow).digest }]);
    const without = await person('flow_editor');
    const refused = await without.send('POST', '/api/v1/flows/import', { body: { document } });
    expect(faultsOf(refused)).toBe('422 invalid_args layers.order.args.api');
  });

  it('without a state changes nothing when it is put again', async () => {
    const editor = await editorOf();
    const document = { schema: 'weft.flow/1', name: 'flow', layers: [layer()] };
    const path = '/api/v1/flows/by-key/orders/document';
    const first = await editor.send('PUT', path, { body: document });
    await storeApi(mongo, editor.scope, 'shop', shop({ note: { type: 'string' } }));
    const again = await editor.send('PUT', path, { body: document });
    expect([first.status, again.status, again.body.version]).toEqual([201, 200, 1]);
  });
});

describe('a layer of an agent', () => {
  const NOBODY = '0'.repeat(20);
  const TOOL = { kind: 'operation', api: 'shop', operation: 'createOrder' };
  const agent = (...tools: object[]) => ({
    ref: 'help',
    appId: 'agent',
    args: { integrationId: NOBODY, model: 'small', instructions: 'Help.', input: 'Do {{ $prev.args.it }}.', tools },
  });
  const toolsOf = (flow: Json) =>
    (flow.layers as unknown as { args: { tools: { digest?: string }[] } }[])[0]?.args.tools ?? [];

  it('has its tools pinned when it is saved, each to its own state', async () => {
    const editor = await editorOf();
    const digest = await digestNow(editor);
    const { body: flow, status } = await newFlow(editor, [agent({ ...TOOL, fixed: { 'body.sku': 'A' } }, TOOL)]);
    expect([status, ...toolsOf(flow).map((tool) => tool.digest)]).toEqual([201, digest, digest]);
    await storeApi(mongo, editor.scope, 'shop', shop({ note: { type: 'string' } }));
    const { body: same } = await put(editor, flow, { name: 'flow', layers: [agent(TOOL)] });
    expect(toolsOf(same).map((tool) => tool.digest)).toEqual([digest]);
  });

  it.each([
    ['an operation that is not there', { ...TOOL, operation: 'removeOrder' }, 'layers.help.args.tools.0.operation'],
    [
      'an argument that is not one',
      { ...TOOL, fixed: { 'body.skuu': 'A' } },
      'layers.help.args.tools.0.fixed.body.skuu',
    ],
    ['a condition over more than the call', { ...TOOL, approve: '{{ $prev.a.b }}' }, 'layers.0.args.tools.0.approve'],
  ])('is refused with %s', async (_what, tool, path) => {
    const answer = await newFlow(await editorOf(), [agent(tool)]);
    expect(faultsOf(answer)).toBe(`422 invalid_args ${path}`);
  });

  it('is warned of text of others next to tools that read and tools that send', async () => {
    const editor = await editorOf();
    const { body: flow } = await newFlow(editor, [agent(TOOL, { kind: 'flow', flowId: NOBODY })]);
    const [layer] = flow.layers as unknown as { warnings: { path: string; code: string }[] }[];
    expect(layer?.warnings.map(({ path, code }) => `${code} ${path}`)).toEqual([
      ...[
        'exfiltration_possible args.tools.0.approve',
        'unknown_id args.integrationId',
        'unknown_id args.tools.1.flowId',
      ],
    ]);
    const asked = { ...TOOL, approve: 'always' };
    const { body: sure } = await newFlow(editor, [agent(asked, { kind: 'flow', flowId: NOBODY, approve: 'always' })]);
    expect(JSON.stringify(sure)).not.toContain('exfiltration_possible');
  });

  it('is written by those only who may use what its tools use', async () => {
    const owner = await person('flow_editor');
    const { body: secret } = await newFlow(owner, [], { name: 'secret', restricted: true });
    const other = await person('flow_editor', owner.scope.companyId);
    const answer = await newFlow(other, [agent({ kind: 'flow', flowId: textOf(secret.id) })]);
    expect([answer.status, answer.body.code]).toEqual([403, 'denied']);
    expect(faultsOf(answer)).toBe('403 denied layers.help.args');
  });
});
