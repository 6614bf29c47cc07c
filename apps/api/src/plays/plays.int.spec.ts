import { journal, numberEvents, type LayerResult, type PlayEvent } from '@weft/engine';
import { lastIdAt } from '@weft/kernel';
import { PayloadStore } from '@weft/store';
import { FLOWS, type FlowDocument } from '@weft/records';
import { describe, expect, it } from 'vitest';
import { liveApi, newId, textOf, type Person } from '../../../../test/api/live-api.js';
import { resultAt, storedFlow, storedPlays } from '../../../../test/api/stored-play.js';

const { mongo, person } = await liveApi();
const editor = await person('flow_editor');
const companyId = editor.scope.companyId;
const viewer = await person('viewer', companyId);

const newFlow = (fields: object = {}): Promise<string> => storedFlow(mongo, editor, {}, fields);
const storePlay = storedPlays(mongo, editor);

const idsOf = (answer: { body: unknown }): string[] =>
  (answer.body as { items: { id: string }[] }).items.map((play) => play.id);

describe('plays over HTTP', () => {
  it('lists the plays of a flow newest first, without args, by page and by cursor', async () => {
    const flowId = await newFlow();
    const made: string[] = [];
    for (let i = 0; i < 5; i += 1) made.unshift((await storePlay(flowId))._id);
    const path = `/api/v1/flows/${flowId}/plays`;
    const first = await viewer.send('GET', `${path}?size=2`);
    expect(first.body).toMatchObject({ page: 0, size: 2, total: 5, totalCapped: false });
    expect((first.body.items as unknown as object[])[0]).not.toHaveProperty('args');
    const second = await viewer.send('GET', `${path}?size=2&cursor=${textOf(first.body.nextCursor)}`);
    const third = await viewer.send('GET', `${path}?size=2&cursor=${textOf(second.body.nextCursor)}`);
    expect([...idsOf(first), ...idsOf(second), ...idsOf(third)]).toEqual(made);
    expect([second.body.page, third.body.page, third.body.nextCursor]).toEqual([1, 2, null]);
    expect(idsOf(await viewer.send('GET', `${path}?size=2&page=1`))).toEqual(made.slice(2, 4));
    expect((await viewer.send('GET', `${path}?page=1&cursor=${textOf(first.body.nextCursor)}`)).status).toBe(400);
  });

  it('filters by state, time, key, trigger and flow', async () => {
    const flowId = await newFlow();
    const done = await storePlay(flowId, { state: 'DONE', completedAt: new Date(), idempotencyKey: 'k-1' });
    const failed = await storePlay(flowId, { state: 'FAIL', trigger: 'schedule' });
    const noon = new Date('2020-01-01T12:00:00Z');
    const early = await storePlay(flowId, { _id: lastIdAt(noon.getTime()), createdAt: noon });
    const list = async (query: string): Promise<string[]> =>
      idsOf(await viewer.send('GET', `/api/plays?flowId=${flowId}&${query}`));
    expect(await list('state=DONE')).toEqual([done._id]);
    expect(await list('state=DONE,FAIL')).toEqual([failed._id, done._id]);
    expect(await list('idempotencyKey=k-1')).toEqual([done._id]);
    expect(await list('trigger=schedule')).toEqual([failed._id]);
    expect(await list('from=2020-01-01T12:00:00Z&to=2020-01-01T12:00:01Z')).toEqual([early._id]);
    expect(await list('from=2020-01-01&to=2020-01-01T12:00:00Z')).toEqual([]);
    expect(await list('to=2021-01-01')).toEqual([early._id]);
    expect(await list('from=2021-01-01&to=9999-12-31')).toEqual([failed._id, done._id]);
    expect(await list('from=0001-01-01&to=0002-01-01')).toEqual([]);
    for (const wrong of ['state=OVER', 'from=yesterday', 'trigger=x', 'from=2020-13-01']) {
      expect([wrong, (await viewer.send('GET', `/api/plays?${wrong}`)).status]).toEqual([wrong, 400]);
    }
  });

  it('reads a play with its args', async () => {
    const play = await storePlay(await newFlow());
    const answer = await viewer.send('GET', `/api/plays/${play._id}`);
    expect(answer).toMatchObject({
      status: 200,
      body: { id: play._id, state: 'NEW', args: { $n: 1 }, duration: null },
    });
    expect((await viewer.send('GET', '/api/plays/none')).status).toBe(404);
    expect((await (await person('admin')).send('GET', `/api/plays/${play._id}`)).status).toBe(404);
  });

  it('keeps plays of a restricted flow from whom the flow is kept from, in lists too', async () => {
    const flowId = await newFlow({ restricted: true });
    const play = await storePlay(flowId);
    const sees = async (by: Person): Promise<unknown[]> => [
      (await by.send('GET', `/api/v1/plays/${play._id}`)).status,
      (await by.send('GET', `/api/v1/flows/${flowId}/plays`)).status,
      idsOf(await by.send('GET', '/api/v1/plays?size=200')).includes(play._id),
    ];
    expect(await sees(editor)).toEqual([200, 200, true]);
    expect(await sees(viewer)).toEqual([403, 403, false]);
    expect(await sees(await person('none', companyId))).toEqual([403, 403, false]);
  });

  it('keeps plays readable after their flow was deleted', async () => {
    const flowId = await newFlow();
    const play = await storePlay(flowId);
    expect((await editor.send('DELETE', `/api/v1/flows/${flowId}`)).status).toBe(204);
    expect((await viewer.send('GET', `/api/v1/plays/${play._id}`)).status).toBe(200);
    expect(idsOf(await viewer.send('GET', `/api/v1/flows/${flowId}/plays`))).toEqual([play._id]);
  });

  it('gives the frames of the live stream so far, from any number on', async () => {
    const flowId = await newFlow();
    const at = new Date();
    const layers = [resultAt(0, 'a'), resultAt(1, 'b', { out: { text: 'x'.repeat(16_000) }, outBytes: 16_011 })];
    const log = numberEvents(0, [
      { type: 'accepted', at },
      { type: 'state', from: 'NEW', state: 'RUN', at },
      ...layers.flatMap(({ position, ref, name, state }): PlayEvent[] => [
        { type: 'start', layer: position, ref, name, at },
        { type: 'claimed', at },
        { type: 'complete', layer: position, state, at },
      ]),
    ]);
    const play = await storePlay(flowId, { state: 'RUN', layers, log, cursor: 2, seq: log.length });
    const path = `/api/v1/plays/${play._id}/events`;
    const whole = await viewer.send('GET', path);
    expect(whole).toMatchObject({ status: 200, headers: { 'content-type': 'application/json; charset=utf-8' } });
    expect(whole.body).toEqual(JSON.parse(JSON.stringify(journal(play))));
    expect(whole.body).toMatchObject([
      { seq: 1, type: 'play_state_change' },
      { seq: 2 },
      { seq: 3 },
      { seq: 4 },
      { seq: 5 },
    ]);
    expect((await viewer.send('GET', `${path}?fromSeq=4`)).body).toMatchObject([{ seq: 4 }, { seq: 5 }]);
    expect((await viewer.send('GET', `${path}?fromSeq=6`)).body).toEqual([]);
    expect((await viewer.send('GET', `${path}?fromSeq=0`)).status).toBe(400);
    expect((await (await person('admin')).send('GET', path)).status).toBe(404);
    expect((await (await person('none', companyId)).send('GET', path)).status).toBe(403);
  });

  it('gives a journal of many large outputs in portions, as one list', async () => {
    const at = new Date();
    const layers = Array.from({ length: 60 }, (_, i) =>
      resultAt(i, `l${i}`, { out: 'é"'.repeat(4_000), outBytes: 16_002 }),
    );
    const log = numberEvents(0, [
      { type: 'accepted', at },
      ...layers.map(({ position, state }): PlayEvent => ({ type: 'complete', layer: position, state, at })),
    ]);
    const play = await storePlay(await newFlow(), { state: 'RUN', layers, log });
    const { body } = await viewer.send('GET', `/api/plays/${play._id}/events`);
    expect(body).toEqual(JSON.parse(JSON.stringify(journal(play))));
  });

  it('gives every layer, small outputs whole, large ones by reference and streamed', async () => {
    const flowId = await newFlow();
    for (const ref of ['small', 'middle', 'large', 'unreached']) {
      const body = { ref, appId: 'text-template', args: { template: 'x' } };
      await editor.send('POST', `/api/v1/flows/${flowId}/layers`, { body });
    }
    const flow = await mongo.collection<FlowDocument>(FLOWS).findOne({ _id: flowId });
    const playId = newId();
    const payloads = new PayloadStore(mongo);
    const outs = [{ text: 'small', $ref: 1 }, { text: 'm'.repeat(20_000) }, { text: 'l'.repeat(300_000) }];
    const layers: LayerResult[] = [];
    for (const [position, out] of outs.entries()) {
      const bytes = Buffer.from(JSON.stringify(out));
      const stored = position > 0 ? await payloads.put(editor.scope, { playId, flowId }, bytes) : undefined;
      const { ref, name } = flow?.layers[position] ?? { ref: '', name: '' };
      const at = new Date();
      layers.push({
        position,
        ref,
        name,
        state: 'DONE',
        startedAt: at,
        completedAt: at,
        out: stored ? null : out,
        ...(stored && { outRef: stored }),
        outBytes: bytes.length,
        attempts: 1,
        by: 'spec',
      });
    }
    await storePlay(flowId, { _id: playId, version: flow?.version, state: 'RUN', layers, cursor: 3 });
    const path = `/api/v1/plays/${playId}/layers`;
    const { body } = await viewer.send('GET', path);
    expect(body).toMatchObject([
      { id: `${playId}.0`, ref: 'small', state: 'DONE', out: outs[0] },
      { ref: 'middle', out: outs[1] },
      { ref: 'large', out: { $ref: `${path}/large/out`, bytes: 300_011 }, outBytes: 300_011 },
      { ref: 'unreached', state: 'NEW', out: null },
    ]);
    const large = await viewer.send('GET', `${path}/large/out`);
    expect(large).toMatchObject({ status: 200, headers: { 'content-length': '300011' }, body: outs[2] });
    expect((await viewer.send('GET', `${path}/small/out`)).body).toEqual(outs[0]);
    expect((await viewer.send('GET', `${path}/unreached/out`)).body.code).toBe('not_found');
  });
});
