import { describe, expect, it } from 'vitest';
import { liveApi, textOf, type Answer, type Json } from '../../../../../test/api/live-api.js';

const { person } = await liveApi();
const editor = await person('flow_editor');

const TELL = { appId: 'text-template', args: { template: 'x' } };
const CALL = { appId: 'web-request', args: { url: 'https://example.com/' } };

async function newFlow(fields: object = {}): Promise<string> {
  return textOf((await editor.send('POST', '/api/v1/flows', { body: { name: 'flow', ...fields } })).body.id);
}

function add(flowId: string, ref: string, fields: object = {}): Promise<Answer> {
  return editor.send('POST', `/api/v1/flows/${flowId}/layers`, { body: { ref, ...TELL, ...fields } });
}

function change(flowId: string, layerId: Json | undefined, body: object): Promise<Answer> {
  return editor.send('PUT', `/api/v1/flows/${flowId}/layers/${textOf(layerId)}`, { body });
}

const faultsOf = ({ status, body }: Answer): string =>
  [status, textOf(body.code), ...(body.errors as unknown as { path: string }[]).map(({ path }) => path)].join(' ');

describe('the options of a layer', () => {
  it('are kept as they were given, with what was left out', async () => {
    const flowId = await newFlow();
    const plain = await add(flowId, 'plain');
    const none = { when: null, retry: null, timeoutMs: null, forEach: null, repeat: null, stage: null };
    expect(plain.body).toMatchObject({ ...none, onError: 'fail', onInterrupted: 'repeat', warnings: [] });
    const { body } = await add(flowId, 'call', {
      ...CALL,
      when: '{{ .plain.text }}',
      retry: { attempts: 5 },
      forEach: { in: '{{ $prev.args.list }}' },
      stage: 'one',
      timeoutMs: 10,
      onError: 'continue',
      onInterrupted: 'fail',
    });
    expect(body).toMatchObject({
      when: '{{ .plain.text }}',
      retry: { attempts: 5, backoff: 'exponential', delayMs: 1_000, maxDelayMs: 60_000 },
      forEach: { in: '{{ $prev.args.list }}', concurrency: 1 },
      stage: 'one',
      timeoutMs: 10,
      onError: 'continue',
      onInterrupted: 'fail',
      warnings: [],
    });
    const slow = await change(flowId, body.id, { retry: { attempts: 2, backoff: 'fixed', delayMs: 90_000 } });
    expect(slow.body.retry).toEqual({ attempts: 2, backoff: 'fixed', delayMs: 90_000, maxDelayMs: 90_000 });
    expect(slow.body.stage).toBe('one');
    const cleared = await change(flowId, body.id, { ...none, onError: 'fail', onInterrupted: 'repeat' });
    expect(cleared.body).toMatchObject(none);
    const read = await editor.send('GET', `/api/v1/flows/${flowId}/layers/${textOf(body.id)}`);
    expect(read.body).toEqual(cleared.body);
  });

  it('are rounds, of which only the condition has no default, and go away where they are null', async () => {
    const flowId = await newFlow();
    const until = '{{ $repeat.out.json.done }}';
    const { body } = await add(flowId, 'poll', { ...CALL, repeat: { until } });
    expect(body.repeat).toEqual({ until, max: 100, delayMs: 0 });
    const slow = await change(flowId, body.id, { repeat: { until, max: 5, delayMs: 60_000 } });
    expect(slow.body.repeat).toEqual({ until, max: 5, delayMs: 60_000 });
    expect((await change(flowId, body.id, { timeoutMs: 10 })).body.repeat).toEqual(slow.body.repeat);
    const { body: document } = await editor.send('GET', `/api/v1/flows/${flowId}/export`);
    expect(document).toMatchObject({ layers: [{ repeat: slow.body.repeat }] });
    const put = { body: document, headers: { 'if-match': '*' } };
    expect((await editor.send('PUT', `/api/v1/flows/${flowId}/document`, put)).status).toBe(200);
    expect((await change(flowId, body.id, { repeat: null })).body.repeat).toBeNull();
    const { body: without } = await editor.send('GET', `/api/v1/flows/${flowId}/export`);
    expect((without as unknown as { layers: object[] }).layers[0]).not.toHaveProperty('repeat');
  });

  it.each<[object, string]>([
    [{ ...CALL, repeat: { until: '{{ $repeat.outt }}' } }, '422 invalid_expression repeat.until'],
    [{ ...CALL, repeat: { until: '{{ $repeat.out }}', rounds: 3 } }, '400 unknown_field repeat.rounds'],
    [{ ...CALL, repeat: { until: '{{ $repeat.out }}', max: 10_001 } }, '400 invalid_body repeat.max'],
    [
      { ...CALL, repeat: { until: '{{ $repeat.out }}' }, forEach: { in: '{{ $prev.args.list }}' } },
      '422 invalid_options repeat',
    ],
    [{ appId: 'delay', args: { ms: 1 }, repeat: { until: '{{ $repeat.out }}' } }, '422 invalid_options repeat'],
    [{ ref: 'args' }, '400 invalid_body ref'],
    [{ retry: {} }, '400 invalid_body retry.attempts'],
    [{ retry: { attempts: 0 } }, '400 invalid_body retry.attempts'],
    [{ retry: { attempts: 21 } }, '400 invalid_body retry.attempts'],
    [{ retry: { attempts: 2, delayMs: 86_400_001 } }, '400 invalid_body retry.delayMs'],
    [{ retry: { attempts: 2, tries: 1 } }, '400 unknown_field retry.tries'],
    [{ forEach: { in: '{{ .a }}', concurrency: 101 } }, '400 invalid_body forEach.concurrency'],
    [{ forEach: '{{ .a }}' }, '400 invalid_body forEach'],
    [{ onError: 'ignore' }, '400 invalid_body onError'],
    [{ when: true }, '400 invalid_body when'],
    [{ when: '{{ .a.b == 1 }}' }, '422 invalid_expression when'],
    [{ when: '.a.b' }, '422 invalid_expression when'],
    [{ forEach: { in: '{{ .a' } }, '422 invalid_expression forEach.in'],
    [{ retry: { attempts: 2, delayMs: 2, maxDelayMs: 1 } }, '422 invalid_options retry.maxDelayMs'],
    [{ retry: { attempts: 2, on: ['429', 'cancelled'] } }, '422 invalid_options retry.on.1'],
    [{ retry: { attempts: 2, on: ['no code!'] } }, '400 invalid_body retry.on'],
    [{ appId: 'delay', args: { ms: 1 }, forEach: { in: '{{ .a }}' } }, '422 invalid_options forEach'],
    [{ appId: 'approval', args: { message: '?' }, retry: { attempts: 2 } }, '422 invalid_options retry'],
    [{ appId: 'delay', args: { ms: '5' } }, '422 invalid_args args.ms'],
    [{ appId: 'filter', args: { condition: '{{ .a.b }} > 1' } }, '422 invalid_expression args.condition'],
    [{ appId: 'branch', args: { cases: [] } }, '422 invalid_args args.cases'],
  ])('are refused with the place of the fault: %j', async (fields, faults) => {
    expect(faultsOf(await add(await newFlow(), 'layer', fields))).toBe(faults);
  });
});

