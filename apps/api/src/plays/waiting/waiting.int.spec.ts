import type { Play } from '@weft/engine';
import { PLAYS } from '@weft/store';
import { COMPANIES, FLOW_VERSIONS, type CompanyDocument } from '@weft/records';
import { LiveWorkers } from '@weft/queue';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { liveApi, newId, type Json } from '../../../../../test/api/live-api.js';
import { parkedAt, storedFlow, storedPlays } from '../../../../../test/api/stored-play.js';

const { app, mongo, person } = await liveApi();
const workers = app.get(LiveWorkers, { strict: false });
const MINUTE = 60_000;

const NOTHING = {
  ref: null,
  since: null,
  until: null,
  attempt: null,
  attempts: null,
  position: null,
  ahead: null,
  limit: null,
  chain: [],
  circle: false,
};

describe('why a play waits', () => {
  let editor: Awaited<ReturnType<typeof person>>;
  let flowId: string;

  beforeEach(async () => {
    // a company of its own for each test: its queues are empty
    editor = await person('flow_editor');
    flowId = await storedFlow(
      mongo,
      editor,
      { ask: 'approval', call: 'web-request' },
      { settings: { concurrency: 3 } },
    );
    await workers.announce('w1', { slots: 4 });
  });

  const store = (fields: Partial<Play> = {}): Promise<Play> => storedPlays(mongo, editor)(flowId, fields);
  const parked = (fields: Partial<Play>) => store({ heartbeatAt: undefined, ...fields });
  const why = async ({ _id }: Pick<Play, '_id'>): Promise<Json> => {
    const { status, body } = await editor.send('GET', `/api/v1/plays/${_id}/waiting`);
    expect(status).toBe(200);
    return body;
  };
  const message = (text: string): string => expect.stringContaining(text) as string;

  it('is nothing for one that has ended, or that a worker executes', async () => {
    const ended = await parked({ state: 'DONE', completedAt: new Date() });
    expect(await why(ended)).toEqual({
      ...NOTHING,
      state: 'DONE',
      reason: null,
      message: 'The play has ended as DONE.',
    });
    const owned = await why(await store({ state: 'RUN', owner: 'w1:1' }));
    expect(owned).toEqual({ ...NOTHING, state: 'RUN', reason: null, message: 'A worker executes the play.' });
  });

  it('is what its layer waits for, with the attempt of a retry', async () => {
    const until = new Date(Date.now() + MINUTE);
    const of = (wait: object) => ({
      ...parkedAt({ position: 1, ref: 'call', until, ...wait } as never),
      heartbeatAt: undefined,
    });
    const retry = { attempts: 5, backoff: 'fixed', delayMs: 1, maxDelayMs: 1 };
    await mongo.collection(FLOW_VERSIONS).updateOne({ flowId, version: 1 }, { $set: { 'layers.1.retry': retry } });
    const paused = await why(await store({ ...of({ kind: 'retry' }), tries: { 1: 2 }, dueAt: until }));
    expect(paused).toMatchObject({
      ...{ state: 'DEFERRED', reason: 'retry', ref: 'call', attempt: 3, attempts: 5, until: until.toISOString() },
      message: message('"call" failed and is called again'),
    });
    const reasons = await Promise.all([
      why(await store({ ...of({ kind: 'delay' }), dueAt: until })),
      why(await store(of({ kind: 'event', event: { name: 'paid', key: 'A-17' } }))),
      why(await store(of({ kind: 'approval', approval: { message: 'Really?', approvers: [], onTimeout: 'fail' } }))),
      why(await store(of({ kind: 'children', children: { open: 1, wakeAfter: 1, playId: 'child' } }))),
      why(await store(of({ kind: 'children', children: { open: 8, wakeAfter: 4, upTo: 7 } }))),
    ]);
    expect(reasons).toMatchObject([
      { reason: 'delay', message: message('until its time has come') },
      { reason: 'event', message: message('the event "paid" with the key "A-17"') },
      { reason: 'approval', message: message('a decision: Really?') },
      { reason: 'child', message: message('the end of the play child, which it has started') },
      { reason: 'child', message: message('8 were open, and it goes on when 4 of them have ended') },
    ]);
    const held = { ...of({ kind: 'delay' }), state: 'ON_HOLD', held: 'DEFERRED', heldAt: new Date() } as const;
    expect(await why(await store(held))).toMatchObject({ reason: 'hold', ref: null, since: held.heldAt.toISOString() });
    expect(await why(await parked({ state: 'DEFERRED', dueAt: until }))).toMatchObject({
      reason: 'due',
      until: until.toISOString(),
    });
  });

  it('is the limit of its flow, by priority and then in the order of acceptance', async () => {
    const queue = { state: 'DEFERRED', limitKey: '', queues: [`flow:${flowId}`] } as const;
    const [, second] = [await parked(queue), await parked(queue), await parked(queue)];
    await parked({ ...queue, priority: 5 });
    expect(await why(second)).toMatchObject({
      reason: 'gate',
      position: 3,
      ahead: 2,
      limit: 3,
      message: message('as number 3'),
    });
    expect(await why(await parked({ ...queue, priority: 6 }))).toMatchObject({ position: 1, ahead: 0 });
    // of another company
    const stranger = await person('flow_editor');
    const other = await storedPlays(mongo, stranger)(await storedFlow(mongo, stranger), {
      ...queue,
      heartbeatAt: undefined,
    });
    expect((await stranger.send('GET', `/api/v1/plays/${other._id}/waiting`)).body).toMatchObject({ position: 1 });
    expect((await stranger.send('GET', `/api/v1/plays/${second._id}/waiting`)).status).toBe(404);
  });

  it('is the window of its company, before a play is handed out and when it is due', async () => {
    const ids = [newId(), newId(), newId()];
    const plays = [];
    for (const [i, _id] of ids.entries()) plays.push(await store({ _id, ...(i > 0 && { ready: true }) }));
    const [first, , third] = plays;
    if (!first || !third) throw new Error('not stored');
    expect(await why(first)).toMatchObject({ state: 'NEW', reason: null, message: message('handed out') });
    const limit = await workers.windowSizeNow();
    expect(await why(third)).toMatchObject({
      reason: 'window',
      position: 2,
      ahead: 1,
      limit,
      message: message('as number 2'),
    });
    const urgent = await store({ priority: 3, ready: true });
    expect(await why(urgent)).toMatchObject({ reason: 'window', position: 1 });
    expect(await why(third)).toMatchObject({ position: 3 });
    expect(await why(await store({ priority: -3, ready: true }))).toMatchObject({ ahead: 3 });

    const due = (dueAt: number, fields: Partial<Play> = {}) =>
      parked({ state: 'DEFERRED', dueAt: new Date(Date.now() - dueAt), ...fields });
    await due(3 * MINUTE);
    await due(0, { priority: 1 });
    expect(await why(await due(MINUTE, { ready: true }))).toMatchObject({
      state: 'DEFERRED',
      reason: 'window',
      position: 3,
    });
  });

  it('is that there is no worker', async () => {
    const all = await workers.list();
    await Promise.all(all.map(({ id }) => workers.leave(id)));
    const play = await store();
    expect(await why(play)).toMatchObject({ reason: 'no_worker', message: message('No worker') });
    await workers.announce('w1', { slots: 4 });
    expect((await why(play)).reason).not.toBe('no_worker');
  });

  it('is that there is no worker with the label of its company, or none without one', async () => {
    const stranger = await person('flow_editor');
    const { _id } = await storedPlays(mongo, stranger)(await storedFlow(mongo, stranger));
    const found = async () => (await stranger.send('GET', `/api/v1/plays/${_id}/waiting`)).body;
    const label = (worker_label: string | null) =>
      mongo
        .collection<CompanyDocument>(COMPANIES)
        .updateOne({ _id: stranger.scope.companyId }, { $set: { worker_label } });
    await workers.announce('w1', { slots: 4 });
    await label('acme');
    expect(await found()).toMatchObject({ reason: 'no_worker', message: message('a worker labelled "acme"') });
    await workers.announce('w2', { slots: 4, label: 'acme' });
    expect(await found()).toMatchObject({ reason: null, message: message('handed out') });
    await workers.leave('w1');
    await label(null);
    await vi.waitFor(
      async () => expect(await found()).toMatchObject({ reason: 'no_worker', message: message('No worker') }),
      {
        timeout: 60_000,
      },
    );
    await workers.leave('w2');
    await workers.announce('w1', { slots: 4 });
  });

  it('is told without the queue while Redis is unreachable', async () => {
    const { list } = workers;
    workers.list = () => Promise.reject(new Error('Redis is unreachable'));
    expect(await why(await store())).toMatchObject({ reason: null, position: null, message: message('Redis') });
    workers.list = list;
  });

  it('is read without the answers and results of the play', async () => {
    const wait = parkedAt({ position: 0, ref: 'ask', kind: 'approval' });
    const { _id } = await store({
      ...wait,
      heartbeatAt: undefined,
      inbox: { 0: { big: 'x'.repeat(1_000) } },
      dueAt: new Date(0),
    });
    expect(await why({ _id })).toMatchObject({ state: 'WAIT', reason: 'window', message: message('its turn') });
    expect(await mongo.collection<Play>(PLAYS).countDocuments({ _id })).toBe(1);
  });
});
