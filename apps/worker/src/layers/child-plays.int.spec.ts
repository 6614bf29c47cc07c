import { ParentNotifier, PlayCommands, type RunnableFlow } from '@weft/runs';
import { isFinal } from '@weft/contracts';
import { mergeLabels, type LayerResult, type Play } from '@weft/engine';
import {
  ChildPlaysRepository,
  EndedPlaysRepository,
  LoopChildrenRepository,
  Mongo,
  MongoPlayStore,
  PLAYS,
  PayloadStore,
  SystemScope,
  ensureIndexes,
} from '@weft/persistence';
import { aPlay, liveMongo } from '@weft/testing';
import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { MAX_DEPTH, childPlays, type ChildPlaysDeps } from './child-plays.js';

const { uri, db } = liveMongo();
const mongo = await Mongo.open({ uri, db, appName: 'spec' });
afterAll(() => mongo.close());
await ensureIndexes(mongo);
const store = new MongoPlayStore(mongo, { outcomePatienceMs: 0 });
const plays = mongo.collection<Play>(PLAYS);
const children = new ChildPlaysRepository(mongo);
const scope = new SystemScope('spec');

const flow = {
  ...{ id: 'child', companyId: 'c', version: 1, enabled: true, isBlueprint: false },
  settings: { concurrency: null },
} as RunnableFlow;
const limited = { ...flow, settings: { ...flow.settings, concurrency: 1 } };
const ASK = { flowId: 'child', args: { n: 1 }, awaited: true };

function playOf(over: Partial<Play> = {}): Play {
  const play = aPlay({ playId: randomUUID(), flowId: 'parent', triggeredBy: 'user' });
  return { ...play, ...over };
}

/** Accepts as `libs/runs` does, without what follows an insert. */
const signalled: string[] = [];
const deps: ChildPlaysDeps = {
  signals: { publish: (playId) => void signalled.push(playId) },
  flows: {
    get: ({ companyId }, id) =>
      companyId === 'c' ? { ...(id === 'limited' ? limited : flow), id, enabled: id !== 'off' } : null,
  },
  acceptance: {
    accept: async ({ id: flowId, companyId, version }, ask) =>
      store.accept(
        aPlay({
          ...{ playId: randomUUID(), companyId, flowId, version, ...ask, labels: mergeLabels(ask.parentLabels) },
          lane: null,
        }),
      ),
    acceptPrepared: (play) => store.accept(play),
    laneOf: (_flow, { args }) => (typeof args.lane === 'string' ? args.lane : null),
    nextPlayId: randomUUID,
  },
  children,
  loops: new LoopChildrenRepository(mongo),
  endings: new EndedPlaysRepository(mongo, scope),
  payloads: {
    output: () => Promise.resolve(null),
    share: (_scope, refs) => Promise.resolve(refs.every(({ $ref }) => $ref !== 'gone')),
    letGo: () => Promise.resolve(0),
    userFiles: new PayloadStore(mongo).userFiles,
  },
  versions: {
    find: (_scope, flowId, version) => Promise.resolve({ ...flow, flowId, version, name: 'Child', layers: [] }),
  },
  serverNow: () => mongo.serverNow() + 60_000,
  closing: () => true,
};
const source = childPlays(deps);

function resultOf(position: number, state: 'DONE' | 'FAIL'): LayerResult {
  const at = new Date();
  const times = { startedAt: at, completedAt: at };
  return { position, ref: `l${position}`, name: '', state, ...times, out: null, outBytes: 0, attempts: 1, by: 'w:1' };
}

const find = (id: string) => plays.findOne({ _id: id });
const end = (id: string, state: Play['state']) =>
  plays.updateOne({ _id: id }, { $set: { state, completedAt: new Date() }, $unset: { heartbeatAt: 1 } });

