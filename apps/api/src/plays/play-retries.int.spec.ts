import type { LayerResult, Play } from '@weft/engine';
import { AUDIT_LOGS, PayloadStore, PLAYS, type AuditDocument } from '@weft/store';
import { FLOWS, type FlowDocument } from '@weft/records';
import { describe, expect, it } from 'vitest';
import { liveApi, newId, textOf, type Answer, type Person } from '../../../../test/api/live-api.js';
import { childOf, resultAt, retryOfPlay, storedFlow, storedPlays } from '../../../../test/api/stored-play.js';

const { mongo, person } = await liveApi();
const editor = await person('flow_editor');
const companyId = editor.scope.companyId;
const admin = await person('admin', companyId);
const executor = await person('flow_executor', companyId);
const viewer = await person('viewer', companyId);
const storePlay = storedPlays(mongo, executor);
const LAYERS = { fetch: 'web-request', tell: 'text-template', send: 'web-request' };
const flowId = await storedFlow(mongo, editor, LAYERS);

const plays = mongo.collection<Play>(PLAYS);
const stored = async (id: string): Promise<Play> => (await plays.findOne({ _id: id })) as Play;
const post = (by: Person, path: string, body?: object): Promise<Answer> => by.send('POST', `/api/v1/${path}`, { body });

const failedResult = resultAt(2, 'send', { state: 'FAIL', error: { code: 'bad_status', message: '500' } });
const longAgo = new Date(Date.now() - 60_000);

function failed(flow = flowId, fields: Partial<Play> = {}): Promise<Play> {
  const layers: LayerResult[] = [resultAt(0, 'fetch'), resultAt(1, 'tell'), failedResult];
  const error = { code: 'bad_status', message: '500', ref: 'send' };
  return storePlay(flow, {
    state: 'FAIL',
    completedAt: longAgo,
    layers,
    cursor: 3,
    error,
    heartbeatAt: undefined,
    ...fields,
  });
}

async function setFlow(id: string, fields: Partial<FlowDocument>): Promise<void> {
  await mongo.collection<FlowDocument>(FLOWS).updateOne({ _id: id }, { $set: fields });
}

describe('a play that handles the failure of another', () => {
  it('stays so as a retry and as a rerun, and shows which it is', async () => {
    const old = await failed(flowId, { handlesFailureOf: 'x', failureHandledBy: 'y' });
    const shown = await viewer.send('GET', `/api/v1/plays/${old._id}`);
    expect(shown.body).toMatchObject({ handlesFailureOf: 'x', failureHandledBy: 'y' });
    for (const how of ['retry', 'rerun']) {
      const { body } = await post(executor, `plays/${old._id}/${how}`);
      expect((await stored(textOf(body.playId))).handlesFailureOf).toBe('x');
    }
    const pending = await failed(flowId, { failurePending: 'z', failureHandledBy: 'y' });
    expect((await viewer.send('GET', `/api/v1/plays/${pending._id}`)).body).toMatchObject({ failureHandledBy: null });
  });

  it('is started by what a rerun fails of', async () => {
    const handled = await storedFlow(mongo, editor, LAYERS);
    await setFlow(handled, { 'settings.onFailure': 'handler' } as Partial<FlowDocument>);
    const { body } = await post(executor, `plays/${(await failed(handled))._id}/rerun`);
    expect((await stored(textOf(body.playId))).failurePending).toBe('handler');
  });
});

