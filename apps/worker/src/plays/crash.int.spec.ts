import type { RunnableFlow } from '@weft/runs';
import { createEgressClient, type EgressRequest } from '@weft/egress';
import {
  PROTOCOL_TIMES,
  acceptPlay,
  dueWrite,
  endWrite,
  reapWrite,
  retryOf,
  type FlowVersion,
  type LayerDefinition,
  type Play,
  type PlayStore,
} from '@weft/engine';
import { BytesSemaphore } from '@weft/concurrency';
import { LayerRunner, prepareVersion } from '@weft/layers';
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
import { KV_STORES, KvRepository, ensureIndexes } from '@weft/records';
import { aLayer, aVersion, liveMongo, SETTINGS, waitFor } from '@weft/testing';
import { randomUUID } from 'node:crypto';
import { afterAll, expect, it } from 'vitest';
import { childPlays } from '../layers/child-plays.js';
import { storedKv } from '../layers/stored-kv.js';
import { storedPayloads } from '../layers/stored-payloads.js';
import { PlayRun } from './play-run.js';
import { LARGE_PLAYS_BYTES } from './play-room.js';
import { SuspectLane } from './suspect-lane.js';

const { uri, db } = liveMongo();
const mongo = await Mongo.open({ uri, db, appName: 'spec' });
const http = createEgressClient({ allow: [] });
afterAll(() => Promise.all([http.close(), mongo.close()]));
await ensureIndexes(mongo);
const store = new MongoPlayStore(mongo, { outcomePatienceMs: 0 });
const plays = mongo.collection<Play>(PLAYS);
const payloads = new PayloadStore(mongo);
const companyId = randomUUID();
const closing = () => true;
const order = { companyId, version: 1, idempotencyKey: null, dueAt: null, serverNow: new Date() };
const called = {
  id: 'child',
  companyId,
  version: 1,
  enabled: true,
  isBlueprint: false,
  settings: SETTINGS,
} as RunnableFlow;

const layers = new LayerRunner({
  http,
  sandbox: { run: () => Promise.reject(new Error('nothing here is computed')) },
  kv: storedKv(new KvRepository(mongo), randomUUID, closing),
  plays: childPlays({
    flows: { get: () => called },
    acceptance: {
      accept: async ({ id: flowId }, ask) =>
        store.accept(acceptPlay({ ...order, playId: randomUUID(), flowId, ...ask, labels: undefined, lane: null })),
      acceptPrepared: (play) => store.accept(play),
      laneOf: () => null,
      keyOfLimit: () => null,
      nextPlayId: randomUUID,
    },
    children: new ChildPlaysRepository(mongo),
    endings: new EndedPlaysRepository(mongo, new SystemScope('spec')),
    payloads,
    versions: { find: () => Promise.resolve(null) },
    retries: new RetriesRepository(mongo),
    serverNow: () => mongo.serverNow(),
    closing,
  }),
  payloads: storedPayloads(payloads),
  serverNow: () => mongo.serverNow(),
});

function flowOf(appId: string, args: Record<string, unknown>): FlowVersion {
  return aVersion([aLayer('l', { appId, args })], { companyId });
}

/** @param write what this worker does instead of storing. If it never resolves, the worker dies there */
function worker(
  me: string,
  version: FlowVersion,
  play: Play,
  write: PlayStore['write'],
  redelivered: boolean,
  runner = layers,
) {
  const key = { playId: play._id, companyId, flowId: 'f' };
  const handOut = { job: { ...key, epoch: play.epoch }, redelivered, handedOutAtMs: performance.now() };
  const { accept, find, renew, writeEnd } = {
    accept: store.accept.bind(store),
    find: store.find.bind(store),
    renew: store.renew.bind(store),
    writeEnd: store.writeEnd.bind(store),
  };
  const nothing = () => undefined;
  return new PlayRun(handOut, me, {
    store: { accept, find, renew, write, writeEnd },
    source: { find, prepare: () => prepareVersion(version, 'C') },
    layers: runner,
    leases: { keep: nothing, renew: () => Promise.resolve(), release: nothing },
    suspects: new SuspectLane({ seats: 0 }),
    memory: new BytesSemaphore(LARGE_PLAYS_BYTES),
    events: {
      ...{
        announce: nothing,
        isWatched: () => false,
        publish: nothing,
        say: () => false,
        layerEnded: nothing,
        layersRecorded: nothing,
        started: nothing,
        ended: nothing,
      },
      ...{ lost: nothing, unready: nothing, handedBack: nothing, waitsForPlays: nothing, waitsForEvents: nothing },
      ...{ scope: (_play, _handOut, work) => work() },
    },
    times: PROTOCOL_TIMES,
    serverNow: () => mongo.serverNow(),
    isStopping: () => false,
    isOfOthers: () => false,
    pause: () => Promise.resolve(),
  }).run();
}

