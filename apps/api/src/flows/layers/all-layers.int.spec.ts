import { AUDIT_LOGS, type AuditDocument } from '@weft/store';
import { describe, expect, it } from 'vitest';
import { liveApi, textOf, type Answer, type Json, type Person } from '../../../../../test/api/live-api.js';

const { mongo, person } = await liveApi();
const editor = await person('flow_editor');

const tell = (ref: string, template = 'x', more: object = {}) => ({
  ref,
  appId: 'text-template',
  args: { template },
  ...more,
});

async function newFlow(fields: object = {}): Promise<Json> {
  return (await editor.send('POST', '/api/v1/flows', { body: { name: 'flow', ...fields } })).body;
}

const put = (flow: Json, body: object, ifMatch?: string, by: Person = editor): Promise<Answer> =>
  by.send('PUT', `/api/v1/flows/${textOf(flow.id)}`, {
    body,
    ...(ifMatch !== undefined && { headers: { 'if-match': ifMatch } }),
  });

const shown = ({ body }: Answer): string[] =>
  (body.layers as unknown as { ref: string; index: number }[]).map(({ ref, index }) => `${ref}${index}`);
const idsOf = ({ layers }: Json): string[] => (layers as unknown as { id: string }[]).map(({ id }) => id);
const faultsOf = ({ status, body }: Answer): string =>
  [status, textOf(body.code), ...(body.errors as unknown as { path: string }[]).map(({ path }) => path)].join(' ');

describe('all layers of a flow at once', () => {
  it('are one version, in the order of the request, with their ids kept', async () => {
    const flow = await newFlow({ layers: [tell('a'), tell('b'), tell('c')] });
    const [a, , c] = idsOf(flow);
    expect(flow.version).toBe(1);
    const changed = await put(flow, { layers: [tell('c', 'y'), { ...tell('renamed'), id: a }, tell('d')] }, '"1"');
    expect(changed).toMatchObject({ status: 200, headers: { etag: '"2"' } });
    expect(shown(changed)).toEqual(['c0', 'renamed1', 'd2']);
    expect(idsOf(changed.body).slice(0, 2)).toEqual([c, a]);
    const entries = await mongo
      .collection<AuditDocument>(AUDIT_LOGS)
      .find({ resource_id: textOf(flow.id) })
      .sort({ _id: 1 })
      .toArray();
    expect(entries.map(({ changes }) => changes.layers)).toEqual([
      { before: [], after: ['a', 'b', 'c'] },
      { before: ['a', 'b', 'c'], after: ['c', 'renamed', 'd'] },
    ]);
    const plays = await editor.send('POST', `/api/v1/flows/${textOf(flow.id)}/run`, { body: {} });
    expect(plays.status).toBe(202);
  });

  it('that change nothing make no version', async () => {
    const flow = await newFlow({ layers: [tell('a', 'x', { retry: null, stage: 's' })] });
    const same = await put(flow, { layers: [tell('a', 'x', { stage: 's' })] });
    expect(same.body.version).toBe(1);
    const cleared = await put(flow, { layers: [tell('a')] });
    expect((cleared.body.layers as unknown as { stage: null }[])[0]?.stage).toBeNull();
    const emptied = await put(flow, { layers: [] });
    expect(emptied.body).toMatchObject({ version: 3, layers: [] });
  });

  it('are refused where another version is meant', async () => {
    const flow = await newFlow();
    await put(flow, { layers: [tell('a')] });
    expect((await put(flow, { layers: [tell('b')] }, '"1"')).body.code).toBe('version_conflict');
  });

  it.each<[object[], string]>([
    [[tell('a'), tell('a')], '409 ref_taken layers.1.ref'],
    [[tell('a'), { ...tell('b'), id: 'nobody' }], '422 unknown_id layers.1.id'],
    [[tell('a'), { ref: 'b', appId: 'delay', args: { ms: '5' } }], '422 invalid_args layers.1.args.ms'],
    [[tell('a'), tell('b', '{{ .a. }}')], '422 invalid_expression layers.1.args.template'],
    [[tell('a', 'x', { stage: 's' }), tell('b'), tell('c', 'x', { stage: 's' })], '422 invalid_options layers.2.stage'],
    [[tell('a', 'x', { index: 3 })], '400 unknown_field layers.0.index'],
    [[tell('a b')], '400 invalid_body layers.0.ref'],
  ])('are refused with the place of the fault: %j', async (layers, faults) => {
    const flow = await newFlow();
    expect(faultsOf(await put(flow, { layers }))).toBe(faults);
    expect(faultsOf(await editor.send('POST', '/api/v1/flows', { body: { name: 'f', layers } }))).toBe(faults);
  });

  it('does not give one id to two layers', async () => {
    const flow = await newFlow({ layers: [tell('a'), tell('b')] });
    const [a] = idsOf(flow);
    const swapped = await put(flow, { layers: [{ ...tell('b'), id: a }, tell('a')] });
    expect(new Set(idsOf(swapped.body)).size).toBe(2);
    expect(
      faultsOf(
        await put(flow, {
          layers: [
            { ...tell('x'), id: a },
            { ...tell('y'), id: a },
          ],
        }),
      ),
    ).toBe('422 unknown_id layers.1.id');
  });

  it('that name a flow by an expression are for admins, as one by one', async () => {
    const layers = [{ ref: 'call', appId: 'run-flow', args: { flowId: '{{ $prev.args.flow }}' } }];
    expect((await put(await newFlow(), { layers })).body.code).toBe('denied');
    expect((await editor.send('POST', '/api/v1/flows', { body: { name: 'f', layers } })).body.code).toBe('denied');
  });
});

