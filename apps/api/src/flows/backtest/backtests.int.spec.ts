import { createHash } from 'node:crypto';
import type { LayerResult, Play } from '@weft/engine';
import { PayloadStore, PLAYS } from '@weft/store';
import { ledgerServer } from '@weft/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { liveApi, textOf, type Answer, type Json, type Person } from '../../../../../test/api/live-api.js';
import { resultAt, storedPlays } from '../../../../../test/api/stored-play.js';

const { mongo, person, send } = await liveApi();
const editor = await person('flow_editor');
const companyId = editor.scope.companyId;
const play = storedPlays(mongo, editor);
const payloads = new PayloadStore(mongo);
/** Counts what reaches it: nothing may. */
const canary = await ledgerServer();
afterAll(() => canary.close());

const at = (flowId: string, path = ''): string => `/api/v1/flows/${flowId}${path}`;

type Layer = Readonly<Record<string, unknown>> & { readonly ref: string };

const ask: Layer = { ref: 'ask', appId: 'web-request', args: { url: `${canary.url}/{{ $prev.args.n }}` } };
const tell: Layer = { ref: 'tell', appId: 'text-template', args: { template: 'It is {{ .ask.json.name }}.' } };
const answer = { statusCode: 200, json: { name: 'Ada' } };

async function newFlow(layers: readonly Layer[] = [ask, tell], fields: object = {}): Promise<string> {
  const { body } = await editor.send('POST', '/api/v1/flows', { body: { name: 'flow', ...fields } });
  const flowId = textOf(body.id);
  for (const layer of layers)
    expect((await editor.send('POST', at(flowId, '/layers'), { body: layer })).status).toBe(201);
  return flowId;
}

async function versionOf(flowId: string): Promise<number> {
  return Number((await editor.send('GET', at(flowId))).body.version);
}

/** A play of the flow's present version that has ended, as a worker stores it. */
async function ended(flowId: string, results: readonly LayerResult[], fields: Partial<Play> = {}): Promise<string> {
  const version = await versionOf(flowId);
  const end = { state: 'DONE', completedAt: new Date(), cursor: results.length, heartbeatAt: undefined } as const;
  return (await play(flowId, { version, args: { n: 1 }, ...end, layers: results, ...fields }))._id;
}

const asked = (fields: Partial<LayerResult> = {}) => resultAt(0, 'ask', { out: answer, ...fields });
const told = (text = 'It is Ada.') => resultAt(1, 'tell', { out: { text } });

async function documentOf(flowId: string, layers?: readonly Layer[], fields: object = {}): Promise<object> {
  const { body } = await editor.send('GET', at(flowId, '/export'));
  return { ...body, ...fields, ...(layers && { layers }) };
}

const backtest = (flowId: string, body: object = {}, by: Pick<Person, 'send'> = editor): Promise<Answer> =>
  by.send('POST', at(flowId, '/backtest'), { body });

/** Of the only play. */
async function itemOf(flowId: string, layers: readonly Layer[], fields: object = {}): Promise<Json | undefined> {
  const { status, body } = await backtest(flowId, { document: await documentOf(flowId, layers, fields) });
  expect([status, body.compared]).toEqual([200, 1]);
  return (body.items as unknown as Json[])[0];
}

/** Of this company: the API of this worker does other work, too. */
async function countAll(): Promise<Record<string, number>> {
  const collections = await mongo.db.listCollections({}, { nameOnly: true }).toArray();
  const own = ['company_id', 'CompanyID', 'metadata.company_id'].map((field) => ({ [field]: companyId }));
  const counts = collections.map(
    async ({ name }) => [name, await mongo.collection(name).countDocuments({ $or: own })] as const,
  );
  return Object.fromEntries(await Promise.all(counts));
}

