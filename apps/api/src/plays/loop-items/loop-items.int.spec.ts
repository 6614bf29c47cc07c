import type { DoneItems, Play } from '@weft/engine';
import { PayloadStore } from '@weft/store';
import { describe, expect, it } from 'vitest';
import { liveApi, newId, textOf, type Answer } from '../../../../../test/api/live-api.js';
import { childOf, resultAt, storedFlow, storedPlays } from '../../../../../test/api/stored-play.js';

const { mongo, person } = await liveApi();
const editor = await person('flow_editor');
const viewer = await person('viewer', editor.scope.companyId);
const storePlay = storedPlays(mongo, editor);

const error = { code: 'bad_status', message: 'a answered 422', statusCode: 422 };

async function playOf(fields: Partial<Play>, onItemError: 'fail' | 'collect' = 'collect'): Promise<Play> {
  const flowId = await storedFlow(mongo, editor);
  const forEach = { in: '{{ $prev.args.list }}', onItemError };
  const layer = { ref: 'each', name: 'each', appId: 'text-template', args: { template: '{{ $item }}' }, forEach };
  expect((await editor.send('POST', `/api/v1/flows/${flowId}/layers`, { body: layer })).status).toBe(201);
  return storePlay(flowId, { version: 2, ...fields });
}

const read = ({ _id }: Play, query = '', by = viewer): Promise<Answer> =>
  by.send('GET', `/api/v1/plays/${_id}/layers/each/items${query}`);
const noPlay = { attempts: null, playId: null, state: null };
const linesOf = (lines: readonly unknown[]): string => `[\n${lines.map((line) => JSON.stringify(line)).join(',\n')}\n]`;

