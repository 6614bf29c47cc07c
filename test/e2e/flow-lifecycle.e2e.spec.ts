import type { FlowView, FlowVersionView, PlayLayerView } from '@weft/contracts';
import { describe, expect, it } from 'vitest';
import { sharedFleet } from './harness/fleet.js';
import { twoLayerFlow } from './harness/two-layer-flow.js';

const { admin, ledger } = await sharedFleet();

async function change<T = FlowView>(method: 'POST' | 'PUT' | 'PATCH', path: string, body: unknown): Promise<T> {
  const answer = await admin.send<T>(method, `/api/v1/flows/${path}`, body);
  expect([path, answer.status < 300, answer.body]).toEqual([path, true, answer.body]);
  return answer.body;
}

async function outsOf(flowId: string, args: Readonly<Record<string, unknown>> = {}): Promise<Record<string, unknown>> {
  const { playId } = await admin.run(flowId, { args });
  const play = await admin.waitForPlay(playId);
  expect(play.error).toBeNull();
  return outsBy(await admin.layers(playId));
}

function outsBy(layers: readonly PlayLayerView[]): Record<string, unknown> {
  return Object.fromEntries(layers.map(({ ref, out }) => [ref, out]));
}

describe('a blueprint', () => {
  it('becomes a flow whose plays have the given texts, to the letter', async () => {
    const blueprint = await admin.createFlow({ name: 'Greeting', isBlueprint: true });
    const template = '{{ $blueprint.word }}, {{ $prev.args.who }}{{ $blueprint.end ?? "!" }}';
    await admin.addLayer(blueprint.id, { ref: 'greet', appId: 'text-template', args: { template } });
    expect((await admin.send('POST', `/api/v1/flows/${blueprint.id}/run`, {})).body).toMatchObject({
      status: 409,
      code: 'flow_is_blueprint',
    });
    const word = '{{ $prev.args.secret }} {{ .greet.text }} $& \\ "quoted"';
    const body = { name: 'Instance', blueprintVars: { word } };
    const instance = await change('POST', `${blueprint.id}/instantiate`, body);
    expect(await outsOf(instance.id, { who: 'Ada', secret: 's3cret' })).toEqual({ greet: { text: `${word}, Ada!` } });

    await change('PUT', instance.id, { isBlueprint: true });
    const second = await change('POST', `${instance.id}/instantiate`, { name: 'Second', blueprintVars: { end: '?' } });
    expect(await outsOf(second.id, { who: 'Ada' })).toEqual({ greet: { text: `${word}, Ada?` } });
  });
});

describe('a flow that is changed', () => {
  it('leaves a play that runs on the version that it was accepted with', async () => {
    const flow = await twoLayerFlow(admin, ledger.url, 'Changing');
    const [, tell] = (await admin.send<FlowView>('GET', `/api/v1/flows/${flow.id}`)).body.layers ?? [];
    const edited = new Promise<FlowView>((done) => {
      ledger.answerWith(async () => {
        done(await change('PUT', `${flow.id}/layers/${tell?.id}`, { args: { template: 'new' } }));
        return { body: { n: 1 } };
      });
    });
    const { playId } = await admin.run(flow.id, { args: { n: 1 } });
    await edited;
    const play = await admin.waitForPlay(playId, { state: 'DONE' });
    expect(outsBy(await admin.layers(playId)).tell).toEqual({ text: 'Play 1 was answered 1.' });
    ledger.answerWith(() => ({ body: { n: 2 } }));
    expect((await outsOf(flow.id, { n: 2 })).tell).toEqual({ text: 'new' });

    const version = await admin.send<FlowVersionView>('GET', `/api/v1/flows/${flow.id}/versions/${play.version}`);
    expect(version.body.flow.layers?.[1]?.args).toEqual(tell?.args);
    const restored = await change('POST', `${flow.id}/versions/${play.version}/restore`, undefined);
    expect(restored.version).toBe(play.version + 2);
    expect((await outsOf(flow.id, { n: 2 })).tell).toEqual({ text: 'Play 2 was answered 2.' });
  });
});

describe('a required test case', () => {
  it('keeps its flow from being enabled while it fails, and shows the difference', async () => {
    const flow = await twoLayerFlow(admin, ledger.url, 'Tested');
    await change('PUT', flow.id, { enabled: false });
    const calls = ledger.calls.length;
    const fixtures = { fetch: { statusCode: 200, json: { n: 5 } } };
    const expected = { tell: { text: 'Play 4 was answered 4.' } };
    const body = { name: 'four', args: { n: 4 }, fixtures, expected, required: true };
    const testCase = await change<{ id: string }>('POST', `${flow.id}/test-cases`, body);
    const path = 'tell.text';
    const difference = { path, expected: 'Play 4 was answered 4.', actual: 'Play 4 was answered 5.' };
    expect((await admin.send('PUT', `/api/v1/flows/${flow.id}`, { enabled: true })).body).toMatchObject({
      status: 422,
      code: 'required_case_failed',
      cases: [{ caseId: testCase.id, name: 'four', differences: [difference] }],
    });
    expect((await admin.send('POST', `/api/v1/flows/${flow.id}/run`, {})).body).toMatchObject({
      code: 'flow_disabled',
    });
    await change('PATCH', `${flow.id}/test-cases/${testCase.id}`, { fixtures: { fetch: { json: { n: 4 } } } });
    expect((await change('PUT', flow.id, { enabled: true })).enabled).toBe(true);
    expect(ledger.calls).toHaveLength(calls);
  });

  it('travels with its flow in a document', async () => {
    const flow = await twoLayerFlow(admin, ledger.url, 'Travelling');
    const fixtures = { fetch: { json: { n: 4 } } };
    const expected = { tell: { text: 'Play 4 was answered 4.' } };
    await change('POST', `${flow.id}/test-cases`, { name: 'four', args: { n: 4 }, fixtures, expected, required: true });
    const { body: document } = await admin.send('GET', `/api/v1/flows/${flow.id}/export`);
    const copy = await change('POST', 'import', { document, name: 'Arrived' });
    expect(await change('POST', `${copy.id}/test-cases/run`, undefined)).toMatchObject({ passed: 1, failed: 0 });
    expect(await change('PUT', copy.id, { enabled: true })).toMatchObject({ enabled: true, name: 'Arrived' });
    ledger.answerWith(() => ({ body: { n: 9 } }));
    expect((await outsOf(copy.id, { n: 9 })).tell).toEqual({ text: 'Play 9 was answered 9.' });
  });
});