describe('retry', () => {
  it('makes a new play that takes over what was done, and leaves the failed one as it is', async () => {
    const old = await failed();
    const answer = await post(executor, `plays/${old._id}/retry`);
    const playId = textOf(answer.body.playId);
    expect(answer).toMatchObject({
      status: 202,
      headers: { location: `/api/v1/plays/${playId}` },
      body: { state: 'RUN', retryOf: old._id },
    });
    expect(await stored(playId)).toMatchObject({
      state: 'NEW',
      trigger: 'retry',
      triggeredBy: executor.userId,
      retryOf: old._id,
      args: old.args,
      version: old.version,
      cursor: 2,
      layers: [{ ref: 'fetch', out: { text: 'fetch' } }, { ref: 'tell' }],
    });
    expect(await stored(old._id)).toEqual(old);
    const shown = await viewer.send('GET', `/api/v1/plays/${playId}/layers`);
    expect(shown.body).toMatchObject([
      { state: 'DONE' },
      { state: 'DONE' },
      { ref: 'send', state: 'NEW', attempts: 0 },
    ]);
  });

  it('shares large outputs: each play keeps them when the other is erased', async () => {
    const payloads = new PayloadStore(mongo);
    const erase = (id: string) => admin.send('DELETE', `/api/v1/plays/${id}`);
    const outRef = await payloads.put(editor.scope, { playId: 'maker', flowId }, Buffer.from('"large"'));
    await payloads.share(editor.scope, [outRef], 'one');
    const layers = [resultAt(0, 'fetch', { out: null, outRef }), { ...failedResult, position: 1, ref: 'tell' }];
    const one = await failed(flowId, { _id: 'one', layers });
    await payloads.letGo(editor.scope, ['maker']);
    const two = textOf((await post(editor, `plays/${one._id}/retry`)).body.playId);
    await plays.updateOne({ _id: two }, { $set: { state: 'FAIL', completedAt: longAgo } });
    expect((await erase(one._id)).status).toBe(204);
    expect((await viewer.send('GET', `/api/v1/plays/${two}/layers/fetch/out`)).body).toBe('large');
    expect((await erase(two)).status).toBe(204);
    expect(await payloads.get(editor.scope, outRef)).toBeNull();
  });

  it('shares what a loop has done, likewise', async () => {
    const payloads = new PayloadStore(mongo);
    const ref = await payloads.put(editor.scope, { playId: 'looped', flowId }, Buffer.from('[\n[0,"digest",{}]\n]'));
    const layers = [{ ...failedResult, position: 0, ref: 'fetch', doneItems: { count: 1, ref } }];
    const old = await failed(flowId, { _id: 'looped', layers, cursor: 1 });
    const retry = async (id: string) => textOf((await post(editor, `plays/${id}/retry`)).body.playId);
    const erase = async (id: string) => {
      await plays.updateOne({ _id: id }, { $set: { state: 'FAIL', completedAt: longAgo } });
      expect((await admin.send('DELETE', `/api/v1/plays/${id}`)).status).toBe(204);
    };
    const second = await retry(old._id);
    expect((await stored(second)).doneItems).toEqual({ 0: { count: 1, ref } });
    await plays.updateOne({ _id: second }, { $set: { state: 'FAIL', completedAt: longAgo } });
    const third = await retry(second);
    await plays.updateOne({ _id: third }, { $set: { state: 'FAIL', completedAt: longAgo } });
    for (const id of [old._id, second]) await erase(id);
    expect((await stored(third)).doneItems).toEqual({ 0: { count: 1, ref } });
    expect(await payloads.get(editor.scope, ref)).not.toBeNull();
    await erase(third);
    expect(await payloads.get(editor.scope, ref)).toBeNull();
  });

  it('is refused when outputs that it would take over are gone', async () => {
    const gone = { $ref: '0'.repeat(24), bytes: 20_000 };
    const old = await failed(flowId, { layers: [resultAt(0, 'fetch', { out: null, outRef: gone })], cursor: 1 });
    expect(await post(editor, `plays/${old._id}/retry`)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(await plays.countDocuments({ retryOf: old._id })).toBe(0);
  });

  it('waits until the play has been over for a second', async () => {
    const justNow = new Date(Date.now() - 700);
    const old = await failed(flowId, { completedAt: justNow });
    const { body } = await post(editor, `plays/${old._id}/retry`);
    const { createdAt } = await stored(textOf(body.playId));
    expect(createdAt.getTime() - justNow.getTime()).toBeGreaterThanOrEqual(1_000);
  });

  it('is only of a play that failed', async () => {
    for (const state of ['NEW', 'RUN', 'DONE', 'SKIP', 'FILTERED', 'ON_HOLD'] as const) {
      const play = await storePlay(flowId, { state });
      const { status, body } = await post(editor, `plays/${play._id}/retry`);
      expect([state, status, body.code, body.state]).toEqual([state, 409, 'illegal_move', state]);
    }
  });

  it('takes the idempotency key over, unless another play has it by now', async () => {
    const old = await failed(flowId, { idempotencyKey: `k-${newId()}` });
    const first = await post(editor, `plays/${old._id}/retry`);
    expect(await stored(textOf(first.body.playId))).toMatchObject({ key: old.idempotencyKey });
    const second = await post(editor, `plays/${old._id}/retry`);
    expect(second).toMatchObject({ status: 409, body: { code: 'idempotency_key_in_use', playId: first.body.playId } });
  });

  it('is made of a play once: a second one names it, and is to be made of the last', async () => {
    const old = await failed();
    const retry = (id: string) => post(editor, `plays/${id}/retry`);
    const [one, ...others] = (await Promise.all([1, 2, 3].map(() => retry(old._id)))).toSorted((a, b) => a.status - b.status); // prettier-ignore
    const first = textOf(one?.body.playId);
    const refused = { status: 409, body: { code: 'illegal_move', state: 'FAIL', playId: first } };
    expect([one?.status, ...others]).toMatchObject([202, refused, refused]);
    await plays.updateOne({ _id: first }, { $set: { state: 'FAIL', completedAt: longAgo } });
    const answer = await retry(old._id);
    expect(answer).toMatchObject(refused);
    expect(textOf(answer.body.detail)).toContain(`The play ${first} is its retry, and has failed: retry that one.`);
    const second = textOf((await retry(first)).body.playId);
    expect(await stored(second)).toMatchObject({ retryOf: first, chain: { first: old._id, nth: 2 } });
    // over a play of the chain that was erased
    await plays.deleteOne({ _id: first });
    expect(await retry(old._id)).toMatchObject({ ...refused, body: { ...refused.body, playId: second } });
    expect((await post(editor, `plays/${old._id}/rerun`)).status).toBe(202);
  });

  it('is shown by the play that it retries, in lists, too; a rerun is not', async () => {
    const flow = await storedFlow(mongo, editor, LAYERS);
    const old = await failed(flow);
    await failed(flow, { retryOf: old._id, trigger: 'rerun' });
    const shown = async () => {
      const one = await viewer.send('GET', `/api/v1/plays/${old._id}`);
      const list = await viewer.send(
        'GET',
        `/api/v1/plays?flowId=${flow}&to=${new Date(Date.now() + 60_000).toISOString()}`,
      );
      const [row] = (list.body.items as unknown as { id: string; retriedBy: unknown }[]).filter(
        ({ id }) => id === old._id,
      );
      expect(row?.retriedBy).toEqual(one.body.retriedBy);
      return one.body.retriedBy;
    };
    expect(await shown()).toBeNull();
    const playId = textOf((await post(editor, `plays/${old._id}/retry`)).body.playId);
    expect(await shown()).toEqual({ playId, state: 'NEW' });
    await plays.updateOne({ _id: playId }, { $set: { state: 'DONE' } });
    expect(await shown()).toEqual({ playId, state: 'DONE' });
    expect((await viewer.send('GET', `/api/v1/plays/${playId}`)).body.retriedBy).toBeNull();
  });

  describe('of a play that a layer of another one has started', () => {
    const refusedFor = (parentPlayId: string) => ({ status: 409, body: { code: 'retry_the_parent', parentPlayId } });

    it.each<[string, Parameters<typeof childOf>[1]]>([
      ['a layer', { layer: 2 }],
      ['an item of a loop', { layer: 2, item: 3 }],
    ])('is refused, and names the parent: %s', async (_what, place) => {
      const parent = await failed();
      const child = await failed(flowId, childOf(parent, place));
      const retry = () => post(editor, `plays/${child._id}/retry`);
      expect(await retry()).toMatchObject(refusedFor(parent._id));
      const again = await failed(flowId, retryOfPlay(parent));
      expect(await retry()).toMatchObject(refusedFor(again._id));
      await plays.updateOne({ _id: again._id }, { $set: { state: 'WAIT' } });
      expect(await retry()).toMatchObject(refusedFor(again._id));
      expect(await plays.countDocuments({ retryOf: child._id })).toBe(0);
    });

    it('is refused whatever became of it: its parent waits for it, or has taken how it ended', async () => {
      const parent = await storePlay(flowId, { state: 'WAIT' });
      const child = await storePlay(flowId, { state: 'RUN', ...childOf(parent, { layer: 2 }) });
      expect(await post(editor, `plays/${child._id}/retry`)).toMatchObject(refusedFor(parent._id));
    });

    it('is made where nobody asks for it again: the parent did not wait, has ended well, or is not stored any more', async () => {
      const retry = async (child: Play) => (await post(editor, `plays/${child._id}/retry`)).status;
      const parent = await failed();
      expect(await retry(await failed(flowId, childOf(parent, { layer: 0 }, false)))).toBe(202);
      const collected = await failed(flowId, childOf(parent, { layer: 1, item: 0 }));
      await storePlay(flowId, { state: 'DONE', ...retryOfPlay(parent) });
      expect(await retry(collected)).toBe(202);
      const gone = await failed();
      await plays.deleteOne({ _id: gone._id });
      expect(await retry(await failed(flowId, childOf(gone, { layer: 2 })))).toBe(202);
    });
  });

  it('is for who may execute the flow, and started the play or edits', async () => {
    const old = await failed(flowId, { triggeredBy: editor.userId });
    expect((await post(executor, `plays/${old._id}/retry`)).body.code).toBe('denied');
    expect((await post(viewer, `plays/${old._id}/retry`)).body.code).toBe('denied');
    expect((await post(await person('admin'), `plays/${old._id}/retry`)).status).toBe(404);
    expect((await post(editor, 'plays/none/retry')).status).toBe(404);
  });
});

describe('rerun', () => {
  it('runs the flow as it is now, from the start, with the old args or others', async () => {
    const old = await failed(flowId, { version: 3, idempotencyKey: 'only-once', priority: 4 });
    const same = await post(executor, `plays/${old._id}/rerun`);
    expect(same).toMatchObject({ status: 202, body: { state: 'RUN', retryOf: old._id } });
    const play = await stored(textOf(same.body.playId));
    expect(play).toMatchObject({ trigger: 'rerun', version: 1, args: old.args, layers: [], cursor: 0, priority: 4 });
    expect(play).not.toHaveProperty('key');
    const other = await post(executor, `plays/${old._id}/rerun`, { args: { $n: 2 } });
    expect((await stored(textOf(other.body.playId))).args).toEqual({ $n: 2 });
    const done = await storePlay(flowId, { state: 'DONE', completedAt: longAgo });
    expect((await post(executor, `plays/${done._id}/rerun`)).status).toBe(202);
    expect((await post(executor, `plays/${old._id}/rerun`, { args: 1 })).body.code).toBe('invalid_body');
  });
});

it('a rerun is SKIP when the flow says now that it does not take place; a retry goes on with what was begun', async () => {
  const flow = await storedFlow(mongo, editor, LAYERS, { when: '{{ $prev.args.wanted }}' });
  const old = await failed(flow);
  const skipped = await post(editor, `plays/${old._id}/rerun`);
  expect(skipped).toMatchObject({ status: 202, body: { state: 'SKIP', retryOf: old._id } });
  expect((await post(editor, `plays/${old._id}/rerun`, { args: { wanted: 1 } })).body.state).toBe('RUN');
  expect((await post(editor, `plays/${old._id}/retry`)).body.state).toBe('RUN');
});

describe.each(['retry', 'rerun'])('%s', (what) => {
  it('is refused as a run is, of a flow that is disabled, a blueprint or deleted', async () => {
    const attempt = async (fields: Partial<FlowDocument>) => {
      const flow = await storedFlow(mongo, editor, LAYERS);
      await setFlow(flow, fields);
      const old = await failed(flow);
      const { status, body } = await post(editor, `plays/${old._id}/${what}`);
      return [status, body.code];
    };
    expect(await attempt({ enabled: false })).toEqual([409, 'flow_disabled']);
    expect(await attempt({ isBlueprint: true })).toEqual([409, 'flow_is_blueprint']);
    expect(await attempt({ filteredAt: new Date() })).toEqual([404, 'not_found']);
  });
});

describe('bulk', () => {
  it('cancels plays by id, audits each, and skips those that have ended or are not there', async () => {
    const open = await storePlay(flowId, { state: 'RUN', owner: 'w' });
    const held = await storePlay(flowId, { state: 'ON_HOLD', held: 'NEW' });
    const ended = await storePlay(flowId, { state: 'DONE' });
    const strange = await storedPlays(mongo, await person('admin'))('elsewhere', { state: 'RUN' });
    const ids = [open, held, ended, strange].map(({ _id }) => _id).concat('none');
    const answer = await post(editor, 'plays/bulk', { action: 'cancel', ids });
    expect(answer).toMatchObject({ status: 202, body: { matched: 3, changed: 2, skipped: 1 } });
    for (const { _id } of [open, held]) {
      const play = await stored(_id);
      const message = `The play was cancelled by the user ${editor.userId}.`; // an address would never be redacted here
      expect(play).toMatchObject({ state: 'FAIL', error: { code: 'cancelled', message } });
      expect(play.completedAt).toBeInstanceOf(Date);
      expect(play.log.map(({ seq }) => seq)).toEqual([1, 2, 3]);
      const entries = mongo.collection<AuditDocument>(AUDIT_LOGS).find({ resource_id: _id });
      expect(await entries.toArray()).toMatchObject([{ action_type: 'play_cancelled', UserID: editor.userId }]);
    }
    expect((await stored(strange._id)).state).toBe('RUN');
  });

  it('cancels by filter, in batches, what the caller sees', async () => {
    const flow = await storedFlow(mongo, editor, LAYERS);
    await Promise.all(Array.from({ length: 130 }, (_, i) => storePlay(flow, { state: i % 2 === 0 ? 'NEW' : 'WAIT' })));
    await storePlay(flow, { state: 'DONE' });
    const cancel = (by: Person, filter: object) => post(by, 'plays/bulk', { action: 'cancel', filter });
    expect((await cancel(editor, { flowId: flow, state: 'WAIT,DONE' })).body).toEqual({
      matched: 65,
      changed: 65,
      skipped: 0,
    });
    await setFlow(flow, { restricted: true, createdBy: 'another' });
    expect((await cancel(editor, { flowId: flow })).body).toEqual({ matched: 0, changed: 0, skipped: 0 });
    const named = await plays.find({ flowId: flow, state: 'NEW' }).limit(2).toArray();
    const byId = await post(editor, 'plays/bulk', { action: 'cancel', ids: named.map(({ _id }) => _id) });
    expect(byId.body).toEqual({ matched: 0, changed: 0, skipped: 0 });
    expect((await cancel(admin, { flowId: flow })).body).toEqual({ matched: 65, changed: 65, skipped: 0 });
    expect(await plays.countDocuments({ flowId: flow, state: 'FAIL' })).toBe(130);
  });

  it('retries failed plays by filter, each once however often it is asked', async () => {
    const flow = await storedFlow(mongo, editor, LAYERS);
    await Promise.all(Array.from({ length: 45 }, () => failed(flow)));
    await storePlay(flow, { state: 'DONE' });
    const retry = () => post(editor, 'plays/bulk', { action: 'retry', filter: { flowId: flow } });
    expect((await retry()).body).toEqual({ matched: 45, changed: 45, skipped: 0 });
    expect((await retry()).body).toEqual({ matched: 45, changed: 0, skipped: 45 });
    expect(await plays.countDocuments({ flowId: flow, trigger: 'retry', cursor: 2 })).toBe(45);
  });

  it('retries the topmost play of each, once for all that it runs again, whatever the order and the batch', async () => {
    const top = await failed();
    const middle = await failed(flowId, childOf(top, { layer: 2 }));
    const items = await Promise.all(
      Array.from({ length: 30 }, (_, item) => failed(flowId, childOf(middle, { layer: 2, item }))),
    );
    const alone = await failed(flowId, childOf(top, { layer: 1 }, false));
    const [first = top, ...others] = items;
    const ids = [first, middle, top, ...others, alone].map(({ _id }) => _id);
    const retry = () => post(editor, 'plays/bulk', { action: 'retry', ids });
    expect((await retry()).body).toEqual({ matched: 33, changed: 33, skipped: 0 });
    const made = await plays.find({ retryOf: { $in: ids } }).toArray();
    expect(made.map(({ retryOf }) => retryOf).toSorted()).toEqual([top._id, alone._id].toSorted());
    expect((await retry()).body).toEqual({ matched: 33, changed: 0, skipped: 33 });
  });

  it('leaves a play to a parent that is open, and goes through a retry of the parent that has failed', async () => {
    const parent = await failed();
    const child = await failed(flowId, childOf(parent, { layer: 2 }));
    const last = await storePlay(flowId, { state: 'WAIT', ...retryOfPlay(parent) });
    const retry = async () => (await post(editor, 'plays/bulk', { action: 'retry', ids: [child._id] })).body;
    expect(await retry()).toEqual({ matched: 1, changed: 0, skipped: 1 });
    await plays.updateOne({ _id: last._id }, { $set: { state: 'FAIL', completedAt: longAgo } });
    expect(await retry()).toEqual({ matched: 1, changed: 1, skipped: 0 });
    expect(await plays.countDocuments({ retryOf: last._id })).toBe(1);
    expect(await plays.countDocuments({ retryOf: child._id })).toBe(0);
  });

  it('retries no play for a child whose parent the caller may not control', async () => {
    const owner = await person('flow_editor', companyId);
    const hidden = await failed(await storedFlow(mongo, owner, LAYERS, { restricted: true }));
    const child = await failed(flowId, childOf(hidden, { layer: 2 }));
    const answer = await post(editor, 'plays/bulk', { action: 'retry', ids: [child._id] });
    expect(answer.body).toEqual({ matched: 1, changed: 0, skipped: 1 });
    expect(await plays.countDocuments({ retryOf: hidden._id })).toBe(0);
  });

  it('skips what cannot be retried: another state, a disabled flow, a key that is taken', async () => {
    const disabled = await storedFlow(mongo, editor, LAYERS);
    await setFlow(disabled, { enabled: false });
    const key = `k-${newId()}`;
    const holder = await storePlay(flowId, { state: 'DONE', key, idempotencyKey: key });
    const all = [await failed(disabled), await failed(flowId, { idempotencyKey: key }), holder, await failed()];
    const answer = await post(editor, 'plays/bulk', { action: 'retry', ids: all.map(({ _id }) => _id) });
    expect(answer.body).toEqual({ matched: 4, changed: 1, skipped: 3 });
  });

  it('takes an empty filter for everything only where all is true, and counts in a dry run without a change', async () => {
    const [own, other] = [await person('flow_editor'), await person('flow_editor')];
    const flow = await storedFlow(mongo, own, LAYERS);
    await Promise.all(['NEW', 'WAIT'].map((state) => storedPlays(mongo, own)(flow, { state } as Partial<Play>)));
    const strange = await storedPlays(mongo, other)(await storedFlow(mongo, other, LAYERS), { state: 'WAIT' });
    const bulk = (body: object) => post(own, 'plays/bulk', { action: 'cancel', ...body });
    for (const body of [{}, { filter: {} }, { all: false }, { filter: {}, all: false }, { filter: {}, dryRun: true }]) {
      expect(await bulk(body)).toMatchObject({ status: 422, body: { code: 'empty_filter' } });
    }
    const counted = { status: 200, body: { matched: 2, changed: 0, skipped: 0 } };
    expect(await bulk({ all: true, dryRun: true })).toMatchObject(counted);
    expect(await bulk({ filter: { flowId: flow }, dryRun: true })).toMatchObject(counted);
    const ids = (await plays.find({ flowId: flow }).toArray()).map(({ _id }) => _id);
    expect(await bulk({ ids: [...ids, strange._id], dryRun: true })).toMatchObject(counted);
    expect(await plays.countDocuments({ flowId: flow, state: 'FAIL' })).toBe(0);
    const body = { matched: 2, changed: 2, skipped: 0 };
    expect(await bulk({ filter: {}, all: true })).toMatchObject({ status: 202, body });
    expect((await stored(strange._id)).state).toBe('WAIT');
  });

  it('is for editors, and wants ids or a filter that the list would take', async () => {
    expect((await post(executor, 'plays/bulk', { action: 'cancel', filter: {} })).status).toBe(403);
    const code = async (body: object) => (await post(editor, 'plays/bulk', body)).body.code;
    expect(await code({ action: 'cancel', ids: [], filter: {} })).toBe('invalid_body');
    expect(await code({ action: 'cancel', ids: [], all: true })).toBe('invalid_body');
    expect(await code({ action: 'cancel', filter: { flowId }, all: true })).toBe('invalid_body');
    expect(await code({ action: 'erase', ids: [] })).toBe('invalid_body');
    expect(await code({ action: 'cancel', filter: { size: '3' } })).toBe('unknown_field');
    expect(await code({ action: 'cancel', ids: Array.from({ length: 1_001 }, (_, i) => `${i}`) })).toBe('invalid_body');
    const wrong = await post(editor, 'plays/bulk', { action: 'cancel', filter: { state: 'OVER' } });
    expect(wrong.body).toMatchObject({ code: 'invalid_body', errors: [{ path: 'filter.state' }] });
  });
});
