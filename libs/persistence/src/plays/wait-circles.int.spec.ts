import type { LayerWait, Play } from '@weft/engine';
import { createIdSource } from '@weft/kernel';
import { aPlay, liveMongo } from '@weft/testing';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { ensureIndexes } from '../driver/collections.js';
import { Mongo } from '../driver/mongo.js';
import { FLOWS } from '../flows/flow.schema.js';
import { SystemScope } from '../scope.js';
import { FLOW_GATES } from './flow-gate.schema.js';
import { PLAYS } from './play.schema.js';
import { WaitCirclesRepository } from './wait-circles.repository.js';

const ALL = new SystemScope('test');
const live = liveMongo();
const newId = createIdSource(() => Date.now(), 1);
let mongo: Mongo;
let circles: WaitCirclesRepository;
let companyId: string;

beforeAll(async () => {
  mongo = await Mongo.open({ uri: live.uri, db: live.db, appName: 'test' });
  await ensureIndexes(mongo);
  circles = new WaitCirclesRepository(mongo);
});
afterAll(() => mongo.close());
beforeEach(() => {
  companyId = newId();
});

async function insert(more: Partial<Play>): Promise<string> {
  const play = { ...aPlay({ playId: newId(), companyId }), ...more };
  await mongo.collection<Play>(PLAYS).insertOne(play);
  return play._id;
}

const change = (playId: string, set: object) => mongo.collection<Play>(PLAYS).updateOne({ _id: playId }, { $set: set });

const waitOf = (more: Partial<LayerWait>): LayerWait => ({
  ...{ position: 0, ref: 'child', kind: 'play', since: new Date(), until: null },
  ...more,
});

/** A flow with one place, which this play has. */
async function limitedFlow(holder: string): Promise<string> {
  const _id = newId();
  const flow = { _id, company_id: companyId, settings: { concurrency: 1 } };
  await mongo.collection(FLOWS).insertOne(flow as never, { bypassDocumentValidation: true });
  await mongo.collection(FLOW_GATES).insertOne({ _id, company_id: companyId, rev: 1, holders: [holder] } as never);
  return _id;
}

/**
 * A loop has the turn of lane `a`, and its open item waits for the place of a flow; the play with that place waits for a child in
 * lane `a`.
 */
async function circle() {
  const loop = await insert({ state: 'WAIT', lane: 'a', laneTurn: true });
  const holder = await insert({ state: 'WAIT', limited: true });
  const flowId = await limitedFlow(holder);
  const parent = { flowId: 'f', loop: 0, depth: 1 };
  const of = { flowId, parentPlayId: loop, loopPending: true } as const;
  const children = { open: 2, wakeAfter: 2, upTo: 1 };
  await insert({ ...of, parent: { ...parent, item: 0 }, state: 'DONE', completedAt: new Date() });
  const waiting = { state: 'DEFERRED', limited: true, queued: true } as const;
  const item = await insert({ ...of, parent: { ...parent, item: 1 }, ...waiting });
  const child = await insert({ parentPlayId: holder, state: 'DEFERRED', lane: 'a', laneQueued: true });
  await change(loop, { waits: { 0: waitOf({ kind: 'children', children }) } });
  await change(holder, { waits: { 0: waitOf({ play: { playId: child } }) } });
  return { loop, holder, flowId, item, child };
}

it('finds a circle of a loop, a gate and a lane from both of its queues', async () => {
  const { flowId, child } = await circle();
  for (const queue of [{ lane: 'a' }, { flowId }]) {
    const found = await circles.stuckChildren(ALL, companyId, queue);
    expect([queue, found.map(({ play, queue: of }) => [play._id, of])]).toEqual([queue, [[child, { lane: 'a' }]]]);
  }
});

it.each<[string, (of: Awaited<ReturnType<typeof circle>>) => Promise<unknown>]>([
  ['the loop is about to be called again', ({ item }) => change(item, { state: 'DONE', completedAt: new Date() })],
  ['the loop has ended', ({ loop }) => change(loop, { state: 'FAIL' })],
  ['the place is free', ({ flowId }) => mongo.collection(FLOW_GATES).deleteOne({ _id: flowId as never })],
  [
    'the limit was raised',
    ({ flowId }) =>
      mongo.collection(FLOWS).updateOne({ _id: flowId as never }, { $set: { 'settings.concurrency': 2 } }),
  ],
  ['the place is that of another company’s play', ({ holder }) => change(holder, { company_id: newId() })],
])('finds none where %s', async (_why, make) => {
  const plays = await circle();
  await make(plays);
  for (const queue of [{ lane: 'a' }, { flowId: plays.flowId }])
    expect(await circles.stuckChildren(ALL, companyId, queue)).toEqual([]);
});