describe('the items of a loop', () => {
  it('are listed by how they ended, page after page', async () => {
    const out = [0, 1, 2, 3, 4].map((i) =>
      i % 2 ? { ok: false, out: null, error } : { ok: true, out: i, error: null },
    );
    const play = await playOf({ state: 'DONE', layers: [resultAt(0, 'each', { out })] });
    const first = await read(play, '?ok=true&size=2');
    expect(first.body).toMatchObject({ total: 3, page: 0, size: 2 });
    expect(first.body.items).toEqual([
      { index: 0, ok: true, out: 0, error: null, ...noPlay },
      { index: 2, ok: true, out: 2, error: null, ...noPlay },
    ]);
    const next = await read(play, `?ok=true&size=2&cursor=${textOf(first.body.nextCursor)}`);
    expect(next.body).toMatchObject({ items: [{ index: 4 }], page: 1, nextCursor: null });
    expect((await read(play, '?ok=false')).body.items).toEqual(
      [1, 3].map((index) => ({ index, ...out[index], ...noPlay })),
    );
    expect((await read(play, '?size=2&page=1')).body.items).toMatchObject([{ index: 2 }, { index: 3 }]);
    expect((await read(play, '?page=9')).body).toMatchObject({ items: [], nextCursor: null });
    expect((await read(play, '?ok=perhaps')).status).toBe(400);
    expect((await read(play, '?cursor=x')).status).toBe(400);
  });

  it('are those that are stored so far while the loop runs, with its progress in percent', async () => {
    const failed = { ok: false, out: null, error };
    const inline = linesOf([
      [2, 'd', { ok: true, out: 'c', error: null }],
      [0, 'd', failed, 'earlier play'],
    ]);
    const id = newId();
    const stored = linesOf([[1, 'd', failed, id]]);
    const of = { flowId: 'f', playId: id };
    const ref = await new PayloadStore(mongo).put(editor.scope, of, Buffer.from(stored));
    const doneItems: Record<string, DoneItems> = { 0: { count: 2, of: 8, text: inline, ref } };
    const log: Play['log'] = [{ seq: 1, type: 'start', layer: 0, ref: 'each', name: 'each', at: new Date() }];
    const play = await playOf({ _id: id, state: 'RUN', log, doneItems });
    expect((await read(play)).body.items).toEqual([
      { index: 1, ...failed, ...noPlay },
      { index: 2, ok: true, out: 'c', error: null, ...noPlay },
    ]);
    const layers = (await viewer.send('GET', `/api/v1/plays/${id}/layers`)).body as unknown as { progress: number }[];
    expect(layers[0]?.progress).toBe(25);
  });

  it('are those before the one that ended the loop, and that one', async () => {
    const doneItems = { count: 1, text: linesOf([[0, 'd', { statusCode: 200 }]]) };
    const refused = { statusCode: 422, body: 'order 104 has no VAT number' };
    const failed = { state: 'FAIL', out: refused, attempts: 3, error: { ...error, item: 1 } } as const;
    const result = resultAt(0, 'each', { ...failed, doneItems });
    const play = await playOf({ state: 'FAIL', layers: [result] }, 'fail');
    expect((await read(play)).body.items).toEqual([
      { index: 0, ok: true, out: { statusCode: 200 }, error: null, ...noPlay },
      { index: 1, ok: false, out: refused, error, ...noPlay, attempts: 3 },
    ]);
  });

  it('have the plays that they started, also those that have not ended', async () => {
    const flowId = await storedFlow(mongo, editor, { each: 'run-flow' });
    const collection = mongo.collection<{ readonly _id: string }>('flow_versions');
    const forEach = { in: '{{ $prev.args.list }}', concurrency: 9, onItemError: 'collect' };
    await collection.updateOne({ flowId }, { $set: { 'layers.0.forEach': forEach } });
    const ended = { ok: true, out: { playId: newId(), state: 'DONE', out: null }, error: null };
    const doneItems: Record<string, DoneItems> = { 0: { count: 1, of: 3, text: linesOf([[1, 'd', ended]]) } };
    const play = await storePlay(flowId, { state: 'WAIT', doneItems });
    const started = (item: number, state: Play['state'], layer = 0) =>
      storePlay(flowId, { state, ...childOf(play, { layer, item }) });
    const [first, , third] = [await started(0, 'NEW'), await started(1, 'DONE'), await started(2, 'WAIT')];
    await started(0, 'RUN', 1);
    const open = { ok: null, out: null, error: null, attempts: null };
    expect((await read(play)).body.items).toEqual([
      { index: 0, ...open, playId: first._id, state: 'RUN' },
      { index: 1, ...ended, attempts: null, playId: ended.out.playId, state: 'DONE' },
      { index: 2, ...open, playId: third._id, state: 'WAIT' },
    ]);
    expect((await read(play, '?ok=false')).body.items).toEqual([]);
    expect((await read(play, '?size=1&page=2')).body.items).toMatchObject([{ playId: third._id }]);
  });

  it('are pages and rounds, too, of what is kept', async () => {
    const flowOf = async (fields: object) => {
      const flowId = await storedFlow(mongo, editor, { each: 'web-request' });
      const set = Object.fromEntries(
        Object.entries(fields).map(([name, value]) => [`layers.0.${name}`, value as unknown]),
      );
      await mongo.collection('flow_versions').updateOne({ flowId }, { $set: set });
      return flowId;
    };
    const pages = await flowOf({ args: { url: 'https://a.test', paginate: { link: true } } });
    const page = (n: number) => ({ statusCode: 200, headers: {}, json: [n] });
    const done = await storePlay(pages, {
      state: 'DONE',
      layers: [resultAt(0, 'each', { out: { pages: [page(0), page(1)], count: 2 } })],
    });
    expect((await read(done)).body.items).toEqual(
      [0, 1].map((index) => ({ index, ok: true, out: page(index), error: null, ...noPlay })),
    );
    const doneItems = { count: 1, text: linesOf([[0, 'd', page(0)]]) };
    const refused = { statusCode: 422, body: 'no' };
    const failure = { state: 'FAIL', out: refused, error: { ...error, item: 1 }, doneItems } as const;
    const failed = await storePlay(pages, { state: 'FAIL', layers: [resultAt(0, 'each', failure)] });
    expect((await read(failed)).body.items).toMatchObject([
      { index: 0, out: page(0) },
      { index: 1, ok: false, out: refused },
    ]);

    const rounds = await flowOf({ repeat: { until: '{{ $repeat.out.json }}', max: 9, delayMs: 0 } });
    const left = { doneItems: { count: 2, text: linesOf([[1, 'd', page(1)]]) } };
    const inRound = { ...failure, error: { ...error, item: 2 }, ...left };
    const stopped = await storePlay(rounds, { state: 'FAIL', layers: [resultAt(0, 'each', inRound)] });
    expect((await read(stopped)).body.items).toMatchObject([
      { index: 1, out: page(1) },
      { index: 2, ok: false, out: refused },
    ]);
    const exhausted = { ...failure, out: page(1), error: { code: 'repeat_exhausted', message: 'x', item: 2 }, ...left };
    const over = await storePlay(rounds, { state: 'FAIL', layers: [resultAt(0, 'each', exhausted)] });
    expect((await read(over)).body.items).toMatchObject([{ index: 1, ok: true, out: page(1) }]);
  });

  it('are the steps of an agent, also when it has ended, each as a replay takes it', async () => {
    const flowId = await storedFlow(mongo, editor, { each: 'agent' });
    const said = { kind: 'model', text: 'Done.', calls: [] };
    const doneItems = { 0: { count: 1, text: linesOf([[0, 'of-the-request', said]]) } };
    const output = resultAt(0, 'each', { out: { text: 'Done.', steps: [{ kind: 'model', tokens: 3 }] } });
    const steps = await read(await storePlay(flowId, { state: 'DONE', layers: [output], doneItems }));
    expect(steps.body.items).toMatchObject([{ index: 0, ok: true, out: { ...said, digest: 'of-the-request' } }]);
    const older = await read(await storePlay(flowId, { state: 'DONE', layers: [output] }));
    expect(older.body.items).toMatchObject([{ index: 0, out: { kind: 'model', tokens: 3 } }]);
  });

  it('are refused, before anything is read, when what the loop stored so far is too large together', async () => {
    const id = newId();
    const ref = await new PayloadStore(mongo).put(editor.scope, { flowId: 'f', playId: id }, Buffer.from(linesOf([])));
    const large = { ...ref, bytes: 8 * 1024 * 1024 };
    const left = (more: DoneItems['more'] = []): Record<string, DoneItems> => ({
      0: { count: 1, text: '', ref: large, more },
    });
    const fits = await playOf({ _id: id, state: 'RUN', doneItems: left([]) });
    expect((await read(fits)).status).toBe(200);
    const running = await playOf({ state: 'RUN', doneItems: left([large, ref]) });
    expect((await read(running)).body).toMatchObject({ code: 'value_too_large' });
    const failed = { state: 'FAIL', out: null, error, doneItems: left([large, ref])[0]! } as const;
    const ended = await playOf({ state: 'FAIL', layers: [resultAt(0, 'each', failed)] });
    expect((await read(ended, '?size=1')).body).toMatchObject({ code: 'value_too_large' });
  });

  it('are not there for a layer that is no loop, nor for another company', async () => {
    const flowId = await storedFlow(mongo, editor, { each: 'text-template' });
    expect((await read(await storePlay(flowId))).status).toBe(404);
    const play = await playOf({ state: 'DONE', layers: [resultAt(0, 'each', { out: [] })] });
    expect((await read(play)).body).toMatchObject({ items: [], total: 0 });
    expect((await read(play, '', await person('admin'))).status).toBe(404);
  });
});