/** A worker calls the layer and dies while it stores the result. The next worker gets the play. */
async function crashed(version: FlowVersion): Promise<Play> {
  const accepted = acceptPlay({
    ...order,
    playId: randomUUID(),
    flowId: 'f',
    args: {},
    trigger: 'api',
    triggeredBy: null,
  });
  const { play } = await store.accept(accepted);
  let died = false;
  const die = () => {
    died = true;
    return new Promise<boolean>(() => undefined);
  };
  void worker('dead', version, play, die, false);
  await waitFor(() => died, { what: 'the worker to store what its layer gave' });
  await worker('next', version, play, store.write.bind(store), true);
  return (await plays.findOne({ _id: play._id })) as Play;
}

it('counts once what a worker counted that died before it could store that', async () => {
  const play = await crashed(flowOf('kv', { op: 'increment', key: 'hits', by: 5 }));
  expect(play).toMatchObject({ state: 'DONE', layers: [{ by: 'next', out: { value: 5, existed: false } }] });
  expect(await mongo.collection(KV_STORES).findOne({ company_id: companyId, key: 'hits' })).toMatchObject({ value: 5 });
});

it('starts one play where a worker died between the start and the wait for it', async () => {
  const play = await crashed(flowOf('run-flow', { flowId: 'child', args: {} }));
  const children = await plays.find({ parentPlayId: play._id }).toArray();
  expect(children).toMatchObject([{ flowId: 'child', state: 'NEW', parentPending: true }]);
  expect(play).toMatchObject({
    state: 'WAIT',
    waits: { 0: { kind: 'children', children: { playId: children[0]?._id } } },
  });
});

/** A worker in the middle of a loop: it called the last item, and the item before had failed. */
async function inMidLoop() {
  const list = ['a', 'bad', 'c', 'last'];
  const forEach = { in: '{{ $prev.args.list }}', concurrency: 1, onItemError: 'collect' } as const;
  const layer = aLayer('l', { appId: 'web-request', args: { url: 'http://peer/{{ $item }}' }, forEach });
  const version = aVersion([layer], { companyId });
  const asked = { playId: randomUUID(), flowId: 'f', args: { list }, trigger: 'api', triggeredBy: null } as const;
  const { play } = await store.accept(acceptPlay({ ...order, ...asked }));
  const gate = Promise.withResolvers<void>();
  const runnerOf = (calls: string[], waits: boolean) => {
    const request = async ({ url, headers }: EgressRequest) => {
      calls.push(`${url.slice('http://peer/'.length)} ${headers?.['Idempotency-Key']}`);
      if (waits && url.endsWith('last')) await gate.promise;
      return { statusCode: url.endsWith('bad') ? 422 : 200, headers: {}, body: Buffer.from('x'), url };
    };
    const serverNow = () => mongo.serverNow();
    const sandbox = { run: () => Promise.reject(new Error('nothing here is computed')) };
    return new LayerRunner({
      http: { request, close: async () => undefined },
      payloads: storedPayloads(payloads),
      ...{ sandbox, serverNow },
    });
  };
  const first = worker('first', version, play, store.write.bind(store), false, runnerOf([], true));
  const read = async () => (await plays.findOne({ _id: play._id })) as Play;
  await waitFor(async () => (await read()).doneItems?.[0]?.count === 3, { what: 'the loop to be stored' });
  const key = { playId: play._id, companyId, flowId: 'f' };
  return { version, key, read, first, thaw: () => gate.resolve(), runnerOf };
}

it('goes on with a loop where the last worker was, and lands nothing of that worker when it thaws', async () => {
  const { version, key, read, first, thaw, runnerOf } = await inMidLoop();
  const left = await read();
  expect(await store.write(key, reapWrite(left, new Date(mongo.serverNow())))).toBe(true);
  const calls: string[] = [];
  await worker('next', version, await read(), store.write.bind(store), true, runnerOf(calls, false));
  expect(calls).toEqual([`last ${key.playId}.0.3`]);
  const done = await read();
  const failed = { ok: false, error: { code: 'bad_status', statusCode: 422 } };
  expect(done).toMatchObject({
    state: 'DONE',
    layers: [{ by: 'next', out: [{ ok: true }, failed, {}, { ok: true }] }],
  });
  thaw();
  await first;
  expect(await read()).toEqual(done);
});

it('leaves to a retry what a loop had done when its play was cancelled: only what failed or was not called is called', async () => {
  const { version, key, read, first, thaw, runnerOf } = await inMidLoop();
  const error = { code: 'cancelled', message: 'by a user', ref: null };
  expect(await store.write(key, endWrite(await read(), error, new Date(mongo.serverNow())))).toBe(true);
  thaw();
  await first;
  const request = { playId: randomUUID(), triggeredBy: null, serverNow: new Date(mongo.serverNow()) };
  const { play } = await store.accept(retryOf(await read(), version, request));
  const calls: string[] = [];
  await worker('next', version, play, store.write.bind(store), false, runnerOf(calls, false));
  expect(calls).toEqual([`bad ${key.playId}.0.1`, `last ${key.playId}.0.3`]);
  expect(await plays.findOne({ _id: play._id })).toMatchObject({ state: 'DONE', retryOf: key.playId });
});

