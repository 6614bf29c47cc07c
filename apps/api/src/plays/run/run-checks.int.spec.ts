import type { Play } from '@weft/engine';
import { PLAYS } from '@weft/store';
import { describe, expect, it } from 'vitest';
import { liveApi, textOf, type Answer } from '../../../../../test/api/live-api.js';

// no worker runs: what is accepted stays
const { mongo, person } = await liveApi();
const editor = await person('flow_editor');
const plays = mongo.collection<Play>(PLAYS);

async function newFlow(fields: object = {}): Promise<string> {
  return textOf((await editor.send('POST', '/api/v1/flows', { body: { name: 'flow', ...fields } })).body.id);
}

const run = (flowId: string, body: object, headers: Record<string, string> = {}): Promise<Answer> =>
  editor.send('POST', `/api/v1/flows/${flowId}/run`, { body, headers });

describe('a run with Idempotency-Strict', () => {
  it('is refused when the play that holds the key has other args, and else answered as without it', async () => {
    const flowId = await newFlow();
    const strict = { 'idempotency-strict': 'true' };
    const first = await run(flowId, { args: { n: 1 }, idempotencyKey: 'k' }, strict);
    expect(first.status).toBe(202);
    const { playId } = first.body;
    expect(await run(flowId, { args: { n: 1 }, idempotencyKey: 'k' }, strict)).toMatchObject({ status: 200 });
    const other = { args: { n: 2 }, idempotencyKey: 'k' };
    const refused = await run(flowId, other, strict);
    expect(refused.body).toMatchObject({ status: 409, code: 'idempotency_mismatch', playId });
    expect((await run(flowId, other)).headers['idempotency-mismatch']).toBe('true');
    const batch = { body: { runs: [other, { args: { n: 3 } }] }, headers: strict };
    const { body } = await editor.send('POST', `/api/v1/flows/${flowId}/run-batch`, batch);
    expect(body.items).toMatchObject([{ error: { code: 'idempotency_mismatch' } }, { state: 'RUN', replayed: false }]);
    expect((await run(flowId, {}, { 'idempotency-strict': 'yes' })).body.code).toBe('invalid_body');
  });
});

describe('a run with notAfter', () => {
  it('is SKIP with its reason when the time has passed, also in a batch, and leaves its key free', async () => {
    const flowId = await newFlow();
    const late = { notAfter: '2020-01-01T00:00:00Z', idempotencyKey: 'late' };
    const first = await run(flowId, late);
    expect(first.body).toMatchObject({ state: 'SKIP' });
    const { body } = await editor.send('GET', `/api/v1/plays/${textOf(first.body.playId)}`);
    expect(body).toMatchObject({ state: 'SKIP', error: { code: 'too_late', ref: null } });
    const runs = [{ ...late }, { notAfter: '2099-01-01T00:00:00Z' }, { notAfter: 'soon' }];
    const batch = await editor.send('POST', `/api/v1/flows/${flowId}/run-batch`, { body: { runs } });
    expect(batch.body.items).toMatchObject([
      { state: 'SKIP', replayed: false },
      { state: 'RUN', replayed: false },
      { error: { code: 'invalid_body' } },
    ]);
    expect((await run(flowId, { idempotencyKey: 'late' })).body.state).toBe('RUN');
    const never = { notAfter: '2030-01-01T00:00:00Z', runAt: '2030-01-02T00:00:00Z' };
    expect((await run(flowId, never)).body).toMatchObject({ code: 'invalid_body', errors: [{ path: 'notAfter' }] });
  });
});

describe('a run with a key that a play holds', () => {
  it('is answered with the play, although the flow’s schema refuses the args by now', async () => {
    const flowId = await newFlow();
    const first = await run(flowId, { args: { n: 'one' }, idempotencyKey: 'k' });
    expect(first.status).toBe(202);
    const argsSchema = { type: 'object', properties: { n: { type: 'integer' } } };
    expect((await editor.send('PATCH', `/api/v1/flows/${flowId}`, { body: { argsSchema } })).status).toBe(200);
    const again = await run(flowId, { args: { n: 'one' }, idempotencyKey: 'k' });
    expect(again).toMatchObject({ status: 200, body: { playId: first.body.playId } });
    expect((await run(flowId, { args: { n: 'one' }, idempotencyKey: 'other' })).body.code).toBe('invalid_args');
  });
});

