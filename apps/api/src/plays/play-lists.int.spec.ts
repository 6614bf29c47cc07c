import type { Play } from '@weft/engine';
import { lastIdAt } from '@weft/kernel';
import { describe, expect, it } from 'vitest';
import { liveApi, textOf, type Answer } from '../../../../test/api/live-api.js';
import { storedFlow, storedPlays } from '../../../../test/api/stored-play.js';

const { mongo, person } = await liveApi();
const editor = await person('flow_editor');
const companyId = editor.scope.companyId;
const viewer = await person('viewer', companyId);
const storePlay = storedPlays(mongo, editor);
const newFlow = (fields: object = {}): Promise<string> => storedFlow(mongo, editor, {}, fields);

const idsOf = (answer: Answer): string[] => (answer.body.items as unknown as { id: string }[]).map(({ id }) => id);
const minutesAgo = (minutes: number): Date => new Date(Date.now() - minutes * 60_000);

const ended = (state: Play['state'], minutes: number, code?: string): Partial<Play> => {
  const completedAt = minutesAgo(minutes);
  // a play that ended when it was not young any more bears the mark of its last move
  const createdAt = new Date(completedAt.getTime() - 20_000);
  const fields = { _id: lastIdAt(createdAt.getTime()), createdAt, state, completedAt, movedAt: completedAt };
  return {
    ...fields,
    heartbeatAt: undefined,
    ...(code && { error: { code, message: 'no', ref: null } }),
  };
};

describe('lists of plays over HTTP', () => {
  it('filter by the time of the end and by the error, and sort by the end, page by page', async () => {
    const flowId = await newFlow();
    const old = await storePlay(flowId, ended('FAIL', 120, 'timeout'));
    const last = await storePlay(flowId, ended('DONE', 1));
    const middle = await storePlay(flowId, ended('FAIL', 30, 'bad_status'));
    const open = await storePlay(flowId);
    const list = async (query: string) => viewer.send('GET', `/api/v1/flows/${flowId}/plays?${query}`);
    expect(idsOf(await list(`endedFrom=${minutesAgo(60).toISOString()}`))).toEqual([last._id, middle._id]);
    expect(idsOf(await list(`endedTo=${minutesAgo(10).toISOString()}`))).toEqual([middle._id, old._id]);
    expect(idsOf(await list('errorCode=timeout'))).toEqual([old._id]);
    expect(idsOf(await list('sort=createdAt'))).toEqual([open._id, last._id, middle._id, old._id]);
    const first = await list('sort=completedAt&size=2');
    expect([idsOf(first), first.body.total]).toEqual([[last._id, middle._id], 3]);
    const second = await list(`sort=completedAt&size=2&cursor=${textOf(first.body.nextCursor)}`);
    expect([idsOf(second), second.body.nextCursor]).toEqual([[old._id], null]);
    const refused = await Promise.all([
      list(`size=2&cursor=${textOf(first.body.nextCursor)}`),
      list(`sort=completedAt&cursor=${textOf((await list('size=2')).body.nextCursor)}`),
      list('sort=completedAt&size=200&page=51'),
      ...['sort=state', 'retrying=false', 'endedFrom=yesterday', 'sort=createdAt&sort=completedAt'].map(list),
    ]);
    expect(refused.map(({ status, body }) => [status, body.code])).toEqual(refused.map(() => [400, 'invalid_query']));
  });

  it('show plays that pause before a failed layer is called again', async () => {
    const flowId = await newFlow();
    const wait = { position: 0, ref: 'a', kind: 'retry', since: new Date(), until: new Date() } as const;
    const retrying = await storePlay(flowId, { state: 'DEFERRED', tries: { 0: 1 }, waits: { 0: wait } });
    await storePlay(flowId, { state: 'DEFERRED', waits: { 0: { ...wait, kind: 'delay' } } });
    await storePlay(flowId, { state: 'RUN', tries: { 0: 1 } });
    expect(idsOf(await viewer.send('GET', `/api/plays?flowId=${flowId}&retrying=true`))).toEqual([retrying._id]);
  });

  it('are counted by state, under the same filters and rights', async () => {
    const flowId = await newFlow();
    await storePlay(flowId);
    for (const minutes of [1, 2, 90]) await storePlay(flowId, ended('FAIL', minutes, 'timeout'));
    await storePlay(flowId, ended('DONE', 3));
    const count = async (query: string) => (await viewer.send('GET', `/api/v1/plays/counts?${query}`)).body;
    const none = { NEW: 0, RUN: 0, DEFERRED: 0, WAIT: 0, ON_HOLD: 0, DONE: 0, FAIL: 0, FILTERED: 0, SKIP: 0 };
    expect(await count(`flowId=${flowId}`)).toEqual({ counts: { ...none, NEW: 1, FAIL: 3, DONE: 1 }, capped: [] });
    expect((await count(`flowId=${flowId}&state=DONE`)).counts).toEqual({ ...none, DONE: 1 });
    const recent = `flowId=${flowId}&errorCode=timeout&endedFrom=${minutesAgo(60).toISOString()}`;
    expect((await count(recent)).counts).toEqual({ ...none, FAIL: 2 });
    expect((await count('size=3')).code).toBe('invalid_query');

    const restricted = await newFlow({ restricted: true });
    await storePlay(restricted, { trigger: 'rerun' });
    expect((await count('trigger=rerun')).counts).toEqual(none);
    expect((await editor.send('GET', '/api/plays/counts?trigger=rerun')).body.counts).toEqual({ ...none, NEW: 1 });
    expect((await viewer.send('GET', `/api/plays/counts?flowId=${restricted}`)).status).toBe(403);
    const stranger = await person('admin');
    expect((await stranger.send('GET', `/api/plays/counts?flowId=${flowId}`)).status).toBe(404);
    expect((await stranger.send('GET', '/api/plays/counts')).body.counts).toEqual(none);
  });

  it('count no more than 10,000 of a state, and say that there are more', async () => {
    const owner = await person('flow_editor');
    const flowId = await storedFlow(mongo, owner);
    const { _id, ...play } = await storedPlays(mongo, owner)(flowId, ended('DONE', 1));
    const more = Array.from({ length: 10_000 }, (_, i) => ({ ...play, _id: `${_id.slice(0, -5)}${1e4 + i}` }));
    await mongo.collection<Play>('plays').insertMany(more);
    const { counts, capped } = (await owner.send('GET', '/api/v1/plays/counts')).body;
    expect([counts?.DONE, counts?.FAIL, capped]).toEqual([10_000, 0, ['DONE']]);
  });
});
