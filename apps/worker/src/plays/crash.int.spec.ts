import type { RunnableFlow } from '@weft/runs';
import { createEgressClient } from '@weft/egress';
import { PROTOCOL_TIMES, acceptPlay, type FlowVersion, type Play, type PlayStore } from '@weft/engine';
import { LayerRunner, prepareVersion } from '@weft/layers';
import {
  ChildPlaysRepository,
  EndedPlaysRepository,
  KV_STORES,
  KvRepository,
  Mongo,
  MongoPlayStore,
  PLAYS,
  PayloadStore,
  SystemScope,
  ensureIndexes,
} from '@weft/persistence';
import { aLayer, aVersion, liveMongo, SETTINGS, waitFor } from '@weft/testing';
import { randomUUID } from 'node:crypto';
import { afterAll, expect, it } from 'vitest';
import { childPlays } from '../layers/child-plays.js';
import { storedKv } from '../layers/stored-kv.js';
import { storedPayloads } from '../layers/stored-payloads.js';
import { PlayRun } from './play-run.js';
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
        store.accept(acceptPlay({ ...order, playId: randomUUID(), flowId, ...ask, labels: undefined })),
      acceptPrepared: (play) => store.accept(play),
      nextPlayId: randomUUID,
    },
    children: new ChildPlaysRepository(mongo),
    endings: new EndedPlaysRepository(mongo, new SystemScope('spec')),
    payloads,
    versions: { find: () => Promise.resolve(null) },
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
function worker(me: string, version: FlowVersion, play: Play, write: PlayStore['write'], redelivered: boolean) {
  const key = { playId: play._id, companyId, flowId: 'f' };
  const handOut = { job: { ...key, epoch: play.epoch }, redelivered, handedOutAtMs: performance.now() };
  const { accept, find, renew } = {
    accept: store.accept.bind(store),
    find: store.find.bind(store),
    renew: store.renew.bind(store),
  };
  const nothing = () => undefined;
  return new PlayRun(handOut, me, {
    store: { accept, find, renew, write },
    source: { find, reread: find, prepare: () => prepareVersion(version, 'C') },
    layers,
    leases: { keep: nothing, renew: () => Promise.resolve(), release: nothing },
    suspects: new SuspectLane({ seats: 0 }),
    events: {
      ...{ announce: nothing, publish: nothing, layerEnded: nothing, started: nothing, ended: nothing },
      ...{ lost: nothing, unready: nothing, handedBack: nothing, scope: (_play, _handOut, work) => work() },
    },
    times: PROTOCOL_TIMES,
    serverNow: () => mongo.serverNow(),
    isStopping: () => false,
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
  expect(play).toMatchObject({ state: 'WAIT', waits: { 0: { kind: 'play', play: { playId: children[0]?._id } } } });
});