describe('a play that a layer starts', () => {
  it('is one, however often and by how many it is asked for, also when it has failed', async () => {
    const parent = playOf();
    const started = await Promise.all(Array.from({ length: 8 }, () => source.start(parent, 2, ASK)));
    const [{ playId } = { playId: '' }] = started;
    expect(new Set(started.map((one) => one.playId)).size).toBe(1);
    expect(await plays.countDocuments({ parentPlayId: parent._id })).toBe(1);
    expect(await find(playId)).toMatchObject({
      ...{
        company_id: 'c',
        flowId: 'child',
        args: { n: 1 },
        trigger: 'flow',
        triggeredBy: 'user',
        parentPending: true,
      },
      parent: { flowId: 'parent', layer: 2, depth: 1 },
    });
    await end(playId, 'FAIL');
    expect(await source.start(parent, 2, ASK)).toMatchObject({ playId, state: 'FAIL', ended: { state: 'FAIL' } });
    expect((await source.start(parent, 3, ASK)).playId).not.toBe(playId);
    expect(await source.ended('another', playId)).toBeNull();
  });

  it('fails the layer that waits for it when its end is not stored any more', async () => {
    const parent = playOf();
    const { playId } = await source.start(parent, 2, ASK);
    await end(playId, 'DONE');
    const late = childPlays({ ...deps, endings: { endedAmong: () => Promise.resolve([]) } });
    await expect(late.start(parent, 2, ASK)).rejects.toMatchObject({ code: 'child_failed' });
    expect(await late.start(parent, 2, { ...ASK, awaited: false })).toMatchObject({ playId, state: 'DONE' });
  });

  it('of a play that handles a failure starts no play when it fails itself', async () => {
    const [handler, other] = [playOf({ handlesFailureOf: 'failed' }), playOf()];
    const [{ playId }, own] = [await source.start(handler, 2, ASK), await source.start(other, 2, ASK)];
    expect((await find(playId))?.handlesFailureOf).toBe('failed');
    expect(await find(own.playId)).not.toHaveProperty('handlesFailureOf');
  });

  it('has the labels of its parent', async () => {
    const { playId } = await source.start(playOf({ labels: ['team:orders'] }), 0, ASK);
    expect(await find(playId)).toMatchObject({ labels: ['team:orders'] });
  });

  it.each([
    ['a disabled flow', playOf(), { ...ASK, flowId: 'off' }, 'flow_disabled'],
    ['a flow of another company', playOf({ company_id: 'another' }), ASK, 'flow_not_found'],
    ['too deep', playOf({ parent: { flowId: 'f', layer: 0, depth: MAX_DEPTH } }), ASK, 'too_deep'],
  ])('is not started of %s', async (_what, parent, ask, code) => {
    await expect(source.start(parent, 0, ask)).rejects.toMatchObject({ name: 'LayerFailure', code });
    expect(await plays.countDocuments({ parentPlayId: parent._id })).toBe(0);
  });
});

