import { AUDIT_LOGS, type AuditDocument } from '@weft/store';
import { describe, expect, it } from 'vitest';
import { liveApi, textOf, type Json } from '../../../../../test/api/live-api.js';

const { mongo, person } = await liveApi();
const editor = await person('flow_editor');
const at = (flowId: string, path = ''): string => `/api/v1/flows/${flowId}${path}`;

/** A flow with everything that a document carries, and much that it must not. */
async function wholeFlow(): Promise<string> {
  const settings = { concurrency: 5, timeoutMs: 60_000, onMissing: 'null', maxOutputBytes: 1000 };
  const fields = { name: 'Orders', category: 'sales', description: 'takes orders', when: '{{ $prev.args.on }}' };
  const made = await editor.send('POST', '/api/v1/flows', { body: { ...fields, settings, restricted: true } });
  const flowId = textOf(made.body.id);
  const headers = { Authorization: 'Bearer sk-secret', Accept: '{{ $prev.args.type }}' };
  for (const layer of [
    { ref: 'tell', appId: 'text-template', args: { template: '{{ .fetch.json.name }}' }, stage: null },
    { ref: 'ask', appId: 'approval', args: { message: 'Really?', approvers: ['link-1'] } },
    {
      ref: 'fetch',
      index: 0,
      name: 'Fetch it',
      appId: 'web-request',
      args: { url: 'https://example.com', headers, body: { $set: { 'a.b': 1 } } },
      retry: { attempts: 3, backoff: 'exponential', delayMs: 100, maxDelayMs: 1000, on: ['429', 'connect'] },
      onInterrupted: 'fail',
    },
  ]) {
    expect((await editor.send('POST', at(flowId, '/layers'), { body: layer })).status).toBe(201);
  }
  for (const name of ['first', 'second']) {
    const body = { name, required: true, args: { on: true }, fixtures: { fetch: { json: { name: 'Ada' } }, ask: {} } };
    const expected = { tell: { text: 'Ada' } };
    expect((await editor.send('POST', at(flowId, '/test-cases'), { body: { ...body, expected } })).status).toBe(201);
  }
  return flowId;
}

