import { waitsForItselfWrite, type LayerWait, type Play, type QueueKey } from '@weft/engine';
import { createIdSource } from '@weft/kernel';
import { aPlay, liveMongo } from '@weft/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ensureIndexes } from '../driver/collections.js';
import { Mongo } from '../driver/mongo.js';
import { FLOWS } from '../flows/flow.schema.js';
import { SystemScope } from '../scope.js';
import { FLOW_GATES } from './flow-gate.schema.js';
import { OpenPlaysRepository } from './open-plays.repository.js';
import { PLAYS } from './play.schema.js';
import { WaitCirclesRepository } from './wait-circles.repository.js';

const ALL = new SystemScope('test');
const WINDOW = 64;
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

/** A flow whose places these plays have; default: all of them. */
async function limitedFlow(holders: readonly string[], settings: object = { concurrency: holders.length }) {
  const _id = newId();
  const flow = { _id, company_id: companyId, settings };
  await mongo.collection(FLOWS).insertOne(flow as never, { bypassDocumentValidation: true });
  await mongo.collection(FLOW_GATES).insertOne({ _id, company_id: companyId, rev: 1, holders } as never);
  return _id;
}

/**
 * A loop has the turn of lane `a`, and its open item waits for the place of a flow; the play with that place waits for a child in
 * lane `a`.
 */
async function circle() {
  const loop = await insert({ state: 'WAIT', lane: 'a', laneTurn: true });
  const holder = await insert({ state: 'WAIT', limited: true });
  const flowId = await limitedFlow([holder]);
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
    const found = await circles.stuckChildren(ALL, companyId, queue, WINDOW);
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
    expect(await circles.stuckChildren(ALL, companyId, queue, WINDOW)).toEqual([]);
});

/** What MongoDB did for a search. */
async function readsOf(queue: QueueKey) {
  await mongo.db.command({ profile: 2 });
  await circles.stuckChildren(ALL, companyId, queue, WINDOW);
  await mongo.db.command({ profile: 0 });
  const profile = mongo.collection<{
    readonly ns: string;
    readonly planSummary: string;
    readonly docsExamined: number;
    readonly nreturned: number;
    readonly responseLength: number;
  }>('system.profile');
  const reads = await profile.find({ op: 'query', ns: { $regex: /\.(plays|flows|flow_gates)$/ } }).toArray();
  await mongo.db.dropCollection('system.profile');
  return reads;
}

describe('what a search reads', () => {
  it('is no play that it does not need, however many the company and its loop have', async () => {
    const { loop, flowId } = await circle();
    const history = Array.from({ length: 400 }, (_, i) => ({
      ...aPlay({ playId: newId(), companyId }),
      ...{ state: 'DONE' as const, completedAt: new Date() },
      // half of them are items of the loop whose ends it has stored
      ...(i % 2 === 0 && { parentPlayId: loop, parent: { flowId: 'f', loop: 0, depth: 1, item: -1 - i } }),
    }));
    await mongo.collection<Play>(PLAYS).insertMany(history);
    for (const queue of [{ lane: 'a' }, { flowId }]) {
      const reads = await readsOf(queue);
      expect(reads.length).toBeGreaterThan(4);
      for (const { ns, planSummary, docsExamined, nreturned } of reads)
        expect([ns, planSummary, docsExamined]).toEqual([ns, planSummary, nreturned]);
    }
  });

  it('is little of plays that store megabytes of waits', async () => {
    const { holder, item, child, flowId } = await circle();
    const text = 'x'.repeat(1024 * 1024);
    const approval = { message: text, approvers: [], onTimeout: 'fail' as const };
    await change(holder, { waits: { 0: waitOf({ play: { playId: child }, approval }) } });
    await change(item, { waits: { 0: waitOf({ kind: 'approval', approval }) } });
    const reads = await readsOf({ flowId });
    expect(Math.max(...reads.map(({ responseLength }) => responseLength))).toBeLessThan(4_096);
    expect(await circles.stuckChildren(ALL, companyId, { flowId }, WINDOW)).toHaveLength(1);
  });
});

/** Two plays have places in a flow that has more, and wait for children that queue there. */
async function circleInFlow(settings: object) {
  const holders = [await insert({ state: 'WAIT', limited: true }), await insert({ state: 'WAIT', limited: true })];
  const flowId = await limitedFlow(holders, settings);
  const children: string[] = [];
  for (const parentPlayId of holders) {
    const child = await insert({ flowId, parentPlayId, state: 'DEFERRED', limited: true, queued: true });
    await change(parentPlayId, { waits: { 0: waitOf({ play: { playId: child } }) } });
    children.push(child);
  }
  return { flowId, youngest: children[1] };
}

it.each([
  ['has more places', { concurrency: 100 }],
  ['has no limit any more', {}],
])('finds a circle in a flow that %s, if its gate admits no more plays', async (_what, settings) => {
  const { flowId, youngest } = await circleInFlow(settings);
  const found = await circles.stuckChildren(ALL, companyId, { flowId }, 2);
  expect(found.map(({ play }) => play._id)).toEqual([youngest]);
  expect(await circles.stuckChildren(ALL, companyId, { flowId }, 3)).toEqual([]);
});

it('finds a play that is not ended any more after a while, by the clock of MongoDB', async () => {
  const { child } = await circle();
  const found = await circles.stuckChildren(ALL, companyId, { lane: 'a' }, WINDOW);
  const end = (until: Date) =>
    new OpenPlaysRepository(mongo, ALL).writeEach(
      found.map((stuck) => ({ play: stuck.play, write: waitsForItselfWrite(stuck, new Date(), until) })),
    );
  expect((await end(new Date(mongo.serverNow() - 1_000))).count).toBe(0);
  expect((await end(new Date(mongo.serverNow() + 60_000))).written).toMatchObject([{ playId: child }]);
});