describe('a backtest over HTTP', () => {
  it('finds what is the same, stores nothing and calls nobody', async () => {
    const flowId = await newFlow();
    const [older, newer] = [await ended(flowId, [asked(), told()]), await ended(flowId, [asked(), told()])];
    await play(flowId, { version: await versionOf(flowId), state: 'RUN' });
    const before = await countAll();
    const same = { result: 'same', differences: [], missing: [] };
    const whole = { compared: 2, same: 2, different: 0, unresolved: 0 };
    const items = [
      { playId: newer, ...same },
      { playId: older, ...same },
    ];
    for (const body of [{}, { document: await documentOf(flowId) }, { version: await versionOf(flowId) }]) {
      expect(await backtest(flowId, body)).toMatchObject({ status: 200, body: { ...whole, items } });
    }
    expect((await backtest(flowId, { last: 1 })).body).toMatchObject({ compared: 1, items: [items[0]] });
    expect(await countAll()).toEqual(before);
    expect(canary.calls).toEqual([]);
  });

  it('names the fields that differ, of outputs and of what would be called', async () => {
    const flowId = await newFlow();
    await ended(flowId, [asked(), told()]);
    const changed = { ...tell, args: { template: 'Hello {{ .ask.json.name }}' } };
    expect(await itemOf(flowId, [ask, changed])).toMatchObject({
      result: 'different',
      differences: [{ ref: 'tell', path: 'text', before: 'It is Ada.', after: 'Hello Ada' }],
    });
    const elsewhere = { ...ask, args: { url: `${canary.url}/v2/{{ $prev.args.n }}` } };
    expect((await itemOf(flowId, [elsewhere, tell]))?.differences).toEqual([
      { ref: 'ask', path: '$args.url', before: `${canary.url}/1`, after: `${canary.url}/v2/1` },
    ]);
    const broken = { ...tell, args: { template: '{{ .ask.json.nobody }}' } };
    expect((await itemOf(flowId, [ask, broken]))?.differences).toMatchObject([
      { ref: 'tell', path: '$state', before: 'DONE', after: 'FAIL' },
      { ref: 'tell', path: '$error', before: null, after: { code: 'expression_unresolved' } },
      { ref: null, path: '$state', before: 'DONE', after: 'FAIL' },
    ]);
    expect(
      (
        await itemOf(
          flowId,
          [tell].map(() => ({ ...tell, args: { template: 'x' } })),
        )
      )?.differences,
    ).toMatchObject([
      { ref: 'tell', path: 'text' },
      { ref: 'ask', path: '$state', before: 'DONE', after: null },
    ]);
  });

  it('sees a branch and a condition that flip', async () => {
    const says = (ref: string): Layer => ({ ref, appId: 'text-template', args: { template: ref } });
    const way = (over: number): Layer => ({
      ref: 'way',
      appId: 'branch',
      args: { cases: [{ when: `{{ $prev.args.n > ${over} }}`, refs: ['left'] }], else: ['right'] },
    });
    const flowId = await newFlow([way(0), says('left'), says('right')], { when: '{{ $prev.args.n }}' });
    const skipped = resultAt(2, 'right', { state: 'SKIP', out: null });
    await ended(flowId, [resultAt(0, 'way', { out: { taken: ['left'] } }), resultAt(1, 'left'), skipped]);
    expect(await itemOf(flowId, [way(0), says('left'), says('right')])).toMatchObject({ result: 'same' });
    expect((await itemOf(flowId, [way(5), says('left'), says('right')]))?.differences).toEqual([
      { ref: 'way', path: 'taken.0', before: 'left', after: 'right' },
      { ref: 'left', path: '$state', before: 'DONE', after: 'SKIP' },
      { ref: 'right', path: '$state', before: 'SKIP', after: 'DONE' },
      { ref: null, path: '$out.text', before: 'left', after: 'right' },
    ]);
    const layers = [way(0), says('left'), says('right')];
    expect((await itemOf(flowId, layers, { when: '{{ $prev.args.other }}' }))?.differences).toEqual([
      { ref: null, path: '$state', before: 'DONE', after: 'SKIP' },
    ]);
    expect((await itemOf(flowId, layers, { when: '{{ $error("no") }}' }))?.differences).toMatchObject([
      { ref: null, path: '$error', after: { code: 'condition_failed' } },
    ]);
  });

  it('cannot say what a new call would give, and can say it of a new pure layer', async () => {
    const flowId = await newFlow();
    await ended(flowId, [asked(), told()]);
    const more = { ...ask, ref: 'more' };
    expect(await itemOf(flowId, [ask, more, tell])).toMatchObject({
      ...{ result: 'unresolved', differences: [], missing: ['more'] },
    });
    const reads = { ...tell, args: { template: '{{ .more.json.name }}' } };
    expect(await itemOf(flowId, [ask, more, reads])).toMatchObject({ result: 'unresolved', missing: ['more'] });
    const changed = { ...tell, args: { template: 'x' } };
    expect(await itemOf(flowId, [ask, more, changed])).toMatchObject({ result: 'different', missing: ['more'] });
    const pure = { ref: 'pure', appId: 'text-template', args: { template: 'x' } };
    expect(await itemOf(flowId, [ask, pure, tell])).toMatchObject({ result: 'same', missing: [] });
    expect((await itemOf(flowId, [ask, tell, pure]))?.differences).toMatchObject([{ ref: null, path: '$out.text' }]);
  });

  it('repeats a recorded failure, and is not sure of a play that was ended from outside', async () => {
    const flowId = await newFlow();
    const error = { code: 'bad_status', message: 'a answered 500' };
    const failed = asked({ state: 'FAIL', out: null, error });
    await ended(flowId, [failed], { state: 'FAIL', error: { ...error, ref: 'ask' } });
    expect(await itemOf(flowId, [ask, tell])).toMatchObject({ result: 'same' });
    expect(
      (
        await itemOf(flowId, [
          { ...ask, onError: 'continue' },
          { ...tell, args: { template: 'x' } },
        ])
      )?.differences,
    ).toEqual([{ ref: null, path: '$state', before: 'FAIL', after: 'DONE' }]);
    const other = await newFlow();
    await ended(other, [asked()], { state: 'FAIL', error: { code: 'cancelled', message: 'x', ref: null } });
    expect(await itemOf(other, [ask, tell])).toMatchObject({ result: 'unresolved', missing: ['tell'] });
  });

  it('keeps the values that an export leaves out', async () => {
    const secret = { ...ask, args: { ...(ask.args as object), headers: { authorization: 'Bearer abc' } } };
    const flowId = await newFlow([secret, tell]);
    await ended(flowId, [asked(), told()]);
    const document = await documentOf(flowId);
    expect(JSON.stringify(document)).toContain('[left out]');
    expect((await backtest(flowId, { document })).body).toMatchObject({ same: 1 });
  });

  it('refuses what is no version', async () => {
    const flowId = await newFlow([]);
    const codeOf = async (body: object) => (await backtest(flowId, body)).body.code;
    expect(await codeOf({ version: 9 })).toBe('not_found');
    expect(await codeOf({ document: {} })).toBe('invalid_document');
    expect(await codeOf({ document: await documentOf(flowId), version: 1 })).toBe('invalid_body');
    for (const last of [0, 201, 'x']) expect(await codeOf({ last })).toBe('invalid_body');
  });
});