describe('a play that a layer has started before its play was retried', () => {
  /** A play whose layer has started a child that reached this state, and the retry of that play. */
  async function retried(state: Play['state'], fields: Partial<Play> = {}) {
    const first = playOf({ state: 'FAIL' });
    await plays.insertOne(first);
    const { playId } = await source.start(first, 2, ASK);
    if (state === 'RUN') await plays.updateOne({ _id: playId }, { $set: { state } });
    else await end(playId, state);
    await plays.updateOne({ _id: playId }, { $set: fields });
    const chain = { first: first._id, at: first.createdAt };
    const retry = playOf({ retryOf: first._id, chain });
    await plays.insertOne(retry);
    const next = playOf({ retryOf: retry._id, chain });
    return { playId, retry, next, startedBy: (id: string) => plays.find({ parentPlayId: id }).toArray() };
  }

  it.each(['DONE', 'FILTERED'] as const)('is not started again when it is %s', async (state) => {
    const { playId, retry, next, startedBy } = await retried(state);
    expect(await source.start(retry, 2, ASK)).toMatchObject({ playId, state, ended: { state } });
    expect(await source.start(next, 2, ASK)).toMatchObject({ playId, ended: { state } });
    expect([...(await startedBy(retry._id)), ...(await startedBy(next._id))]).toEqual([]);
  });

  it('is not started beside itself while it has not ended', async () => {
    const { playId, retry, startedBy } = await retried('RUN');
    const starting = source.start(retry, 2, ASK);
    await expect(starting).rejects.toMatchObject({ name: 'LayerFailure', code: 'child_running' });
    await expect(starting).rejects.toThrow(playId);
    expect(await startedBy(retry._id)).toEqual([]);
    expect(await source.start(retry, 2, { ...ASK, awaited: false })).toMatchObject({ playId, ended: null });
  });

  it('is retried when it has failed, once', async () => {
    const layers = [{ ...resultOf(0, 'DONE') }, { ...resultOf(1, 'FAIL') }];
    const { playId, retry, startedBy } = await retried('FAIL', { layers, args: { n: 7 } });
    const started = await Promise.all([1, 2, 3].map(() => source.start(retry, 2, ASK)));
    const [child, ...others] = await startedBy(retry._id);
    expect(others).toEqual([]);
    expect(new Set(started.map((one) => one.playId))).toEqual(new Set([child?._id]));
    expect(child).toMatchObject({
      ...{ retryOf: playId, chain: { first: playId }, args: { n: 7 }, layers: [{ position: 0 }], cursor: 1 },
      ...{
        trigger: 'flow',
        triggeredBy: 'user',
        parentPending: true,
        parent: { flowId: 'parent', layer: 2, depth: 1 },
      },
    });
  });

  /** A retry that a user has made of a child. */
  async function retryOfUser(retryOf: string, state: Play['state'], fields: Partial<Play> = {}): Promise<string> {
    const play = playOf({ flowId: 'child', retryOf, trigger: 'retry', state, ...fields });
    await plays.insertOne(isFinal(state) ? { ...play, completedAt: new Date() } : play);
    return play._id;
  }

  it('counts as what it became when users have retried it by itself', async () => {
    const { playId, retry, startedBy } = await retried('FAIL');
    const again = await retryOfUser(playId, 'FAIL');
    await retryOfUser(again, 'DONE', { trigger: 'rerun' });
    const last = await retryOfUser(again, 'DONE');
    expect(await source.start(retry, 2, ASK)).toMatchObject({ playId: last, ended: { state: 'DONE' } });
    expect(await startedBy(retry._id)).toEqual([]);
    await end(last, 'FAIL');
    await source.start(retry, 2, ASK);
    expect(await startedBy(retry._id)).toMatchObject([{ retryOf: last }]);
  });

  it('counts as the retry that ended well, whichever of several it is; before a failed one comes one that has not ended', async () => {
    const { playId, retry } = await retried('FAIL');
    const ids = [1, 2, 3, 4].map(() => randomUUID()).sort();
    const make = (nth: number, state: Play['state'], of = playId) => retryOfUser(of, state, { _id: ids[nth] ?? '' });
    await make(0, 'FAIL');
    const running = await make(1, 'RUN');
    await make(3, 'FAIL');
    expect(await source.start(retry, 2, ASK)).toMatchObject({ playId: running, ended: null });
    const other = await retried('FAIL');
    const [failed, done] = [randomUUID(), randomUUID()];
    await retryOfUser(other.playId, 'FAIL', { _id: failed });
    await retryOfUser(failed, 'DONE', { _id: done });
    await retryOfUser(other.playId, 'FAIL', { _id: 'zz' + randomUUID() });
    await retryOfUser(other.playId, 'RUN', { _id: 'zz' + randomUUID() });
    expect(await source.start(other.retry, 2, ASK)).toMatchObject({ playId: done, ended: { state: 'DONE' } });
  });

  /** A source that does not see at first that users have retried a play, as when they do so at the same time. */
  function lateSource(): typeof source {
    let looks = 0;
    const late: Pick<typeof children, 'retriesByUsers'> = {
      retriesByUsers: (...ask) => ((looks += 1) === 1 ? Promise.resolve([]) : children.retriesByUsers(...ask)),
    };
    return childPlays({ ...deps, children: Object.assign(Object.create(children), late) as typeof children });
  }

  it.each(['RUN', 'DONE'] as const)('is not retried when a user retries it at the same time: %s', async (state) => {
    const { playId, retry } = await retried('FAIL');
    const again = await retryOfUser(playId, state, { firstRetry: true });
    expect(await lateSource().start(retry, 2, ASK)).toMatchObject({ playId: again });
    expect(await plays.countDocuments({ retryOf: playId })).toBe(1);
  });

  it('is retried when the retry of a user, made at the same time, has failed', async () => {
    const { playId, retry, startedBy } = await retried('FAIL');
    const again = await retryOfUser(playId, 'FAIL', { firstRetry: true });
    await lateSource().start(retry, 2, ASK);
    expect(await startedBy(retry._id)).toMatchObject([{ retryOf: again }]);
    expect(await plays.countDocuments({ retryOf: playId })).toBe(1);
  });

  type Reads = Partial<Pick<typeof children, 'childOf' | 'firstRetryOf' | 'retriesByUsers'>>;
  const reading = (reads: Reads) => Object.assign(Object.create(children), reads) as typeof children;

  /** Fails what looks for ever. */
  function readingLittle(reads: Reads = {}): typeof children {
    let left = 50;
    const firstRetryOf: typeof children.firstRetryOf = (...ask) =>
      (left -= 1) < 0 ? Promise.reject(new Error('looks for ever')) : children.firstRetryOf(...ask);
    return reading({ firstRetryOf, ...reads });
  }

  it('is retried again when users have retried it more often than a layer looks, one retry after the other', async () => {
    const { playId, retry, startedBy } = await retried('FAIL');
    const links = Array.from({ length: 101 }, () => randomUUID());
    const [completedAt, state, trigger] = [new Date(), 'FAIL', 'retry'] as const;
    const all = links.map((_id, i) => ({ ...playOf({ _id, retryOf: links[i - 1] ?? playId }), firstRetry: true as const })); // prettier-ignore
    await plays.insertMany(all.map((play) => ({ ...play, flowId: 'child', completedAt, state, trigger })));
    const { playId: started } = await childPlays({ ...deps, children: readingLittle() }).start(retry, 2, ASK);
    expect(await startedBy(retry._id)).toMatchObject([{ _id: started, retryOf: links[99], trigger: 'flow' }]);
  });

  it('is retried again when so many retries are newer than the first that it is not among those that are looked at', async () => {
    const { playId, retry, startedBy } = await retried('FAIL');
    await retryOfUser(playId, 'FAIL', { firstRetry: true });
    const cut = readingLittle({ retriesByUsers: () => Promise.resolve([]) });
    const { playId: started } = await childPlays({ ...deps, children: cut }).start(retry, 2, ASK);
    expect(await startedBy(retry._id)).toMatchObject([{ _id: started, retryOf: playId }]);
  });

  /** A source for which a user's retry of the play is stored, but not yet by a majority. */
  async function unreadable() {
    const { playId, retry, startedBy } = await retried('FAIL');
    await retryOfUser(playId, 'RUN', { firstRetry: true });
    let looks = 0;
    const waits: number[] = [];
    const reads: Reads = {
      firstRetryOf: () => Promise.resolve(null),
      retriesByUsers: () => ((looks += 1) > 50 ? Promise.reject(new Error('looks for ever')) : Promise.resolve([])),
    };
    const parts = { ...deps, children: reading(reads) };
    const quick = childPlays(parts, (ms) => Promise.resolve(void waits.push(ms)));
    const looked = () => ({ looks, waitedMs: waits.reduce((sum, ms) => sum + ms, 0) });
    return { playId, retry, startedBy, quick, looked, real: childPlays(parts) };
  }

  it('fails the layer when its retry cannot be read for long', async () => {
    const { playId, retry, startedBy, quick, looked } = await unreadable();
    const starting = quick.start(retry, 2, ASK);
    await expect(starting).rejects.toMatchObject({ name: 'LayerFailure', code: 'child_running' });
    await expect(starting).rejects.toThrow(playId);
    expect(looked().looks).toBe(10);
    expect(looked().waitedMs).toBeGreaterThan(10_000);
    expect(looked().waitedMs).toBeLessThan(20_000);
    expect(await startedBy(retry._id)).toEqual([]);
  });

  it('is not looked for any longer when the call is over', async () => {
    const { retry, real, looked } = await unreadable();
    await expect(real.start(retry, 2, ASK, undefined, AbortSignal.abort())).rejects.toMatchObject({
      ...{ name: 'LayerFailure', code: 'cancelled' },
    });
    expect(looked().looks).toBe(1);
  });

  it('is retried for each of several retries of its play', async () => {
    const { playId, retry, startedBy } = await retried('FAIL');
    const other = playOf({ ...(retry.retryOf !== undefined && { retryOf: retry.retryOf }), chain: retry.chain! });
    const started = await Promise.all([retry, other, retry].map((parent) => source.start(parent, 2, ASK)));
    expect(new Set(started.map((one) => one.playId)).size).toBe(2);
    for (const { _id } of [retry, other]) expect(await startedBy(_id)).toMatchObject([{ retryOf: playId }]);
  });

  it('is waited for while the retry of a user runs, by one layer', async () => {
    const { playId, retry, next, startedBy } = await retried('FAIL');
    const running = await retryOfUser(playId, 'RUN');
    const asked = [1, 2, 3].map(() => source.start(retry, 2, ASK));
    for (const started of await Promise.all(asked)) expect(started).toMatchObject({ playId: running, ended: null });
    const place = { parentPlayId: retry._id, parent: { flowId: 'parent', layer: 2, depth: 1 }, parentPending: true };
    expect(await startedBy(retry._id)).toMatchObject([{ _id: running, trigger: 'retry', ...place }]);
    // so that the worker that runs it publishes rows with its parent
    expect(signalled).toContain(running);
    const unseen = { childOf: (...ask: Parameters<typeof children.childOf>) => ask[2] === retry._id ? Promise.resolve(null) : children.childOf(...ask) }; // prettier-ignore
    const late = childPlays({ ...deps, children: Object.assign(Object.create(children), unseen) as typeof children });
    expect(await late.start(retry, 2, ASK)).toMatchObject({ playId: running, ended: null });
    // it reports its end to that play
    await expect(source.start(next, 2, ASK)).rejects.toMatchObject({ code: 'child_running' });
    await end(running, 'DONE');
    // the scheduler notifies the parent
    expect((await children.withParentPending(scope, 1_000)).map(({ _id }) => _id)).toContain(running);
    expect(await source.start(next, 2, ASK)).toMatchObject({ playId: running, ended: { state: 'DONE' } });
  });

  it('is waited for by a play that keeps the turn of a lane, or a place, also while its retry waits for the plays of a loop', async () => {
    const waits = { 0: { position: 0, ref: 'r', kind: 'children', since: new Date(), until: null, children: { open: 1, wakeAfter: 1, upTo: 1 } } } as const; // prettier-ignore
    for (const kept of [
      { lane: 'l', laneTurn: true },
      { flowId: 'limited', limited: true },
    ] as const) {
      const { playId, retry } = await retried('FAIL');
      const looping = await retryOfUser(playId, 'WAIT', { waits });
      expect(await source.start({ ...retry, ...kept }, 2, ASK)).toMatchObject({ playId: looping, ended: null });
      expect(await find(looping)).toMatchObject({ parentPlayId: retry._id, parentPending: true });
    }
  });

  it('is not waited for by a layer that is too deep to start it', async () => {
    const { playId, retry } = await retried('FAIL');
    const running = await retryOfUser(playId, 'RUN');
    const deep = { ...retry, parent: { flowId: 'f', layer: 0, depth: MAX_DEPTH } };
    await expect(source.start(deep, 2, ASK)).rejects.toMatchObject({ code: 'too_deep' });
    expect(await find(running)).not.toHaveProperty('parentPlayId');
  });

  it('is waited for by the item of a loop likewise', async () => {
    const { retry } = await retried('FAIL');
    const failed = playOf({ state: 'FAIL', flowId: 'child', parentPlayId: retry.retryOf ?? '' });
    await plays.insertOne({ ...failed, parent: { flowId: 'parent', loop: 5, item: 1, depth: 1 } });
    const running = await retryOfUser(failed._id, 'WAIT');
    expect(await source.start(retry, 5, ASK, 1)).toMatchObject({ playId: running, ended: null });
    expect(await find(running)).toMatchObject({ parent: { loop: 5, item: 1 }, loopPending: true });
  });

  it('is not waited for when its retry waits for what the parent keeps', async () => {
    const { playId, retry } = await retried('FAIL');
    const waitingFor = (child: string) => ({ 0: { position: 0, ref: 'r', kind: 'play', since: new Date(), until: null, play: { playId: child } } }) as const; // prettier-ignore
    const queued = playOf({ flowId: 'limited', limited: true, queued: true, state: 'DEFERRED' });
    const between = playOf({ flowId: 'other', state: 'WAIT', waits: waitingFor(queued._id) });
    await plays.insertMany([queued, between]);
    await retryOfUser(playId, 'WAIT', { waits: waitingFor(between._id) });
    const holder = { ...retry, flowId: 'limited', limited: true } as const;
    await expect(source.start(holder, 2, ASK)).rejects.toMatchObject({ code: 'child_running' });
    expect(await source.start(retry, 2, ASK)).toMatchObject({ ended: null });
  });

  it.each([
    ['its flow is another one by now', { version: 9 }],
    ['its layers are not kept', { layersErasedAt: new Date() }],
    ['its args are not kept', { argsRef: { $ref: 'gone', bytes: 20_000 } }],
  ])('is started anew when it has failed, and %s', async (_why, fields) => {
    const { retry, startedBy } = await retried('FAIL', fields);
    await source.start(retry, 2, ASK);
    const [child, ...others] = await startedBy(retry._id);
    expect([child?.args, others]).toEqual([ASK.args, []]);
    expect(child).not.toHaveProperty('retryOf');
  });

  it('is no business of another layer, of a rerun, and of another company', async () => {
    const { playId, retry } = await retried('DONE');
    const { chain: _chain, ...rerun } = playOf({ retryOf: retry.retryOf });
    for (const [parent, layer] of [
      [retry, 3],
      [rerun, 2],
    ] as const)
      expect((await source.start(parent, layer, ASK)).playId).not.toBe(playId);
    await expect(source.start({ ...retry, company_id: 'another' }, 2, ASK)).rejects.toThrow('no flow');
  });
});

