import type { Play } from '@weft/engine';
import { WeftError } from '@weft/kernel';
import {
  AUDIT_LOGS,
  MongoPlayStore,
  PayloadStore,
  PlayCommandsRepository,
  PLAYS,
  RetriesRepository,
  type AuditDocument,
} from '@weft/store';
import { BULKS, FLOWS, USERS, type BulkDocument, type FlowDocument, type UserDocument } from '@weft/records';
import { BulkPause } from '@weft/process';
import { waitFor } from '@weft/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { liveApi, textOf, type Answer, type Person } from '../../../../test/api/live-api.js';
import { childOf, resultAt, storedFlow, storedPlays } from '../../../../test/api/stored-play.js';
import { RunService } from '../plays/run/run.service.js';
import { PlayBulkStrategy } from './play-bulk.strategy.js';

const { app, mongo, person } = await liveApi();
const editor = await person('flow_editor');
const executor = await person('flow_executor', editor.scope.companyId);
const stranger = await person('admin');
const storePlay = storedPlays(mongo, executor);
const LAYERS = { fetch: 'web-request', send: 'web-request' };
const plays = mongo.collection<Play>(PLAYS);
const bulks = mongo.collection<BulkDocument>(BULKS);
const strategy = app.get(PlayBulkStrategy, { strict: false });
afterEach(() => vi.restoreAllMocks());
// of ten that a company may have at once
afterEach(() => bulks.deleteMany({ company_id: editor.scope.companyId, state: 'running' }));

const post = (by: Person, path: string, body?: object): Promise<Answer> => by.send('POST', `/api/v1/${path}`, { body });
const read = (by: Person, id: string) => by.send('GET', `/api/v1/bulk/${id}`);

async function ended(answer: Answer): Promise<Answer['body']> {
  const id = textOf(answer.body.id);
  await waitFor(async () => textOf((await read(editor, id)).body.state) !== 'running', { what: 'the end' });
  return (await read(editor, id)).body;
}

function failed(flowId: string, fields: Partial<Play> = {}): Promise<Play> {
  const layers = [resultAt(0, 'fetch'), resultAt(1, 'send', { state: 'FAIL' })];
  const completedAt = new Date(Date.now() - 60_000);
  return storePlay(flowId, { state: 'FAIL', completedAt, layers, cursor: 2, heartbeatAt: undefined, ...fields });
}

/** An operation that no process carries out by itself. */
async function unattended(action: string, ids: readonly string[], by = editor): Promise<BulkDocument> {
  const answer = await post(by, 'bulk', { action, ids: ['none'] });
  await ended(answer);
  const _id = textOf(answer.body.id);
  await bulks.updateOne({ _id }, { $set: { target: { ids }, state: 'running' } });
  return (await bulks.findOne({ _id })) as BulkDocument;
}