describe('a stage', () => {
  it('is never split, by no way of ordering', async () => {
    const flowId = await newFlow();
    const path = `/api/v1/flows/${flowId}/layers`;
    const a = (await add(flowId, 'a', { stage: 's' })).body;
    const b = (await add(flowId, 'b', { stage: 's' })).body;
    expect(faultsOf(await add(flowId, 'between', { index: 1 }))).toBe('422 invalid_options index');
    const c = (await add(flowId, 'c')).body;
    expect(faultsOf(await add(flowId, 'd', { stage: 's' }))).toBe('422 invalid_options stage');
    expect(faultsOf(await change(flowId, b.id, { index: 5 }))).toBe('422 invalid_options index');
    const reorder = (...layers: Json[]) =>
      editor.send('PUT', `${path}/order`, { body: { layerIds: layers.map(({ id }) => id) } });
    expect(faultsOf(await reorder(a, c, b))).toBe('422 invalid_options layerIds');
    expect((await reorder(c, b, a)).status).toBe(200);
    expect((await change(flowId, c.id, { stage: 's' })).status).toBe(200);
    expect(faultsOf(await change(flowId, b.id, { stage: null }))).toBe('422 invalid_options stage');
    expect((await editor.send('DELETE', `${path}/${textOf(b.id)}`)).status).toBe(204);
  });
});