describe('a run with the key of a play that has failed', () => {
  const fail = async (answer: Answer): Promise<string> => {
    const _id = textOf(answer.body.playId);
    await plays.updateOne(
      { _id },
      { $set: { state: 'FAIL', completedAt: new Date(0) }, $unset: { heartbeatAt: 1, dueAt: 1 } },
    );
    return _id;
  };

  it('continues that play, and the play that has failed after it', async () => {
    const flowId = await newFlow();
    const order = { args: { n: 1 }, idempotencyKey: 'k' };
    const first = await fail(await run(flowId, order));
    const again = await run(flowId, order);
    expect(again).toMatchObject({ status: 202, body: { state: 'RUN' }, headers: { 'idempotency-retried': first } });
    expect(await run(flowId, order)).toMatchObject({ status: 200, body: again.body });
    const second = await fail(again);
    const batch = await editor.send('POST', `/api/v1/flows/${flowId}/run-batch`, { body: { runs: [order, order] } });
    const [one, two] = batch.body.items as unknown as readonly { playId: string; replayed: boolean }[];
    expect([one, two]).toContainEqual({ playId: one?.playId, state: 'RUN', replayed: false, retryOf: second });
    expect([one, two]).toContainEqual({ playId: one?.playId, state: 'RUN', replayed: true });
    const stored = await plays.find({ flowId }).sort({ _id: 1 }).toArray();
    expect(stored.map(({ retryOf, chain, key }) => [retryOf, chain?.first, key])).toEqual([
      [undefined, undefined, undefined],
      [first, first, undefined],
      [second, first, 'k'],
    ]);
  });

  it('starts when it says, although the schema or the condition of the flow has changed', async () => {
    const flowId = await newFlow();
    const order = { args: { n: 1 }, idempotencyKey: 'k', runAt: '2099-01-01T00:00:00Z' };
    const first = await fail(await run(flowId, order));
    const argsSchema = { type: 'object', properties: { n: { type: 'string' } } };
    await editor.send('PATCH', `/api/v1/flows/${flowId}`, { body: { argsSchema, when: '{{ $prev.args.no }}' } });
    const again = await run(flowId, order);
    expect(again).toMatchObject({ body: { state: 'DEFERRED' }, headers: { 'idempotency-retried': first } });
    expect((await plays.findOne({ _id: textOf(again.body.playId) }))?.dueAt).toEqual(new Date(order.runAt));
  });

  it('is a play of its own with other args or another version, and has the key from then on', async () => {
    const flowId = await newFlow();
    const first = await fail(await run(flowId, { args: { n: 1 }, idempotencyKey: 'k' }));
    const other = { args: { n: 2 }, idempotencyKey: 'k' };
    const answers = await Promise.all(Array.from({ length: 10 }, () => run(flowId, other)));
    const ids = new Set(answers.map(({ body }) => textOf(body.playId)));
    expect([ids.size, answers.filter(({ status }) => status === 202).length]).toEqual([1, 1]);
    expect(answers.flatMap(({ headers }) => headers['idempotency-retried'] ?? [])).toEqual([]);
    const [playId = ''] = ids;
    expect(await plays.findOne({ _id: playId })).not.toHaveProperty('retryOf');
    expect((await run(flowId, { args: { n: 1 }, idempotencyKey: 'k' })).headers['idempotency-mismatch']).toBe('true');
    // the failed play is retried all the same, once that one has failed
    const retry = () => editor.send('POST', `/api/v1/plays/${first}/retry`);
    expect((await retry()).body).toMatchObject({ code: 'idempotency_key_in_use', playId });
    await plays.updateOne({ _id: playId }, { $set: { state: 'FAIL', completedAt: new Date(0) } });
    await editor.send('PATCH', `/api/v1/flows/${flowId}`, { body: { argsSchema: { type: 'object' } } });
    const named = await run(flowId, { ...other, version: 2 });
    expect([named.status, named.headers['idempotency-retried']]).toEqual([202, undefined]);
    await fail(named);
    const retried = await retry();
    expect(retried.status).toBe(202);
    expect(await plays.findOne({ flowId, key: 'k' })).toMatchObject({ _id: textOf(retried.body.playId) });
  });

  it('is refused, and leaves the key, when it is another run that the flow does not take', async () => {
    const flowId = await newFlow();
    const first = await fail(await run(flowId, { args: { n: 1 }, idempotencyKey: 'k' }));
    const argsSchema = { type: 'object', properties: { n: { type: 'string' } } };
    await editor.send('PATCH', `/api/v1/flows/${flowId}`, { body: { argsSchema } });
    expect((await run(flowId, { args: { n: 2 }, idempotencyKey: 'k' })).body.code).toBe('invalid_args');
    const late = { notAfter: '2020-01-01T00:00:00Z', args: { n: 'x' }, idempotencyKey: 'k' };
    expect((await run(flowId, late)).body.state).toBe('SKIP');
    expect(await plays.findOne({ flowId, key: 'k' })).toMatchObject({ _id: first });
  });
});