describe('who may backtest', () => {
  it('edits the flow, reads it, and has a scope that reads plays', async () => {
    const flowId = await newFlow();
    await ended(flowId, [asked(), told()]);
    expect((await backtest(flowId, {}, await person('flow_executor', companyId))).body.code).toBe('denied');
    expect((await backtest(flowId, {}, await person('admin'))).status).toBe(404);
    const admin = await person('admin', companyId);
    const keyWith = async (scope: string): Promise<Pick<Person, 'send'>> => {
      const { token } = (await admin.send('POST', '/api/v1/admin/api-keys', { body: { name: 'k', scope } })).body;
      const headers = { authorization: `Bearer ${textOf(token)}` };
      return { send: (method, path, options) => send(method, path, { ...options, headers }) };
    };
    expect((await backtest(flowId, {}, await keyWith('api:flows'))).body.code).toBe('insufficient_scope');
    expect((await backtest(flowId, {}, await keyWith('api:flows,api:plays'))).body.compared).toBe(1);
    expect((await backtest(flowId, {}, await keyWith('api'))).body.compared).toBe(1);
  });

  it('sees no play of another company, even under the same flow', async () => {
    const flowId = await newFlow();
    const stranger = storedPlays(mongo, await person('admin'));
    await stranger(flowId, { version: await versionOf(flowId), state: 'DONE', completedAt: new Date() });
    expect((await backtest(flowId)).body).toMatchObject({ compared: 0, items: [] });
  });
});

describe('large plays', () => {
  const put = (playId: string, flowId: string, value: unknown) =>
    payloads.put(editor.scope, { playId, flowId }, Buffer.from(JSON.stringify(value)));

  it('have outputs that are read where they are stored', async () => {
    const flowId = await newFlow();
    const outRef = await put('p', flowId, { ...answer, body: 'x'.repeat(2_000_000) });
    await ended(flowId, [asked({ out: null, outRef, outBytes: outRef.bytes }), told()]);
    expect(await itemOf(flowId, [ask, tell])).toMatchObject({ result: 'same' });
    await mongo.collection('payloads.files').deleteMany({ 'metadata.flowId': flowId });
    expect(await itemOf(flowId, [ask, tell])).toMatchObject({ result: 'unresolved', missing: ['ask'] });
  });

  it('have outputs of pure layers that are compared up to a megabyte', async () => {
    const flowId = await newFlow([{ ref: 'all', appId: 'text-template', args: { template: '{{ $prev.args.text }}' } }]);
    for (const [size, result] of [
      [900_000, 'same'],
      [1_100_000, 'unresolved'],
    ] as const) {
      const text = 'x'.repeat(size);
      const outRef = await put('p', flowId, { text });
      const one = resultAt(0, 'all', { out: null, outRef, outBytes: outRef.bytes });
      await ended(flowId, [one], { args: { text } });
      expect((await backtest(flowId, { last: 1 })).body.items).toMatchObject([{ result }]);
    }
  });

  it('fill a document of 16 MB', async () => {
    const refs = Array.from({ length: 15 }, (_, i) => `ask${i}`);
    const flowId = await newFlow(refs.map((ref) => ({ ...ask, ref })));
    const out = { ...answer, body: 'x'.repeat(1_000_000) };
    await ended(
      flowId,
      refs.map((ref, i) => resultAt(i, ref, { out, outBytes: 1_000_000 })),
    );
    const document = await mongo.collection<Play>(PLAYS).findOne({ flowId });
    expect(JSON.stringify(document).length).toBeGreaterThan(15_000_000);
    expect((await backtest(flowId)).body).toMatchObject({ compared: 1, same: 1 });
  });
});