/** Nine pages; `next` is in the header Link, as nothing is computed here. */
const nextPage = (url: string) => {
  const page = Number(new URL(url).searchParams.get('page') ?? 0);
  return { page, link: `<?page=${page + 1}>; rel="next"` };
};

/** A layer that calls a peer step by step; a call to `hangsAt` is never answered. */
async function inSteps(
  fields: Partial<LayerDefinition>,
  answer: (url: string, nth: number) => object,
  hangsAt: number,
) {
  const layer = aLayer('l', { appId: 'web-request', ...fields });
  const version = aVersion([layer], { companyId });
  const asked = { playId: randomUUID(), flowId: 'f', args: {}, trigger: 'api', triggeredBy: null } as const;
  const { play } = await store.accept(acceptPlay({ ...order, ...asked }));
  const calls: string[] = [];
  const runnerOf = (hangs: boolean) => {
    const request = async ({ url, headers = {} }: EgressRequest) => {
      calls.push(headers['Idempotency-Key'] ?? '');
      if (hangs && calls.length > hangsAt) await new Promise(() => undefined);
      const more = { 'content-type': 'application/json' };
      const given = answer(url, calls.length - 1) as { headers?: object; body?: unknown };
      const body = Buffer.from(JSON.stringify(given.body ?? {}));
      return { statusCode: 200, headers: { ...more, ...given.headers }, body, url };
    };
    return new LayerRunner({
      http: { request, close: async () => undefined },
      payloads: storedPayloads(payloads),
      sandbox: { run: () => Promise.reject(new Error('nothing here is computed')) },
      serverNow: () => mongo.serverNow(),
    });
  };
  const read = async () => (await plays.findOne({ _id: play._id })) as Play;
  const key = { playId: play._id, companyId, flowId: 'f' };
  const work = (me: string, of: Play, hangs: boolean) =>
    worker(me, version, of, store.write.bind(store), false, runnerOf(hangs));
  return { play, key, read, work, calls };
}

it('goes on after the pages that are stored where a worker died between two pages, under the keys that they had', async () => {
  const args = { url: 'http://peer/list', paginate: { link: true } };
  const answer = (url: string) => {
    const { page, link } = nextPage(url);
    return { body: { page }, headers: page < 8 ? { link } : {} };
  };
  const { play, key, read, work, calls } = await inSteps({ args }, answer, 4);
  void work('dead', play, true);
  await waitFor(async () => (await read()).doneItems?.[0]?.count === 4, { what: 'four pages to be stored' });
  expect(await store.write(key, reapWrite(await read(), new Date(mongo.serverNow())))).toBe(true);
  await work('next', await read(), false);
  const pages = Array.from({ length: 9 }, (_, page) => ({ statusCode: 200, json: { page } }));
  expect(await read()).toMatchObject({ state: 'DONE', layers: [{ by: 'next', out: { count: 9, pages } }] });
  const of = (page: number) => `${play._id}.0.${page}`;
  expect(calls).toEqual([0, 1, 2, 3, 4, 4, 5, 6, 7, 8].map(of));
});

it('parks a play between two rounds with the round stored, and the next worker makes the next one', async () => {
  const repeat = { until: '{{ $repeat.out.json.done }}', max: 5, delayMs: 60_000 };
  const answer = (_: string, nth: number) => ({ body: { done: nth === 2 } });
  const { play, key, read, work, calls } = await inSteps({ args: { url: 'http://peer/job' }, repeat }, answer, 9);
  let handed = play;
  for (const rounds of [1, 2]) {
    expect(await work('me', handed, false)).toBe('park');
    const parked = await read();
    expect(parked).toMatchObject({
      state: 'DEFERRED',
      waits: { 0: { kind: 'repeat', ref: 'l' } },
      doneItems: { 0: { count: rounds, of: 5 } },
    });
    expect(parked.dueAt).toEqual(parked.waits?.[0]?.until);
    // of a play that was accepted, claimed and started: a round adds two entries
    expect(parked.log.length).toBe(2 + rounds * 2);
    // the time is over
    await plays.updateOne({ _id: play._id }, { $set: { 'waits.0.until': new Date(0) } as never });
    expect(await store.write(key, dueWrite(await read(), new Date(mongo.serverNow())))).toBe(true);
    handed = await read();
  }
  expect(await work('me', handed, false)).toBe('final');
  expect(await read()).toMatchObject({ state: 'DONE', layers: [{ out: { body: '{"done":true}' } }] });
  expect(calls).toEqual([0, 1, 2].map((round) => `${play._id}.0.${round}`));
});
