import { FLOW_SAMPLES, type SampleDocument } from '@weft/records';
import { describe, expect, it } from 'vitest';
import { liveApi, textOf, type Person } from '../../../../../test/api/live-api.js';

const { mongo, person } = await liveApi();
const editor = await person('flow_editor');
const viewer = await person('viewer', editor.scope.companyId);
const stranger = await person('admin');

async function newFlow(fields: object = {}): Promise<string> {
  return textOf((await editor.send('POST', '/api/v1/flows', { body: { name: 'f', ...fields } })).body.id);
}
const at = (flowId: string, ref = ''): string => `/api/v1/flows/${flowId}/samples${ref && `/${ref}`}`;
const put = (flowId: string, ref: string, out: unknown, by: Person = editor) =>
  by.send('PUT', at(flowId, ref), { body: { out } });

describe('samples of a flow', () => {
  it('are kept with any JSON value, in the place of the one before, until they are removed', async () => {
    const flow = await newFlow();
    const out = { 'a.b': { $set: [1, null] }, big: 1 };
    expect((await put(flow, 'fetch', out)).body).toMatchObject({ ref: 'fetch', out, keptBy: editor.userId });
    expect((await put(flow, 'fetch', null)).body).toMatchObject({ ref: 'fetch', out: null, bytes: 4 });
    await put(flow, 'a', [1]);
    const { body } = await viewer.send('GET', at(flow));
    expect(body.items).toMatchObject([{ ref: 'a' }, { ref: 'fetch', out: null }]);
    expect((await viewer.send('GET', at(flow, 'a'))).body.out).toEqual([1]);
    expect((await editor.send('DELETE', at(flow, 'a'))).status).toBe(204);
    for (const method of ['GET', 'DELETE']) expect((await editor.send(method, at(flow, 'a'))).status).toBe(404);
  });

  it('keep every digit', async () => {
    const flow = await newFlow();
    const body = '{"out":{"id":7615917337495251231}}';
    expect((await editor.send('PUT', at(flow, 'a'), { body })).status).toBe(200);
    expect((await editor.send('GET', at(flow, 'a'))).body.out).toEqual({ id: 7615917337495251231n });
  });

  it('are bounded, each and together', async () => {
    const flow = await newFlow();
    const text = (bytes: number) => 'x'.repeat(bytes - 2);
    expect((await put(flow, 'a', text(256 * 1024 + 1))).body).toMatchObject({ code: 'value_too_large' });
    const stored = (flowId: string, ref: string, bytes: number): SampleDocument => ({
      ...{ _id: `${flowId}.${ref}`, company_id: editor.scope.companyId, flowId, ref, out: '1', bytes },
      ...{ keptBy: editor.userId, keptAt: new Date() },
    });
    const samples = mongo.collection<SampleDocument>(FLOW_SAMPLES);
    await samples.insertMany([stored(flow, 'old', 256 * 1024), stored(flow, 'others', 15 * 256 * 1024)]);
    expect((await put(flow, 'one-more', 1)).body).toMatchObject({ code: 'too_many_samples' });
    // the one in its place does not count
    expect((await put(flow, 'old', text(256 * 1024))).status).toBe(200);
    const many = await newFlow();
    await samples.insertMany(Array.from({ length: 98 }, (_, i) => stored(many, `r${i}`, 1)));
    const statuses = await Promise.all(['a', 'b', 'c', 'd'].map(async (ref) => (await put(many, ref, 1)).status));
    expect(statuses.toSorted()).toEqual([200, 200, 422, 422]);
    for (const ref of ['args', '1a', 'a.b']) expect((await put(flow, ref, 1)).status).toBe(404);
  });

  it('are for those who may read and edit the flow, and of its company alone', async () => {
    const flow = await newFlow();
    await put(flow, 'a', 'ours');
    expect((await put(flow, 'a', 1, viewer)).status).toBe(403);
    expect((await viewer.send('DELETE', at(flow, 'a'))).status).toBe(403);
    for (const ref of ['', 'a']) expect((await stranger.send('GET', at(flow, ref))).status).toBe(404);
    expect((await put(flow, 'a', 1, stranger)).status).toBe(404);
    expect((await stranger.send('DELETE', at(flow, 'a'))).status).toBe(404);
    expect((await viewer.send('GET', at(flow, 'a'))).body.out).toBe('ours');
  });

  it('stay out of documents, and of a flow that is deleted', async () => {
    const flow = await newFlow();
    await put(flow, 'a', 'data-of-a-person');
    const { body: document } = await editor.send('GET', `/api/v1/flows/${flow}/export`);
    expect(JSON.stringify(document)).not.toContain('data-of-a-person');
    const { headers } = await editor.send('GET', `/api/v1/flows/${flow}`);
    await editor.send('DELETE', `/api/v1/flows/${flow}`, { headers: { 'if-match': String(headers.etag) } });
    expect((await put(flow, 'b', 1)).status).toBe(404);
    expect(await mongo.collection<SampleDocument>(FLOW_SAMPLES).countDocuments({ flowId: flow })).toBe(1);
  });

  it('stand in for layers that reach outside in a dry run, and for no others', async () => {
    const flow = await newFlow({
      layers: [
        { ref: 'fetch', appId: 'web-request', args: { url: 'https://example.com/' } },
        { ref: 'text', appId: 'text-template', args: { template: '{{ .fetch.json.n }}' } },
      ],
    });
    const dryRun = async (body: object = {}) =>
      (await editor.send('POST', `/api/v1/flows/${flow}/dry-run`, { body })).body;
    expect(await dryRun()).toMatchObject({ state: 'NOT_TRIED', missingFixtures: ['fetch'] });
    await put(flow, 'fetch', { json: { n: 1 } });
    await put(flow, 'text', { text: 'old' });
    expect(await dryRun()).toMatchObject({ state: 'DONE', layers: [{}, { out: { text: '1' } }] });
    const given = await dryRun({ fixtures: { fetch: { json: { n: 2 } } } });
    expect(given).toMatchObject({ layers: [{}, { out: { text: '2' } }] });
  });

  it('are what a layer is tried with, and without a worker nothing is called', async () => {
    const flow = await newFlow({
      layers: [{ ref: 'fetch', appId: 'web-request', args: { url: 'https://example.com/' } }],
    });
    const tried = async (body: object, by: Person = editor) =>
      (await by.send('POST', `/api/v1/flows/${flow}/layers/try`, { body })).body;
    const layer = { ref: 'text', appId: 'text-template', args: { template: '{{ .fetch.json.n }}' } };
    expect(await tried({ layer })).toMatchObject({ code: 'unresolved_refs', errors: [{ path: 'outs.fetch' }] });
    expect(await tried({ layer, outs: { fetch: {} } })).toMatchObject({ code: 'no_worker', retryable: true });
    await put(flow, 'fetch', { json: { n: 1 } });
    expect(await tried({ layer })).toMatchObject({ code: 'no_worker' });
    expect(await tried({ layer: { ref: 'unknown' } })).toMatchObject({ code: 'unknown_id' });
    expect(await tried({ layer: { ...layer, appId: 'no-such' } })).toMatchObject({ code: 'unknown_app' });
    expect(
      await tried({ layer, outs: { fetch: 'x'.repeat(900_000) }, args: { a: 'y'.repeat(100_000) } }),
    ).toMatchObject({ code: 'no_worker' });
    expect(await tried({ layer }, viewer)).toMatchObject({ code: 'denied' });
    expect(await tried({ layer }, stranger)).toMatchObject({ code: 'not_found' });
  });
});
