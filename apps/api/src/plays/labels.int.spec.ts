import type { Play } from '@weft/engine';
import { PLAYS } from '@weft/store';
import { describe, expect, it } from 'vitest';
import { liveApi, textOf, type Answer } from '../../../../test/api/live-api.js';
import { storedFlow, storedPlays } from '../../../../test/api/stored-play.js';

const { mongo, person } = await liveApi();
const editor = await person('flow_editor');
const storePlay = storedPlays(mongo, editor);
const plays = mongo.collection<Play>(PLAYS);

const newFlow = (labels?: object): Promise<string> =>
  storedFlow(mongo, editor, {}, labels === undefined ? {} : { settings: { labels } });
const run = (flowId: string, body: object): Promise<Answer> =>
  editor.send('POST', `/api/v1/flows/${flowId}/run`, { body });
const labelsOf = async (answer: Answer): Promise<unknown> => {
  expect(answer.status).toBe(202);
  return (await editor.send('GET', `/api/v1/plays/${textOf(answer.body.playId)}`)).body.labels;
};
const found = async (query: string): Promise<unknown[]> => {
  const { body } = await editor.send('GET', `/api/v1/plays?${query}`);
  return (body.items as unknown as { labels: unknown }[]).map(({ labels }) => labels);
};

describe('labels of plays', () => {
  it('are those of the run before those of the flow, and no field where there are none', async () => {
    const flowId = await newFlow({ team: 'orders', tier: 'gold' });
    expect(await labelsOf(await run(flowId, { labels: { tier: 'silver', 'order.id': 'A-17: x' } }))).toEqual({
      ...{ team: 'orders', tier: 'silver', 'order.id': 'A-17: x' },
    });
    expect(await labelsOf(await run(flowId, {}))).toEqual({ team: 'orders', tier: 'gold' });
    const plain = await run(await newFlow(), {});
    expect(await labelsOf(plain)).toEqual({});
    expect(await plays.findOne({ _id: textOf(plain.body.playId) })).not.toHaveProperty('labels');
  });

  it('find plays, each with all that are asked for, in lists, counts and bulk actions', async () => {
    const flowId = await newFlow();
    for (const labels of [{ a: '1', b: '2' }, { a: '1', b: '3' }, { a: '2' }]) await run(flowId, { labels });
    expect(await found(`flowId=${flowId}&label=a:1`)).toEqual([
      { a: '1', b: '3' },
      { a: '1', b: '2' },
    ]);
    expect(await found(`flowId=${flowId}&label=a:1&label=b:2`)).toEqual([{ a: '1', b: '2' }]);
    expect(await found(`flowId=${flowId}&label=a:1&label=a:2`)).toEqual([]);
    const { body } = await editor.send('GET', `/api/v1/plays/counts?flowId=${flowId}&label=a:1`);
    expect(body.counts).toMatchObject({ NEW: 2 });
    const filter = { flowId, label: ['a:1', 'b:3'] };
    const dryRun = { action: 'cancel', filter, dryRun: true };
    expect((await editor.send('POST', '/api/v1/plays/bulk', { body: dryRun })).body.matched).toEqual(1);
    const many = Array.from({ length: 11 }, () => 'label=a:1').join('&');
    for (const query of ['label=a', 'label=:x', 'label=a:', 'label=a b:1', many]) {
      expect((await editor.send('GET', `/api/v1/plays?${query}`)).body.code, query).toBe('invalid_query');
    }
    expect((await (await person('admin')).send('GET', '/api/v1/plays?label=a:1')).body.items).toEqual([]);
  });

  it('go on to retries and reruns', async () => {
    const flowId = await newFlow({ team: 'orders', tier: 'gold' });
    const completedAt = new Date(Date.now() - 60_000);
    const fields = { state: 'FAIL', completedAt, labels: ['tier:silver', 'x:y'], heartbeatAt: undefined } as const;
    const { _id } = await storePlay(flowId, fields);
    const again = (how: string) => editor.send('POST', `/api/v1/plays/${_id}/${how}`);
    expect(await labelsOf(await again('retry'))).toEqual({ tier: 'silver', x: 'y' });
    expect(await labelsOf(await again('rerun'))).toEqual({ team: 'orders', tier: 'silver', x: 'y' });
  });

  it('come from a schedule before they come from the flow', async () => {
    const flow_id = await newFlow({ team: 'orders', tier: 'gold' });
    const schedule = { flow_id, schedule: '0 6 * * *', labels: { tier: 'nightly' } };
    const job = await editor.send('POST', '/api/v1/scheduler/jobs', { body: schedule });
    expect(job).toMatchObject({ status: 201, body: { labels: { tier: 'nightly' } } });
    const path = `/api/v1/scheduler/jobs/${textOf(job.body.id)}`;
    expect(await labelsOf(await editor.send('POST', `${path}/run`))).toEqual({ team: 'orders', tier: 'nightly' });
    expect((await editor.send('PATCH', path, { body: { labels: { 'a.b': 'c' } } })).body.labels).toEqual({
      'a.b': 'c',
    });
    expect((await editor.send('GET', path)).body.labels).toEqual({ 'a.b': 'c' });
  });

  it('of a flow are replaced as a whole, and part of its versions and documents', async () => {
    const flowId = await newFlow({ b: '1', 'a.x': '2' });
    const path = `/api/v1/flows/${flowId}`;
    const document = (await editor.send('GET', `${path}/export`)).body;
    expect(document.settings?.labels).toEqual({ b: '1', 'a.x': '2' });
    const imported = await editor.send('POST', '/api/v1/flows/import', { body: { document } });
    expect(imported).toMatchObject({ status: 201, body: { settings: { labels: { b: '1', 'a.x': '2' } } } });
    const changed = await editor.send('PATCH', path, { body: { settings: { labels: { c: '3' } } } });
    expect(changed.body.settings?.labels).toEqual({ c: '3' });
    expect((await editor.send('PATCH', path, { body: { name: 'other' } })).body.settings?.labels).toEqual({ c: '3' });
    expect((await editor.send('POST', `${path}/versions/1/restore`)).body.settings?.labels).toEqual({
      b: '1',
      'a.x': '2',
    });
    const none = await editor.send('GET', `/api/v1/flows/${await newFlow()}`);
    expect(none.body.settings?.labels).toEqual({});
    const wrong = { ...document, settings: { labels: { 'a b': '1' } } };
    const refused = await editor.send('POST', '/api/v1/flows/import', { body: { document: wrong } });
    expect([refused.status, refused.body.code]).toEqual([422, 'invalid_document']);
  });

  it('that break the rules are refused wherever they are given, of a batch those of one run only', async () => {
    const flowId = await newFlow();
    const labels = { 'a b': '1' };
    const refused = await Promise.all([
      run(flowId, { labels }),
      run(flowId, { labels: { a: '' } }),
      run(flowId, { labels: { a: 1 } }),
      run(flowId, { runAt: '2099-01-01T00:00:00Z', labels }),
      editor.send('POST', '/api/v1/plays', { body: { flowId, labels } }),
      editor.send('POST', '/api/v1/flows', { body: { name: 'x', settings: { labels } } }),
      editor.send('PATCH', `/api/v1/flows/${flowId}`, { body: { settings: { labels } } }),
      editor.send('POST', '/api/v1/scheduler/jobs', { body: { flow_id: flowId, schedule: '0 6 * * *', labels } }),
    ]);
    expect(refused.map(({ status, body }) => [status, body.code])).toEqual(refused.map(() => [422, 'invalid_labels']));
    for (const odd of [[], 'a:1', null]) {
      expect((await run(flowId, { labels: odd })).body.code, JSON.stringify(odd)).toBe('invalid_body');
    }
    const runs = [{ labels: { a: '1' } }, { labels }, {}];
    const { body } = await editor.send('POST', `/api/v1/flows/${flowId}/run-batch`, { body: { runs } });
    expect(body.items).toMatchObject([{ state: 'RUN' }, { error: { code: 'invalid_labels' } }, { state: 'RUN' }]);
  });
});