describe('a flow as a document over HTTP', () => {
  it('carries what the flow does, without ids, without secrets, in a fixed order', async () => {
    const flowId = await wholeFlow();
    const { status, body } = await editor.send('GET', at(flowId, '/export'));
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual([
      'schema',
      'name',
      'category',
      'description',
      'isBlueprint',
      'when',
      'settings',
      'blueprintVars',
      'layers',
      'testCases',
    ]);
    expect(body).toMatchObject({
      schema: 'weft.flow/1',
      name: 'Orders',
      layers: [
        {
          ref: 'fetch',
          name: 'Fetch it',
          args: {
            headers: { Authorization: '[left out]', Accept: '{{ $prev.args.type }}' },
          },
          retry: { attempts: 3 },
        },
        { ref: 'tell' },
        { ref: 'ask', args: { approvers: ['[left out]'] } },
      ],
      testCases: [{ name: 'first' }, { name: 'second' }],
    });
    const ids = (await editor.send('GET', at(flowId))).body;
    const layerIds = (ids.layers as unknown as readonly Json[]).map(({ id }) => textOf(id));
    for (const id of [flowId, editor.userId, editor.scope.companyId, ...layerIds, 'link-1', 'sk-secret']) {
      expect(JSON.stringify(body)).not.toContain(id);
    }
  });

  it('is imported into another company as a disabled flow that exports the same again', async () => {
    const { body: document } = await editor.send('GET', at(await wholeFlow(), '/export'));
    const other = await person('flow_editor');
    const made = await other.send('POST', '/api/v1/flows/import', { body: { document } });
    const flowId = textOf(made.body.id);
    expect(made).toMatchObject({
      status: 201,
      headers: { location: at(flowId), etag: '"1"' },
      body: {
        name: 'Orders',
        enabled: false,
        version: 1,
        createdBy: other.userId,
        layers: [{ index: 0 }, { index: 1 }, {}],
      },
    });
    expect((await other.send('GET', at(flowId, '/export'))).body).toEqual(document);
    const filter = { resource_id: flowId };
    expect(await mongo.collection<AuditDocument>(AUDIT_LOGS).find(filter).toArray()).toMatchObject([
      { action_type: 'flow_imported', changes: { testCases: { after: ['first', 'second'] } } },
    ]);
    const renamed = await other.send('POST', '/api/v1/flows/import', { body: { document, name: 'Mine' } });
    expect(renamed.body.name).toBe('Mine');
  });

  it('is enabled only when what was left out is filled in', async () => {
    const { body: document } = await editor.send('GET', at(await wholeFlow(), '/export'));
    const made = await editor.send('POST', '/api/v1/flows/import', { body: { document } });
    const flowId = textOf(made.body.id);
    const enable = () => editor.send('PUT', at(flowId), { body: { enabled: true } });
    expect((await enable()).body).toMatchObject({
      status: 422,
      code: 'invalid_args',
      errors: [
        { path: 'layers.fetch.args.headers.Authorization', code: 'left_out' },
        { path: 'layers.ask.args.approvers.0', code: 'left_out' },
      ],
    });
    const [fetch, , ask] = made.body.layers as unknown as readonly Json[];
    const path = (layer: Json | undefined) => at(flowId, `/layers/${textOf(layer?.id)}`);
    await editor.send('PUT', path(fetch), { body: { args: { url: 'https://example.com' } } });
    await editor.send('DELETE', path(ask));
    expect((await enable()).body.enabled).toBe(true);
  });

  it('may leave out variables, which are filled in one by one before the flow is enabled', async () => {
    const layers = [
      {
        ref: 'mail',
        appId: 'email',
        args: {
          integrationId: '{{ $blueprint.mail }}',
          to: 'a@b.example',
          subject: '{{ $blueprint.what }}',
          text: 't',
        },
      },
    ];
    const blueprintVars = { mail: '[left out]', what: 'news' };
    const document = { schema: 'weft.flow/1', name: 'vars', blueprintVars, layers };
    const made = await editor.send('POST', '/api/v1/flows/import', { body: { document } });
    expect(made).toMatchObject({ status: 201, body: { enabled: false } });
    const flowId = textOf(made.body.id);
    const change = (body: object) => editor.send('PATCH', at(flowId), { body });
    expect((await change({ enabled: true })).body).toMatchObject({
      errors: expect.arrayContaining([
        { path: 'blueprintVars.mail', code: 'left_out', message: expect.any(String) as string },
      ]) as unknown,
    });
    expect((await change({ blueprintVars: { mial: 'x' } })).body).toMatchObject({
      status: 422,
      code: 'unknown_blueprint_vars',
    });
    const owner = await person('admin', editor.scope.companyId);
    const link = await owner.send('POST', '/api/v1/integrations', {
      body: { type: 'email', name: 'mail', endpoint: 'smtp://mail.example.com', access_token: 'p' },
    });
    const mail = textOf(link.body.id);
    const filled = await owner.send('PATCH', at(flowId), { body: { blueprintVars: { mail } } });
    expect(filled).toMatchObject({ status: 200, body: { version: 2 } });
    // what a variable holds for a layer that reads it as an id of the company stays here
    expect((await owner.send('GET', at(flowId, '/export'))).body).toMatchObject({ blueprintVars });
  });

  it('is refused with the places of its faults, by the right status', async () => {
    const send = (document: unknown, by = editor) => by.send('POST', '/api/v1/flows/import', { body: { document } });
    expect((await send({ schema: 'weft.flow/2', name: 'x' })).body).toMatchObject({
      status: 422,
      code: 'invalid_document',
      errors: [{ path: 'document.schema', code: 'unsupported_schema' }],
    });
    expect((await send({ schema: 'weft.flow/1', name: 'x', layers: [{ ref: 'a' }] })).body).toMatchObject({
      status: 422,
      errors: [{ path: 'document.layers.0.appId' }],
    });
    expect((await send('text')).body).toMatchObject({ status: 400, errors: [{ path: 'document' }] });
    expect((await send({}, await person('flow_executor'))).body.code).toBe('denied');
  });
});
