import { FLOWS } from '@weft/records';
import { describe, expect, it } from 'vitest';
import { liveApi, textOf, type Json } from '../../../../test/api/live-api.js';

const { mongo, person } = await liveApi({ EGRESS_ALLOW: '127.0.0.1/32:9000' });
const editor = await person('flow_editor');
const admin = await person('admin', editor.scope.companyId);

async function newFlow(): Promise<string> {
  return textOf((await editor.send('POST', '/api/v1/flows', { body: { name: 'flow' } })).body.id);
}

const addLayer = (flowId: string, body: object) => editor.send('POST', `/api/v1/flows/${flowId}/layers`, { body });
const read = async (path: string) => (await admin.send('GET', `/api/v1/flows${path}`)).body;
const inList = async (flowId: string) =>
  ((await read('')).items as unknown as Json[]).find(({ id }) => textOf(id) === flowId);

describe('a flow that cannot run as it is written', () => {
  it('says so wherever it is read, stays enabled, and is run all the same', async () => {
    const flowId = await newFlow();
    expect(await read(`/${flowId}`)).toMatchObject({ enabled: true, valid: true, errors: [] });
    const made = await addLayer(flowId, { ref: 'a', appId: 'text-template', args: { template: '{{ .gett.x }}' } });
    expect(made.status).toBe(201);

    const wrong = {
      ...{ enabled: true, valid: false, version: 2 },
      errors: [
        { path: 'layers.a.args.template', code: 'unknown_ref', message: expect.stringContaining('gett') as string },
      ],
    };
    expect(await read(`/${flowId}`)).toMatchObject(wrong);
    expect(await inList(flowId)).toMatchObject(wrong);
    expect((await read(`/${flowId}/versions/2`)).flow).toMatchObject(wrong);
    expect((await read(`/${flowId}/versions`)).items).toMatchObject([{ flow: wrong }, { flow: { valid: true } }]);
    expect((await admin.send('POST', `/api/v1/flows/${flowId}/run`)).status).toBe(202);

    const layer = `/api/v1/flows/${flowId}/layers/${textOf(made.body.id)}`;
    await editor.send('PATCH', layer, { body: { args: { template: 'x' } } });
    expect(await read(`/${flowId}`)).toMatchObject({ valid: true, errors: [], version: 3 });
    expect(await inList(flowId)).toMatchObject({ valid: true, errors: [] });
  });

  it('is judged when it is read, where it was last saved before that was stored; lists say that they do not know', async () => {
    const flowId = await newFlow();
    await addLayer(flowId, { ref: 'a', appId: 'text-template', args: { template: '{{ .gett.x }}' } });
    await mongo.collection<{ _id: string }>(FLOWS).updateOne({ _id: flowId }, { $unset: { judgement: 1 } });
    expect(await read(`/${flowId}`)).toMatchObject({ valid: false, errors: [{ code: 'unknown_ref' }] });
    expect(await inList(flowId)).toMatchObject({ valid: null, errors: [] });
  });
});

describe('a layer that calls an address which is blocked here', () => {
  it('is saved with a warning that names the setting, in the layer and in what validate says', async () => {
    const flowId = await newFlow();
    const call = (ref: string, url: string) => addLayer(flowId, { ref, appId: 'web-request', args: { url } });
    const message = expect.stringMatching(/EGRESS_ALLOW=127\.0\.0\.1\/32:9999$/) as string;
    const warning = { path: 'args.url', code: 'destination_blocked', message };
    expect((await call('inner', 'http://127.0.0.1:9999/{{ $prev.args.id }}')).body.warnings).toEqual([warning]);
    expect((await call('opened', 'http://127.0.0.1:9000/')).body.warnings).toEqual([]);
    expect((await call('outer', 'https://example.com/')).body.warnings).toEqual([]);
    expect((await call('open', '{{ $prev.args.url }}')).body.warnings).toEqual([]);
    const flow = await read(`/${flowId}`);
    expect(flow).toMatchObject({ valid: true, errors: [] });
    expect((flow.layers as unknown as Json[]).map(({ warnings }) => warnings)).toEqual([[warning], [], [], []]);
    const { body } = await admin.send('POST', `/api/v1/flows/${flowId}/validate`);
    expect(body).toMatchObject({ valid: true, warnings: [{ ...warning, path: 'layers.inner.args.url' }] });
  });
});

it('a flow whose plays hold up others and wait for plays gets a warning while it has no time limit', async () => {
  const flowId = await newFlow();
  await addLayer(flowId, { ref: 'child', appId: 'run-flow', args: { flowId } });
  const warnings = async (settings: object) => {
    await admin.send('PATCH', `/api/v1/flows/${flowId}`, { body: { settings } });
    const { body } = await admin.send('POST', `/api/v1/flows/${flowId}/validate`);
    return body.warnings;
  };
  expect(await warnings({})).toEqual([]);
  expect(await warnings({ concurrency: 1 })).toMatchObject([{ path: 'settings.timeoutMs', code: 'no_time_limit' }]);
  expect(await warnings({ timeoutMs: 60_000 })).toEqual([]);
});

describe('a variable of a blueprint that looks like a secret', () => {
  it('is warned of in what validate says, with what to write instead', async () => {
    const args = { template: '{{ $blueprint.greeting }} {{ $blueprint.token }}' };
    const blueprintVars = { greeting: 'hello', token: 'hunter2' };
    const layers = [{ ref: 'a', appId: 'text-template', args }];
    const document = { schema: 'weft.flow/1', name: 'greets', blueprintVars, layers };
    const flowId = textOf((await editor.send('POST', '/api/v1/flows/import', { body: { document } })).body.id);
    const { body } = await editor.send('POST', `/api/v1/flows/${flowId}/validate`);
    const message = expect.stringContaining('{{ $link.access_token }}') as string;
    expect(body).toMatchObject({
      valid: true,
      warnings: [{ path: 'blueprintVars.token', code: 'plain_secret', message }],
    });
  });
});