describe('args that a layer has computed', () => {
  it.each([
    ['with a key that cannot be stored', { fetched: [{ 'a\0b': 1 }] }],
    ["with a key of the driver's own", { fetched: { _bsontype: 'X' } }],
  ])('%s fail that layer, and no play that is started with it', async (_what, args) => {
    const [poisoned, ...others] = Array.from({ length: 5 }, () => playOf());
    const all = await Promise.allSettled([
      source.start(poisoned ?? playOf(), 0, { ...ASK, args }),
      ...others.map((parent) => source.start(parent, 0, ASK)),
    ]);
    expect(all[0]).toMatchObject({ status: 'rejected', reason: { name: 'LayerFailure', code: 'invalid_args' } });
    expect(all.slice(1).map(({ status }) => status)).toEqual(Array(4).fill('fulfilled'));
  });
});

describe('a play of a limited flow', () => {
  const ask = { ...ASK, flowId: 'limited' };
  const holder = playOf({ flowId: 'limited', limited: true });
  const child = (of: Play, fields: Partial<Play> = {}) => playOf({ flowId: 'other', parentPlayId: of._id, ...fields });
  const waitedFor = child(holder, { parentPending: true });
  const deeper = child(waitedFor, { parentPending: true });
  const adopted = playOf({ flowId: 'other', trigger: 'retry' });
  const adoptedAsStored = { ...adopted, parentPlayId: holder._id, parentPending: true as const };

  it.each([
    ['by itself', holder, ask, 'refused'],
    ['by one that it waits for', waitedFor, ask, 'refused'],
    ['by one further down', deeper, ask, 'refused'],
    ['by one that it does not wait for', child(holder), ask, 'RUN'],
    ['by itself without waiting', holder, { ...ask, awaited: false }, 'RUN'],
    ['by a retry that it waits for since then', adopted, ask, 'refused'],
    ['by one that came in before there was a limit', playOf({ flowId: 'limited' }), ask, 'RUN'],
    ['by one of another flow', playOf({ limited: true }), ask, 'RUN'],
  ])('is started %s and waited for, unless its place would be waited for: %#', async (_by, parent, asked, expected) => {
    await plays.bulkWrite(
      [holder, waitedFor, deeper, adoptedAsStored].map((one) => ({
        replaceOne: { filter: { _id: one._id }, replacement: one, upsert: true },
      })),
    );
    const started = source.start(parent, 7, asked);
    if (expected === 'refused') await expect(started).rejects.toMatchObject({ code: 'waits_for_itself' });
    else expect(await started).toMatchObject({ state: expected });
  });
});