describe('many backtests at once', () => {
  it('are refused beyond eleven of a company', async () => {
    const flowId = await newFlow();
    await ended(flowId, [asked(), told()]);
    const answers = await Promise.all(Array.from({ length: 20 }, () => backtest(flowId)));
    const refused = answers.filter(({ status }) => status === 429);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(answers.length - refused.length);
    expect(refused.length).toBeGreaterThan(0);
    for (const { body } of refused) expect(body.code).toBe('too_many_dry_runs');
  });
});

describe('a backtest of an agent', async () => {
  const link = { type: 'openai', name: 'Model', endpoint: 'https://models.example', access_token: 'key-of-the-model' };
  const admin = await person('admin', companyId);
  const made = await admin.send('POST', '/api/v1/integrations', { body: link });
  const integrationId = textOf(made.body.id);
  const agentOf = (instructions: string): Layer => ({
    ...{ ref: 'agent', appId: 'agent' },
    args: { integrationId, model: 'm', instructions, input: 'Case {{ $prev.args.n }}' },
  });
  /** What it asked with these instructions, as a worker stores it. */
  const stepsOf = (instructions: string) => {
    const messages = [{ role: 'user', text: 'Case 1' }];
    const chat = { model: 'm', instructions, messages, tools: [], mayCall: true, maxTokens: 4_096 };
    const digest = createHash('sha256')
      .update(JSON.stringify({ integrationId, provider: 'openai', chat }))
      .digest('base64url')
      .slice(0, 22);
    const usage = { tokensIn: 1, tokensOut: 1, cost: null };
    const said = { kind: 'model', text: 'Closed.', calls: [], usage, stop: 'end', ms: 5 };
    return { 0: { count: 1, text: `[\n${JSON.stringify([0, digest, said])}\n]` } };
  };
  const done = resultAt(0, 'agent', { out: { text: 'Closed.' } });
  const flowOf = async (instructions: string): Promise<string> => {
    const body = { name: 'flow', layers: [agentOf(instructions)] };
    const { status, body: flow } = await admin.send('POST', '/api/v1/flows', { body });
    expect(status).toBe(201);
    return textOf(flow.id);
  };
  const itemWith = async (flowId: string, instructions: string): Promise<Json | undefined> => {
    const { body } = await backtest(flowId, { document: await documentOf(flowId, [agentOf(instructions)]) }, admin);
    return (body.items as unknown as Json[])[0];
  };

  it('shows the first step that asks something else, with what was asked then', async () => {
    const flowId = await flowOf(`${'Be brief. '.repeat(90)}Close it.`);
    await ended(flowId, [done], { doneItems: stepsOf(`${'Be brief. '.repeat(90)}Close it.`) });
    expect((await backtest(flowId, {}, admin)).body).toMatchObject({ compared: 1, same: 1 });
    const item = await itemWith(flowId, `${'Be brief. '.repeat(90)}Answer it.`);
    expect(item).toMatchObject({ result: 'different', differences: [{ ref: 'agent', path: '$steps.0.instructions' }] });
    const [{ before, after }] = item?.differences as unknown as [{ before: string; after: string }];
    expect([before.slice(-10), after.slice(-10)]).toEqual([' Close it.', 'Answer it.']);
    expect(before.length).toBeLessThan(200);
  });

  it('is unresolved where nobody knows what was asked, and compares the arguments where no step is stored', async () => {
    const flowId = await flowOf('Close it.');
    await ended(flowId, [done], { doneItems: stepsOf('Another text.') });
    expect(await itemWith(flowId, 'Close it.')).toMatchObject({ result: 'unresolved', missing: ['agent'] });
    const other = await flowOf('Close it.');
    await ended(other, [done]);
    expect(await itemWith(other, 'Close it.')).toMatchObject({ result: 'same' });
    expect(await itemWith(other, 'Answer it.')).toMatchObject({
      differences: [{ path: '$args.instructions', before: 'Close it.', after: 'Answer it.' }],
    });
  });
});