describe('a run whose fields are in the other spelling', () => {
  it('is taken; given in both spellings they must agree', async () => {
    const flow_id = await newFlow();
    const send = (body: object) => editor.send('POST', '/api/v1/plays', { body });
    const first = await send({ flow_id, idempotency_key: 'twin' });
    expect(first.status).toBe(202);
    expect((await send({ flow_id, flowId: flow_id, idempotencyKey: 'twin' })).body.playId).toBe(first.body.playId);
    expect((await send({ flow_id, flowId: 'other' })).body).toMatchObject({
      status: 400,
      errors: [{ path: 'flow_id' }],
    });
    const schedule = { flowId: flow_id, schedule: '0 6 * * *', missed_window: '1d', missedWindow: '1d' };
    expect((await editor.send('POST', '/api/v1/scheduler/jobs', { body: schedule })).status).toBe(201);
    expect((await editor.send('GET', `/api/v1/plays?flow_id=${flow_id}`)).body.items).toHaveLength(1);
    expect((await editor.send('GET', `/api/v1/plays?flow_id=${flow_id}&flowId=x`)).body.code).toBe('invalid_query');
    expect((await send({ flowId: flow_id, argz: {} })).body).toMatchObject({
      code: 'unknown_field',
      detail: 'argz is not a field of this operation (did you mean args?).',
    });
  });
});

describe('the args of a flow with a schema', () => {
  const argsSchema = {
    type: 'object',
    properties: { n: { type: 'integer' } },
    required: ['n'],
    additionalProperties: false,
  };
  const fault = { status: 422, code: 'invalid_args', errors: [{ path: 'args.n', message: 'must be integer' }] };

  it('are judged before a play is made: of a run, of one in a batch, of a schedule and of a rerun', async () => {
    const flowId = await newFlow({ argsSchema });
    const args = { n: 'x' };
    expect((await run(flowId, { args })).body).toMatchObject(fault);
    const { body } = await editor.send('POST', `/api/v1/flows/${flowId}/run-batch`, {
      body: { runs: [{ args }, { args: { n: 1 } }] },
    });
    expect(body.items).toMatchObject([{ error: { code: 'invalid_args' } }, { state: 'RUN' }]);
    const { items } = (await editor.send('GET', `/api/v1/plays?flowId=${flowId}`)).body;
    expect(items).toHaveLength(1);
    const schedule = { flow_id: flowId, schedule: '0 6 * * *', args };
    const { body: job } = await editor.send('POST', '/api/v1/scheduler/jobs', { body: schedule });
    const ran = await editor.send('POST', `/api/v1/scheduler/jobs/${textOf(job.id)}/run`);
    expect(ran.body).toMatchObject(fault);
    const [play] = items as unknown as readonly { id: string }[];
    expect((await editor.send('POST', `/api/v1/plays/${play?.id}/rerun`, { body: { args } })).body).toMatchObject(
      fault,
    );
  });

  it('are judged by a type that refers to itself', async () => {
    const kids = { type: 'array', items: { $ref: '#/$defs/node' } };
    const node = { type: 'object', properties: { n: { type: 'integer' }, kids } };
    const recursive = { properties: { tree: { $ref: '#/$defs/node' } }, $defs: { node } };
    const flowId = await newFlow({ argsSchema: recursive });
    expect((await editor.send('GET', `/api/v1/flows/${flowId}/export`)).body.argsSchema).toEqual(recursive);
    expect((await run(flowId, { args: { tree: { kids: [{ n: 1, kids: [] }] } } })).status).toBe(202);
    expect((await run(flowId, { args: { tree: { kids: [{ n: 'x' }] } } })).body).toMatchObject({
      code: 'invalid_args',
      errors: [{ path: 'args.tree.kids.0.n', message: 'must be integer' }],
    });
    const { body } = await editor.send('PATCH', `/api/v1/flows/${flowId}`, {
      body: { argsSchema: { ...recursive, required: ['tree'] } },
    });
    expect(body.argsSchema).toEqual({ ...recursive, required: ['tree'] });
  });

  it('belong to the version: exported, compared, restored; a schema that cannot hold is refused', async () => {
    const flowId = await newFlow({ argsSchema });
    const at = `/api/v1/flows/${flowId}`;
    expect((await editor.send('GET', `${at}/export`)).body.argsSchema).toEqual(argsSchema);
    const referring = { $schema: 'https://json-schema.org/draft/2020-12/schema', $ref: '#/x', type: 'object' };
    const unread = await editor.send('PATCH', at, { body: { argsSchema: referring } });
    expect(unread).toMatchObject({ status: 422, body: { code: 'invalid_options' } });
    expect(JSON.stringify(unread.body.errors)).toContain('$ref');
    expect((await editor.send('PATCH', at, { body: { argsSchema: null } })).body.argsSchema).toBeNull();
    expect((await editor.send('GET', `${at}/versions/1/diff`)).body.changes).toMatchObject([
      { path: expect.stringMatching(/^argsSchema/) as string },
    ]);
    expect((await editor.send('POST', `${at}/versions/1/restore`)).body.argsSchema).toEqual(argsSchema);
    const refused = await editor.send('PATCH', at, {
      body: { argsSchema: { properties: { n: { tpye: 'integer' } } } },
    });
    expect(refused.body).toMatchObject({
      status: 422,
      code: 'invalid_options',
      errors: [
        { path: 'argsSchema.properties.n.tpye', message: expect.stringContaining('did you mean type') as string },
      ],
    });
  });
});