describe('a play of a lane', () => {
  const ask = { ...ASK, args: { lane: 'l' } };
  const holder = playOf({ lane: 'l', laneTurn: true });
  const waitedFor = playOf({ flowId: 'other', parentPlayId: holder._id, parentPending: true });

  it.each([
    ['by itself', holder, ask, 'refused'],
    ['by one that it waits for', waitedFor, ask, 'refused'],
    ['by itself without waiting', holder, { ...ask, awaited: false }, 'RUN'],
    ['by one of another lane', playOf({ lane: 'm', laneTurn: true }), ask, 'RUN'],
    ['by itself in another lane', holder, { ...ask, args: { lane: 'm' } }, 'RUN'],
  ])('is started %s and waited for, unless its turn would be waited for: %#', async (_by, parent, asked, expected) => {
    await plays.replaceOne({ _id: holder._id }, holder, { upsert: true });
    const started = source.start(parent, 8, asked);
    if (expected === 'refused') await expect(started).rejects.toMatchObject({ code: 'waits_for_itself' });
    else expect(await started).toMatchObject({ state: expected });
    await plays.deleteMany({ lane: { $exists: true } });
  });
});

describe('the end of a play', () => {
  const rung: string[] = [];
  const commands = new PlayCommands({
    ...{ mongo, store },
    doorbell: { ring: async (jobs) => rung.push(...jobs.map((job) => job.playId)) > 0 },
    windowRoom: { take: async (_company, ids) => ({ ids: new Set(ids), fresh: ids }), giveBack: () => undefined },
    changes: { written: () => undefined, unanswered: () => undefined },
  });
  const notifier = new ParentNotifier({
    store,
    children,
    commands,
    loops: { notifySoon: () => undefined },
    onFault: (error) => expect.unreachable(String(error)),
  });
  const wait = { position: 0, ref: 'call', kind: 'play', since: new Date(), until: null } as const;

  /** @param state of the parent when its child has ended */
  async function notifiedParent(
    state: Play['state'],
    over: Partial<Play> = {},
  ): Promise<{ parent: Play | null; childId: string }> {
    const parent = playOf({ state, ...over });
    await plays.insertOne(parent);
    const { playId } = await source.start(parent, 0, ASK);
    await end(playId, 'DONE');
    for (const child of await children.withParentPending(scope, 100)) await notifier.notify(child);
    return { parent: await find(parent._id), childId: playId };
  }

  it('wakes the play that waits for it, once', async () => {
    const { parent, childId } = await notifiedParent('WAIT', { waits: { 0: wait } });
    expect(parent).toMatchObject({
      state: 'RUN',
      epoch: 2,
      inbox: { 0: { kind: 'play', playId: childId, state: 'DONE' } },
    });
    expect(rung).toContain(parent?._id);
    expect(await children.withParentPending(scope, 100)).toEqual([]);
    expect(await find(childId)).not.toHaveProperty('parentPending');
  });

  it('is kept for a play that does not wait yet', async () => {
    const { parent, childId } = await notifiedParent('RUN');
    expect(parent).toMatchObject({ state: 'RUN', epoch: 1, inbox: { 0: { playId: childId } } });
  });

  it('is told to nobody when the play that waited has ended', async () => {
    const { parent } = await notifiedParent('FAIL');
    expect(parent).not.toHaveProperty('inbox');
    expect(await children.withParentPending(scope, 100)).toEqual([]);
  });
});