describe('POST /bulk', () => {
  it('cancels in the background what matches, with audit entries, and says how far it is', async () => {
    const flowId = await storedFlow(mongo, editor, LAYERS);
    await Promise.all(
      Array.from({ length: 130 }, (_, i) => storePlay(flowId, { state: i % 2 === 0 ? 'NEW' : 'WAIT' })),
    );
    await storePlay(flowId, { state: 'DONE' });
    const filter = { flowId, state: 'WAIT,NEW' };
    expect(await post(editor, 'bulk', { action: 'cancel', filter, dryRun: true })).toMatchObject({
      status: 200,
      body: { matched: 130 },
    });
    const answer = await post(editor, 'bulk', { action: 'cancel', filter });
    expect(answer).toMatchObject({
      status: 202,
      headers: { location: `/api/v1/bulk/${textOf(answer.body.id)}` },
      body: { action: 'cancel', state: 'running', matched: 130, changed: 0, skipped: 0, failed: 0, completedAt: null },
    });
    expect(await ended(answer)).toMatchObject({ state: 'done', matched: 130, changed: 130, skipped: 0, failed: 0 });
    expect(await plays.countDocuments({ flowId, state: 'FAIL', 'error.code': 'cancelled' })).toBe(130);
    const log = mongo.collection<AuditDocument>(AUDIT_LOGS);
    const cancelled = (await plays.find({ flowId, state: 'FAIL' }).toArray()).map(({ _id }) => _id);
    expect(
      await log.countDocuments({
        action_type: 'play_cancelled',
        resource_id: { $in: cancelled },
        UserID: editor.userId,
      }),
    ).toBe(130);
    expect(await log.findOne({ resource_id: textOf(answer.body.id) })).toMatchObject({ action_type: 'bulk_started' });
  });

  it('cancels plays at which workers write meanwhile, with hardly more attempts than plays', async () => {
    const flowId = await storedFlow(mongo, editor, LAYERS);
    const made = await Promise.all(Array.from({ length: 40 }, () => storePlay(flowId, { state: 'RUN', owner: 'w:1' })));
    // a worker has written at each play between each look of a cancel and its write, but the second one of a play
    const repository = app.get(PlayCommandsRepository, { strict: false });
    const find = repository.findToCancel.bind(repository);
    const looks = new Map<string, number>();
    vi.spyOn(repository, 'findToCancel').mockImplementation(async (scope, playId) => {
      const found = await find(scope, playId);
      looks.set(playId, (looks.get(playId) ?? 0) + 1);
      if (looks.get(playId) === 1)
        await plays.updateOne(
          { _id: playId },
          { $inc: { seq: 1 }, $push: { log: { seq: 2, type: 'claimed', at: new Date() } } },
        );
      return found;
    });
    const write = vi.spyOn(app.get(MongoPlayStore, { strict: false }), 'writeAudited');
    const ids = made.map(({ _id }) => _id);
    const answer = await post(editor, 'plays/bulk', { action: 'cancel', ids });
    expect(answer).toMatchObject({ status: 202, body: { matched: 40, changed: 40, skipped: 0 } });
    expect(write).toHaveBeenCalledTimes(80);
    expect(await plays.countDocuments({ flowId, state: 'FAIL', 'error.code': 'cancelled' })).toBe(40);
    const counts = mongo.collection<AuditDocument>(AUDIT_LOGS);
    expect(await counts.countDocuments({ action_type: 'play_cancelled', resource_id: { $in: ids } })).toBe(40);
  });

  it('retries each play once, however often it is asked, and leaves what was accepted since its start', async () => {
    const flowId = await storedFlow(mongo, editor, LAYERS);
    const old = await Promise.all(Array.from({ length: 25 }, () => failed(flowId)));
    const key = { idempotencyKey: 'k' };
    await failed(flowId, { ...key, createdAt: new Date(Date.now() + 3_600_000) });
    const retry = () => post(editor, 'bulk', { action: 'retry', filter: { flowId } });
    expect(await ended(await retry())).toMatchObject({ changed: 25, skipped: 0 });
    expect(await ended(await retry())).toMatchObject({ changed: 0, skipped: 25 });
    const retries = await plays.find({ flowId, trigger: 'retry' }).toArray();
    expect(retries.map(({ retryOf }) => retryOf).toSorted()).toEqual(old.map(({ _id }) => _id).toSorted());
  });

  it.each(['cancel', 'retry'])('leaves out ids that its caller may not read: %s', async (action) => {
    const owner = await person('flow_editor', editor.scope.companyId);
    const hidden = await failed(await storedFlow(mongo, owner, LAYERS, { restricted: true }));
    const shown = await failed(await storedFlow(mongo, editor, LAYERS));
    const answer = await post(editor, 'bulk', { action, ids: [hidden._id, shown._id, 'none'] });
    await ended(answer);
    const bulk = await bulks.findOne({ _id: textOf(answer.body.id) });
    expect(bulk?.target).toEqual({ ids: [shown._id] });
  });

  it('wants ids, a filter that is not empty, or all; and an editor', async () => {
    for (const body of [{}, { filter: {} }, { all: false }, { filter: {}, dryRun: true }]) {
      const answer = await post(editor, 'bulk', { action: 'cancel', ...body });
      expect(answer).toMatchObject({ status: 422, body: { code: 'empty_filter' } });
    }
    const wrong = await post(editor, 'bulk', { action: 'cancel', filter: { state: 'OVER' } });
    expect(wrong.body).toMatchObject({ code: 'invalid_body', errors: [{ path: 'filter.state' }] });
    expect((await post(editor, 'bulk', { action: 'cancel', all: true, ratePerSecond: 0 })).status).toBe(400);
    expect((await post(executor, 'bulk', { action: 'cancel', all: true })).status).toBe(403);
    const own = await person('flow_editor');
    await storedPlays(mongo, own)(await storedFlow(mongo, own, LAYERS), { state: 'WAIT' });
    const id = textOf((await post(own, 'bulk', { action: 'cancel', all: true })).body.id);
    await waitFor(async () => textOf((await read(own, id)).body.state) === 'done', { what: 'the end' });
    expect((await read(own, id)).body).toMatchObject({ matched: 1, changed: 1 });
  });
});