describe('a play that is cancelled', () => {
  it('says why, and is found by it', async () => {
    const flowId = await newFlow();
    const { playId } = (await run(flowId, {})).body;
    const path = `/api/v1/plays/${textOf(playId)}`;
    const cancelled = await editor.send('POST', `${path}/cancel`, { body: { reason: 'wrong file' } });
    const message = `The play was cancelled by the user ${editor.userId}: wrong file`;
    expect(cancelled.body).toMatchObject({ state: 'FAIL', error: { code: 'cancelled', message } });
    const found = await editor.send('GET', `/api/v1/plays?flowId=${flowId}&errorCode=cancelled`);
    expect(found.body.items).toMatchObject([{ id: playId }]);
    const other = await run(flowId, {});
    const long = { body: { reason: 'x'.repeat(501) } };
    const cancel = `/api/v1/plays/${textOf(other.body.playId)}/cancel`;
    expect((await editor.send('POST', cancel, long)).body.code).toBe('invalid_body');
    expect((await editor.send('POST', cancel)).body.state).toBe('FAIL');
  });
});

describe('a layer', () => {
  it('is read, changed and removed by its ref, too, also when the change gives it another one', async () => {
    const layers = ['a', 'b'].map((ref) => ({ ref, appId: 'text-template', args: { template: ref } }));
    const flowId = await newFlow({ layers });
    const at = (name: string) => `/api/v1/flows/${flowId}/layers/${name}`;
    const { id } = (await editor.send('GET', at('a'))).body;
    const changed = await editor.send('PATCH', at('a'), { body: { ref: 'c' } });
    expect(changed).toMatchObject({ status: 200, body: { id, ref: 'c' } });
    expect((await editor.send('GET', at('a'))).status).toBe(404);
    expect((await editor.send('DELETE', at('b'))).status).toBe(204);
    expect((await editor.send('GET', `/api/v1/flows/${flowId}/layers`)).body).toMatchObject([{ ref: 'c' }]);
  });
});

describe('a fixture', () => {
  it('for a layer that the flow does not have is refused with the name that is near', async () => {
    const layers = [{ ref: 'first', appId: 'text-template', args: { template: 'x' } }];
    const flowId = await newFlow({ layers });
    const post = (path: string, body: object) => editor.send('POST', `/api/v1/flows/${flowId}/${path}`, { body });
    const fault = {
      status: 422,
      code: 'unresolved_refs',
      errors: [{ path: 'fixtures.frist', message: 'no layer has the ref "frist"; did you mean first?' }],
    };
    const fixtures = { frist: {} };
    expect((await post('dry-run', { fixtures })).body).toMatchObject(fault);
    expect((await post('test-cases', { name: 'x', fixtures })).body).toMatchObject(fault);
    const $fail = { code: 'timeout', message: 'too slow' };
    expect((await post('dry-run', { fixtures: { first: { $fail } } })).body).toMatchObject({
      state: 'FAIL',
      error: { ...$fail, ref: 'first' },
    });
  });
});
