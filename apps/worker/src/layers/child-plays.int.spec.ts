import { ParentNotifier, PlayCommands, type RunnableFlow } from '@weft/runs';
import { isFinal } from '@weft/contracts';
import { mergeLabels, type LayerResult, type Play } from '@weft/engine';
import {
  ChildPlaysRepository,
  EndedPlaysRepository,
  Mongo,
  MongoPlayStore,
  PLAYS,
  PayloadStore,
  RetriesRepository,
  SystemScope,
} from '@weft/store';
import { ensureIndexes } from '@weft/records';
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
const urgent = { ...flow, settings: { ...flow.settings, priority: 9 } };
const KNOWN: Readonly<Record<string, RunnableFlow>> = { limited, urgent };
const ASK = { flowId: 'child', args: { n: 1 }, awaited: true };

function playOf(over: Partial<Play> = {}): Play {
  const play = aPlay({ playId: randomUUID(), flowId: 'parent', triggeredBy: 'user' });
  return { ...play, ...over };
}

/** Accepts as `libs/runs` does, without what follows an insert. */
const deps: ChildPlaysDeps = {
  flows: {
    get: ({ companyId }, id) => (companyId === 'c' ? { ...(KNOWN[id] ?? flow), id, enabled: id !== 'off' } : null),
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
    keyOfLimit: ({ settings }) => (settings.concurrency === null ? null : ''),
    nextPlayId: randomUUID,
  },
  children,
  retries: new RetriesRepository(mongo),
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
  it.each([
    ['of its parent', 'child', 7],
    ['of its flow', 'urgent', 9],
  ])('has the priority %s', async (_which, flowId, priority) => {
    const { playId } = await source.start(playOf({ priority: 7 }), 2, { ...ASK, flowId });
    expect(await find(playId)).toMatchObject({ priority });
  });

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
      parent: { flowId: 'parent', first: parent._id, nth: 0, layer: 2, depth: 1, awaited: true },
    });
    await end(playId, 'FAIL');
    expect(await source.start(parent, 2, ASK)).toMatchObject({ playId, state: 'FAIL', ended: { state: 'FAIL' } });
    expect((await source.start(parent, 3, ASK)).playId).not.toBe(playId);
  });

  it('is asked for by its id alone when its layer goes on', async () => {
    const parent = playOf();
    const { playId } = await source.start(parent, 2, ASK);
    const wait = { position: 2, ref: 'call', kind: 'children', since: new Date(), until: new Date() } as const;
    const waits = { 2: { ...wait, children: { open: 1, wakeAfter: 1, playId } } };
    expect(await source.start({ ...parent, waits }, 2, ASK)).toMatchObject({ playId, state: 'RUN', ended: null });
    await end(playId, 'FAIL');
    const nobody = () => Promise.reject(new Error('it is not looked for'));
    const blind = { childOf: nobody, find: nobody, markCollected: nobody, parent: nobody, toRetry: nobody };
    const going = childPlays({ ...deps, children: blind });
    expect(await going.start({ ...parent, waits }, 2, ASK)).toMatchObject({ playId, ended: { state: 'FAIL' } });
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
    ['too deep', playOf({ parent: { flowId: 'f', first: 'p', nth: 0, layer: 0, depth: MAX_DEPTH } }), ASK, 'too_deep'],
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
    const retry = playOf({ retryOf: first._id, chain: { ...chain, nth: 1 } });
    await plays.insertOne(retry);
    const next = playOf({ retryOf: retry._id, chain: { ...chain, nth: 2 } });
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
        parent: { flowId: 'parent', first: retry.chain?.first, nth: 1, layer: 2, depth: 1, awaited: true },
      },
    });
  });

  it('is found over a play of the chain that is not stored any more, and by the item of a loop', async () => {
    const { playId, retry, next } = await retried('DONE');
    await plays.deleteOne({ _id: retry._id });
    await plays.deleteOne({ _id: retry.retryOf ?? '' });
    expect(await source.start(next, 2, ASK)).toMatchObject({ playId });
    const item = await source.start(retry, 5, ASK, 1);
    await end(item.playId, 'DONE');
    expect(await source.start(next, 5, ASK, 1)).toMatchObject({ playId: item.playId, ended: { state: 'DONE' } });
    expect((await source.start(next, 5, ASK, 2)).playId).not.toBe(item.playId);
  });

  it('is what the latest play of the chain has made of it', async () => {
    const { playId, retry, next, startedBy } = await retried('FAIL');
    const again = await source.start(retry, 2, ASK);
    await end(again.playId, 'FAIL');
    await source.start(next, 2, ASK);
    expect(await startedBy(next._id)).toMatchObject([
      { retryOf: again.playId, chain: { first: playId, nth: 2 }, parent: { nth: 2 } },
    ]);
  });

  it('is the play that the latest play of the chain has started anew', async () => {
    const { retry, next } = await retried('FAIL', { version: 9 });
    const anew = await source.start(retry, 2, ASK);
    await end(anew.playId, 'DONE');
    expect(await source.start(next, 2, ASK)).toMatchObject({ playId: anew.playId, ended: { state: 'DONE' } });
  });

  describe('when no layer waited for it, and a person has retried it', () => {
    const OWN = { ...ASK, awaited: false };

    async function retriedByPerson(state: Play['state']) {
      const { retry, startedBy } = await retried('DONE');
      const first = await plays.findOne({ _id: retry.retryOf ?? '' });
      const own = await source.start(first ?? playOf(), 6, OWN);
      await end(own.playId, 'FAIL');
      const failed = (await find(own.playId)) ?? playOf();
      const chain = { first: failed._id, nth: 1, at: failed.createdAt };
      const again = playOf({ flowId: 'child', retryOf: failed._id, chain, trigger: 'retry', state });
      const insert = () => plays.insertOne(isFinal(state) ? { ...again, completedAt: new Date() } : again);
      return { retry, own: failed, again, insert, startedBy };
    }

    it.each(['RUN', 'DONE'] as const)('counts as the retry: %s', async (state) => {
      const { retry, again, insert, startedBy } = await retriedByPerson(state);
      await insert();
      expect(await source.start(retry, 6, OWN)).toMatchObject({ playId: again._id });
      expect(await startedBy(retry._id)).toEqual([]);
    });

    it('is retried after that when it has failed, too', async () => {
      const { retry, again, insert, startedBy } = await retriedByPerson('FAIL');
      await insert();
      await source.start(retry, 6, OWN);
      expect(await startedBy(retry._id)).toMatchObject([{ retryOf: again._id, chain: { nth: 2 } }]);
    });

    it.each(['RUN', 'DONE', 'FAIL'] as const)('is not retried twice when both do so at once: %s', async (state) => {
      const { retry, own, again, insert, startedBy } = await retriedByPerson(state);
      const late = childPlays({
        ...deps,
        retries: {
          latest: async () => {
            await insert();
            return own;
          },
        },
      });
      expect(await late.start(retry, 6, OWN)).toMatchObject({ playId: again._id });
      expect(await startedBy(retry._id)).toEqual([]);
      expect(await plays.countDocuments({ retryOf: own._id })).toBe(1);
    });

    it('is not waited for while it runs', async () => {
      const { retry, insert } = await retriedByPerson('RUN');
      await insert();
      await expect(source.start(retry, 6, ASK)).rejects.toMatchObject({ code: 'child_running' });
    });
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
  const holder = playOf({ flowId: 'limited', limitKey: '' });
  const child = (of: Play, fields: Partial<Play> = {}) => playOf({ flowId: 'other', parentPlayId: of._id, ...fields });
  const waitedFor = child(holder, { parentPending: true });
  const deeper = child(waitedFor, { parentPending: true });

  it.each([
    ['by itself', holder, ask, 'refused'],
    ['by one that it waits for', waitedFor, ask, 'refused'],
    ['by one further down', deeper, ask, 'refused'],
    ['by one that it does not wait for', child(holder), ask, 'RUN'],
    ['by itself without waiting', holder, { ...ask, awaited: false }, 'RUN'],
    ['by one that came in before there was a limit', playOf({ flowId: 'limited' }), ask, 'RUN'],
    ['by one of another flow', playOf({ limitKey: '' }), ask, 'RUN'],
  ])('is started %s and waited for, unless its place would be waited for: %#', async (_by, parent, asked, expected) => {
    await plays.bulkWrite(
      [holder, waitedFor, deeper].map((one) => ({
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
  const holder = playOf({ lane: 'l', turns: ['lane:l#0'] });
  const waitedFor = playOf({ flowId: 'other', parentPlayId: holder._id, parentPending: true });

  it.each([
    ['by itself', holder, ask, 'refused'],
    ['by one that it waits for', waitedFor, ask, 'refused'],
    ['by itself without waiting', holder, { ...ask, awaited: false }, 'RUN'],
    ['by one of another lane', playOf({ lane: 'm', turns: ['lane:m#0'] }), ask, 'RUN'],
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
    children,
    commands,
    signals: { publish: () => undefined },
    onFault: (error) => expect.unreachable(String(error)),
  });
  const next = () => children.nextWithEnds(scope, null);
  const since = new Date();
  const waitFor = (playId: string) => {
    const only = { open: 1, wakeAfter: 1, playId };
    return { 0: { position: 0, ref: 'call', kind: 'children', since, until: null, children: only } } as const;
  };

  /** @param state of the parent when its child has ended */
  async function notifiedParent(state: Play['state']) {
    await plays.updateMany({}, { $unset: { parentPending: 1 } });
    const parent = playOf({ state });
    await plays.insertOne(parent);
    const { playId } = await source.start(parent, 0, ASK);
    if (state === 'WAIT') await plays.updateOne({ _id: parent._id }, { $set: { waits: waitFor(playId) } });
    await end(playId, 'DONE');
    const layer = { companyId: 'c', flowId: 'parent', playId: parent._id, position: 0 };
    expect(await next()).toEqual(layer);
    const isSetGoing = await notifier.notify(layer);
    return { parent: await find(parent._id), childId: playId, layer, isSetGoing };
  }

  it('wakes the play that waits for it, once', async () => {
    const { parent, childId, layer } = await notifiedParent('WAIT');
    expect(parent).toMatchObject({ state: 'RUN', epoch: 2 });
    expect(parent?.waits?.[0]?.until).toBeInstanceOf(Date);
    expect(rung).toContain(parent?._id);
    expect(await next()).toBeNull();
    expect(await find(childId)).not.toHaveProperty('parentPending');
    expect(await notifier.notify(layer)).toBe(false);
    expect((await find(layer.playId))?.seq).toBe(parent?.seq);
  });

  it('is kept for a play that does not wait yet', async () => {
    const { parent, childId, layer, isSetGoing } = await notifiedParent('RUN');
    expect([isSetGoing, parent?.seq]).toEqual([false, 1]);
    await plays.updateOne({ _id: layer.playId }, { $set: { state: 'WAIT', waits: waitFor(childId) } });
    expect(await notifier.notify(layer)).toBe(true);
  });

  it('sets nothing going that waits for the next attempt', async () => {
    const { layer } = await notifiedParent('RUN');
    await plays.updateOne({ _id: layer.playId }, { $set: { state: 'WAIT', waits: waitFor('next') } });
    expect(await notifier.notify(layer)).toBe(false);
  });

  it('is not forgotten by one that was slow to forget the attempt before', async () => {
    const { childId, layer } = await notifiedParent('RUN');
    await children.forgetEnds(scope, layer, 'attempt before');
    expect(await children.countEnds(scope, layer, 1, childId)).toBe(1);
  });

  it('is told to nobody when the play that waited has ended', async () => {
    const { isSetGoing } = await notifiedParent('FAIL');
    expect([isSetGoing, await next()]).toEqual([false, null]);
  });
});