describe('a warning', () => {
  const warningsOf = ({ body }: Answer): string[] =>
    (body.warnings as unknown as { path: string; code: string }[]).map(({ path, code }) => `${code} ${path}`);

  it('tells of refs that lead nowhere in every expression, and they keep the flow from being enabled', async () => {
    const flowId = await newFlow({ enabled: false });
    await add(flowId, 'a');
    const b = await add(flowId, 'b', { when: '{{ .later.x }}', forEach: { in: '{{ .nobody.list }}' } });
    expect(warningsOf(b)).toEqual(['unknown_ref when', 'unknown_ref forEach.in']);
    const args = { cases: [{ when: '{{ .b.x }}', refs: ['later', 'a'] }], else: ['gone'] };
    const way = await add(flowId, 'way', { appId: 'branch', args });
    expect(warningsOf(way)).toEqual([
      'unknown_ref args.cases.0.refs.0',
      'earlier_ref args.cases.0.refs.1',
      'unknown_ref args.else.0',
    ]);
    await add(flowId, 'later', { stage: 's' });
    const last = await add(flowId, 'last', { stage: 's', args: { template: '{{ .later.text }}' } });
    expect(warningsOf(last)).toEqual(['same_stage_ref args.template']);
    const side = { cases: [{ when: true, refs: ['last'] }] };
    expect(warningsOf(await add(flowId, 'side', { appId: 'branch', stage: 's', args: side }))).toEqual([
      'same_stage_ref args.cases.0.refs.0',
    ]);
    const refused = await editor.send('PUT', `/api/v1/flows/${flowId}`, { body: { enabled: true } });
    expect(faultsOf(refused)).toBe(
      '422 unresolved_refs layers.b.when layers.b.forEach.in layers.way.args.else.0 layers.last.args.template layers.side.args.cases.0.refs.0',
    );
  });

  it('tells of what a layer says in vain, which keeps nothing from being enabled', async () => {
    const flowId = await newFlow({ enabled: false });
    const vain = await add(flowId, 'vain', {
      args: { template: '{{ $item ?? "" }}' },
      retry: { attempts: 2 },
      onInterrupted: 'fail',
    });
    expect(warningsOf(vain)).toEqual(['no_effect onInterrupted', 'no_effect retry', 'no_item args.template']);
    expect((await editor.send('PUT', `/api/v1/flows/${flowId}`, { body: { enabled: true } })).status).toBe(200);
  });

  it('tells of ids that name nothing, as long as they do', async () => {
    const flowId = await newFlow({ enabled: false });
    const called = textOf((await editor.send('POST', '/api/v1/flows', { body: { name: 'called' } })).body.id);
    const good = await add(flowId, 'sub', { appId: 'run-flow', args: { flowId: called } });
    expect(warningsOf(good)).toEqual([]);
    const bad = await add(flowId, 'gone', { appId: 'run-flow', args: { flowId: '0'.repeat(20) } });
    expect(warningsOf(bad)).toEqual(['unknown_id args.flowId']);
    const auth = { url: 'http://a.example/', auth: { integrationId: '0'.repeat(20) } };
    expect(warningsOf(await add(flowId, 'call', { appId: 'web-request', args: auth }))).toEqual([
      'unknown_id args.auth.integrationId',
    ]);
    await editor.send('DELETE', `/api/v1/flows/${called}`);
    const { body } = await editor.send('POST', `/api/v1/flows/${flowId}/validate`);
    expect([body.valid, warningsOf({ body: { warnings: body.warnings } } as unknown as Answer)]).toEqual([
      true,
      [
        'unknown_id layers.sub.args.flowId',
        'unknown_id layers.gone.args.flowId',
        'unknown_id layers.call.args.auth.integrationId',
      ],
    ]);
  });
});

describe('code that cannot be parsed', () => {
  it('is refused when the layer is saved, with line and column', async () => {
    const flowId = await newFlow();
    const source = 'const a = 1;\nconst b =;';
    const { status, body } = await add(flowId, 'run', { appId: 'code', args: { source } });
    expect([status, body.code, body.detail]).toEqual([422, 'invalid_args', 'Unexpected token (line 2, column 10).']);
    expect(body.errors).toMatchObject([{ path: 'args.source' }]);
  });
});