describe('GET /bulk', () => {
  it('lists them newest first, page by page, to editors of the company alone', async () => {
    const own = await person('flow_editor');
    const ids: string[] = [];
    for (let i = 0; i < 3; i += 1) {
      ids.unshift(textOf((await post(own, 'bulk', { action: 'cancel', ids: ['none'] })).body.id));
    }
    const first = (await own.send('GET', '/api/v1/bulk?size=2')).body;
    const second = (await own.send('GET', `/api/v1/bulk?size=2&cursor=${textOf(first.nextCursor)}`)).body;
    const shown = [first, second].flatMap(({ items }) => Object.values(items ?? {}).map(({ id }) => id));
    expect([shown, first.total, second.nextCursor]).toEqual([ids, 3, null]);
    expect((await stranger.send('GET', '/api/v1/bulk')).body.items).toEqual([]);
    expect((await executor.send('GET', '/api/v1/bulk')).status).toBe(403);
    for (const one of [read(stranger, ids[0] ?? ''), post(stranger, `bulk/${ids[0] ?? ''}/abort`), read(own, 'none')]) {
      expect(await one).toMatchObject({ status: 404, body: { code: 'not_found' } });
    }
  });
});

describe('a bulk operation', () => {
  it('is aborted once, and what was not changed by then stays', async () => {
    const flowId = await storedFlow(mongo, editor, LAYERS);
    await Promise.all(Array.from({ length: 4 }, () => storePlay(flowId, { state: 'WAIT' })));
    const { body } = await post(editor, 'bulk', { action: 'cancel', filter: { flowId }, ratePerSecond: 1 });
    const id = textOf(body.id);
    const aborted = await post(editor, `bulk/${id}/abort`);
    expect(aborted).toMatchObject({ status: 200, body: { state: 'aborted' } });
    expect((await post(editor, `bulk/${id}/abort`)).body).toMatchObject({ state: 'aborted' });
    await waitFor(
      async () => {
        const { changed } = (await read(editor, id)).body;
        return Number(changed) === (await plays.countDocuments({ flowId, state: 'FAIL' }));
      },
      { what: 'the count of the batch that was being done' },
    );
    expect(await plays.countDocuments({ flowId, state: 'WAIT' })).toBeGreaterThan(0);
    const entries = mongo.collection<AuditDocument>(AUDIT_LOGS).find({ resource_id: id, action_type: 'bulk_aborted' });
    expect(await entries.toArray()).toHaveLength(1);
  });

  it('that is done twice, one after the other or at once, makes one retry of a play and counts it as changed', async () => {
    const flowId = await storedFlow(mongo, editor, LAYERS);
    const all = await Promise.all(Array.from({ length: 6 }, () => failed(flowId)));
    const ids = all.map(({ _id }) => _id);
    const bulk = await unattended('retry', ids);
    const both = await Promise.all([strategy.apply(bulk, ids), strategy.apply(bulk, ids)]);
    const again = await strategy.apply(bulk, ids);
    expect([...both, again]).toEqual(Array(3).fill({ changed: 6, skipped: 0, failed: 0 }));
    expect(await plays.countDocuments({ flowId, trigger: 'retry' })).toBe(6);
  });

  it('makes no second retry of a play that another operation, another call or a person has retried since it looked', async () => {
    const flowId = await storedFlow(mongo, editor, LAYERS);
    const all = await Promise.all(Array.from({ length: 3 }, () => failed(flowId)));
    const ids = all.map(({ _id }) => _id);
    const [one, two, three] = ids;
    const bulk = await unattended('retry', ids);
    const look = vi.spyOn(app.get(RetriesRepository, { strict: false }), 'latest');
    look.mockImplementation((_scope, first) => plays.findOne({ _id: first }));
    const first = await unattended('retry', [one ?? '']);
    expect(await strategy.apply(first, [one ?? ''])).toEqual({ changed: 1, skipped: 0, failed: 0 });
    const call = await post(editor, 'plays/bulk', { action: 'retry', ids: [one, two] });
    expect(call.body).toEqual({ matched: 2, changed: 1, skipped: 1 });
    expect((await post(editor, `plays/${three ?? ''}/retry`)).status).toBe(202);
    expect(await strategy.apply(bulk, ids)).toEqual({ changed: 0, skipped: 3, failed: 0 });
    expect(await strategy.apply(first, [one ?? ''])).toEqual({ changed: 1, skipped: 0, failed: 0 });
    const retries = await plays.find({ flowId, trigger: 'retry' }).toArray();
    expect(retries.map(({ retryOf }) => retryOf).toSorted()).toEqual(ids.toSorted());
  });

  it('makes one retry of a parent for the children in all its batches, also when that has failed meanwhile', async () => {
    const flowId = await storedFlow(mongo, editor, LAYERS);
    const parent = await failed(flowId);
    const items = await Promise.all([0, 1, 2].map((item) => failed(flowId, childOf(parent, { layer: 1, item }))));
    const ids = [...items, parent].map(({ _id }) => _id);
    const bulk = await unattended('retry', ids);
    for (const id of ids) {
      expect(await strategy.apply(bulk, [id])).toEqual({ changed: 1, skipped: 0, failed: 0 });
      await plays.updateMany({ flowId, trigger: 'retry' }, { $set: { state: 'FAIL', completedAt: new Date(0) } });
    }
    expect(await plays.find({ flowId, trigger: 'retry' }).toArray()).toMatchObject([{ retryOf: parent._id }]);
  });

  it('retries the retry of a play when that has failed, too, and the play again when its retry was erased', async () => {
    const flowId = await storedFlow(mongo, editor, LAYERS);
    const { _id } = await failed(flowId);
    const retry = async () => {
      const ids = (await plays.find({ flowId, state: 'FAIL' }).toArray()).map((play) => play._id);
      return strategy.apply(await unattended('retry', ids), ids);
    };
    expect(await retry()).toEqual({ changed: 1, skipped: 0, failed: 0 });
    const again = (await plays.findOne({ flowId, retryOf: _id }))?._id ?? '';
    await plays.updateOne({ _id: again }, { $set: { state: 'FAIL', completedAt: new Date(Date.now() - 60_000) } });
    expect(await retry()).toEqual({ changed: 1, skipped: 1, failed: 0 });
    expect(await plays.countDocuments({ flowId, retryOf: again })).toBe(1);
    await plays.deleteMany({ flowId, trigger: 'retry' });
    expect(await retry()).toEqual({ changed: 1, skipped: 0, failed: 0 });
  });

  it('keeps the outputs of a retry that is inserted while another process finds the backlog full', async () => {
    const flowId = await storedFlow(mongo, editor, LAYERS);
    const payloads = new PayloadStore(mongo);
    const _id = `large-${flowId}`;
    const outRef = await payloads.put(editor.scope, { playId: _id, flowId }, Buffer.from('"large"'));
    await failed(flowId, { _id, layers: [resultAt(0, 'fetch', { out: null, outRef })], cursor: 1 });
    const bulk = await unattended('retry', [_id]);
    const runs = app.get(RunService, { strict: false });
    const insert = runs.acceptPrepared.bind(runs);
    const inserts = vi.spyOn(runs, 'acceptPrepared');
    inserts.mockImplementationOnce(async (play) => {
      inserts.mockRejectedValueOnce(new WeftError('backlog_full', 'The backlog is full.'));
      await expect(strategy.apply(bulk, [_id])).rejects.toThrow(BulkPause);
      return insert(play);
    });
    expect(await strategy.apply(bulk, [_id])).toMatchObject({ changed: 1 });
    await mongo.transaction((session) => payloads.letGo(editor.scope, [_id], session));
    await payloads.removeUnreferenced(editor.scope);
    expect(await plays.countDocuments({ retryOf: _id })).toBe(1);
    expect(await payloads.get(editor.scope, outRef)).not.toBeNull();
  });

  it('that is done twice counts cancelled plays as changed, and those that ended otherwise as skipped', async () => {
    const flowId = await storedFlow(mongo, editor, LAYERS);
    const open = await storePlay(flowId, { state: 'WAIT' });
    const before = await storePlay(flowId, {
      ...{ state: 'FAIL', completedAt: new Date(0), error: { code: 'cancelled', message: '', ref: null } },
    });
    const ids = [open._id, before._id];
    const bulk = await unattended('cancel', ids);
    for (let i = 0; i < 2; i += 1) {
      expect(await strategy.apply(bulk, ids)).toEqual({ changed: 1, skipped: 1, failed: 0 });
    }
  });

  it('acts with the rights that its starter has now', async () => {
    const other = await person('flow_editor', editor.scope.companyId);
    const flowId = await storedFlow(mongo, editor, LAYERS);
    const play = await storePlay(flowId, { state: 'WAIT' });
    const bulk = await unattended('cancel', [play._id], other);
    await mongo
      .collection<FlowDocument>(FLOWS)
      .updateOne({ _id: flowId }, { $set: { restricted: true, createdBy: 'somebody-else' } });
    expect(await strategy.apply(bulk, [play._id])).toEqual({ changed: 0, skipped: 1, failed: 0 });
    const users = mongo.collection<UserDocument>(USERS);
    await users.updateOne({ _id: other.userId }, { $set: { 'company_roles.0.role': 'viewer' } });
    await expect(strategy.apply(bulk, [play._id])).rejects.toThrow('not an editor');
  });

  it('runs beside nine others of its company at the most', async () => {
    const own = await person('flow_editor');
    const flowId = await storedFlow(mongo, own, LAYERS);
    const start = () => post(own, 'bulk', { action: 'cancel', filter: { flowId } });
    const company_id = own.scope.companyId;
    const first = await start();
    const model = (await bulks.findOne({ _id: textOf(first.body.id) })) as BulkDocument;
    const others = Array.from({ length: 10 }, (_, i) => ({ ...model, _id: `${model._id}${i}`, kind: 'spec' }));
    await bulks.insertMany(others.map((one) => ({ ...one, company_id, state: 'running' as const })));
    expect(await start()).toMatchObject({ status: 429, body: { code: 'too_many_bulks' } });
    await bulks.deleteMany({ company_id });
  });
});