describe('a draft', () => {
  const check = (flow: Json, body: object, by: Person = editor): Promise<Answer> =>
    by.send('POST', `/api/v1/flows/${textOf(flow.id)}/validate`, { body });

  it('is judged as if it were saved, and nothing is', async () => {
    const flow = await newFlow({ layers: [tell('a')] });
    const layers = [tell('a', '{{ .b.text }}'), tell('b'), tell('b')];
    const { status, body } = await check(flow, { layers, when: '{{ x' });
    expect(status).toBe(200);
    const paths = (body.errors as unknown as { path: string; code: string }[]).map(
      ({ path, code }) => `${path} ${code}`,
    );
    expect(paths).toEqual(['when invalid_expression', 'layers.b.ref ref_taken', 'layers.a.args.template later_ref']);
    expect((await check(flow, {})).body).toEqual({ valid: true, errors: [], warnings: [] });
    expect((await editor.send('GET', `/api/v1/flows/${textOf(flow.id)}`)).body.version).toBe(1);
  });

  it('runs dry with its own layers', async () => {
    const flow = await newFlow({ layers: [tell('a', 'old')] });
    const dry = await editor.send('POST', `/api/v1/flows/${textOf(flow.id)}/dry-run`, {
      body: { layers: [tell('a', 'new {{ $prev.args.x }}')], args: { x: 1 } },
    });
    expect(dry.body).toMatchObject({ state: 'DONE', layers: [{ ref: 'a', out: { text: 'new 1' } }] });
    const wrong = await editor.send('POST', `/api/v1/flows/${textOf(flow.id)}/dry-run`, {
      body: { layers: [tell('a', '{{ .a. }}')] },
    });
    expect(faultsOf(wrong)).toBe('422 invalid_expression layers.0.args.template');
  });

  it('is for those who may edit', async () => {
    const flow = await newFlow();
    const executor = await person('flow_executor', editor.scope.companyId);
    expect((await check(flow, {}, executor)).status).toBe(200);
    expect((await check(flow, { layers: [] }, executor)).status).toBe(403);
    const dry = await executor.send('POST', `/api/v1/flows/${textOf(flow.id)}/dry-run`, { body: { layers: [] } });
    expect(dry.status).toBe(403);
  });
});
