import type { PlayJob } from '@weft/contracts';
import {
  acceptPlay,
  decideCommand,
  dueWrite,
  endWrite,
  retryOf,
  type LaneRequest,
  type Play,
  type RunRequest,
} from '@weft/engine';
import { createIdSource } from '@weft/kernel';
import {
  ensureIndexes,
  FlowGateRepository,
  FLOWS,
  LaneReads,
  LaneRepository,
  Mongo,
  MongoPlayStore,
  OpenPlaysRepository,
  PLAYS,
  playKeyOf,
  SystemScope,
  TenantScope,
  type FlowDocument,
  type LaneKey,
} from '@weft/persistence';
import { aVersion, liveMongo } from '@weft/testing';
import mongoose from 'mongoose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FlowGatekeeper } from './flow-gatekeeper.js';
import { LaneKeeper, type LaneKeeperDeps } from './lane-keeper.js';

const live = liveMongo();
const scope = new SystemScope('test');
const newId = createIdSource(() => Date.now(), 2);
const ERROR = { code: 'broken', message: 'Broken.', ref: null };
const LANE = 'customer-42';

let mongo: Mongo;
let plays: OpenPlaysRepository;
let lanes: LaneRepository;
let store: MongoPlayStore;
let key: LaneKey;

beforeAll(async () => {
  mongo = await Mongo.open({ uri: live.uri, db: live.db, appName: 'test' });
  await ensureIndexes(mongo);
  plays = new OpenPlaysRepository(mongo, scope);
  lanes = new LaneRepository(mongo, scope);
  store = new MongoPlayStore(mongo, { outcomePatienceMs: 1_000 });
});
afterAll(() => mongo.close());
beforeEach(() => {
  key = { companyId: newId(), lane: LANE };
});

const stored = () => mongo.collection<Play>(PLAYS);
const read = async (playId: string): Promise<Play> => {
  const play = await stored().findOne({ _id: playId });
  if (!play) throw new Error(`play ${playId} is gone`);
  return play;
};
const stateOf = async (playId: string) => (await read(playId)).state;

async function accept(lane: Partial<LaneRequest> = {}, more: Partial<RunRequest> = {}): Promise<Play> {
  const play = acceptPlay({
    ...{ playId: newId(), companyId: key.companyId, flowId: 'f', version: 1, args: {}, idempotencyKey: null },
    ...{ dueAt: null, trigger: 'api', triggeredBy: null, serverNow: new Date(mongo.serverNow()) },
    lane: { name: LANE, ...lane },
    ...more,
  });
  await store.accept(play);
  return play;
}

async function acceptMany(count: number, lane: Partial<LaneRequest> = {}): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i += 1) ids.push((await accept(lane))._id);
  return ids;
}

/** As a worker ends a play. */
async function end(playId: string, state: 'DONE' | 'FAIL' | 'SKIP' = 'DONE'): Promise<void> {
  const play = await read(playId);
  const write = endWrite(play, ERROR, new Date(mongo.serverNow()), state === 'SKIP' ? 'SKIP' : 'FAIL');
  const { error: _error, ...set } = write.set;
  const done = {
    ...write,
    set: { ...set, state },
    unset: [...write.unset, ...(state === 'DONE' ? (['laneTurn'] as const) : [])],
  };
  expect(await store.write(playKeyOf(play), done)).toBe(true);
}

async function command(playId: string, kind: 'hold' | 'release' | 'cancel'): Promise<void> {
  const play = await read(playId);
  const order = kind === 'cancel' ? { kind, error: ERROR } : { kind };
  const decision = decideCommand(play, order, new Date(mongo.serverNow() + 60_000));
  if (decision.kind !== 'write') throw new Error(`cannot ${kind}: ${JSON.stringify(decision)}`);
  expect((await plays.writeEach([{ play, write: decision.write }])).count).toBe(1);
}

async function retry(playId: string): Promise<string> {
  const again = retryOf(await read(playId), aVersion([]), {
    ...{ playId: newId(), triggeredBy: null, serverNow: new Date(mongo.serverNow()) },
  });
  await store.accept(again);
  return again._id;
}

const ROOM_FOR_ALL: LaneKeeperDeps['windowRoom'] = {
  take: async (_company, ids) => ({ ids: new Set(ids), fresh: ids }),
  giveBack: () => undefined,
};

function keeperOf(rung: string[] = [], more: Partial<LaneKeeperDeps> = {}): LaneKeeper {
  return new LaneKeeper({
    ...{ lanes, plays, windowRoom: ROOM_FOR_ALL, serverNow: () => mongo.serverNow(), announce: () => undefined },
    gatekeeper: { admit: () => Promise.resolve() },
    doorbell: {
      ring: (jobs: readonly PlayJob[]) => {
        rung.push(...jobs.map(({ playId }) => playId));
        return Promise.resolve(true);
      },
    },
    ...more,
  });
}

/** Whoever has the turn, with its state. */
async function turn(): Promise<[string, string] | null> {
  const holder = await lanes.holder(key);
  return holder && [holder._id, holder.state];
}

describe('a lane', () => {
  it('runs 200 plays one at a time in the order of acceptance, with several keepers and workers that die', async () => {
    const all = await acceptMany(200);
    const rung: string[] = [];
    const keepers = Array.from({ length: 4 }, () => keeperOf(rung));
    const ended: string[] = [];
    let most = 0;
    const work = async (keeper: LaneKeeper): Promise<void> => {
      while (ended.length < all.length) {
        await keeper.goOn(key);
        const running = await stored()
          .find(
            { company_id: key.companyId, state: 'RUN' },
            { projection: { _id: 1 }, readConcern: { level: 'snapshot' } },
          )
          .toArray();
        most = Math.max(most, running.length);
        const [first] = running;
        if (!first) continue;
        // several workers may see the same play: one of them ends it; half of them let the lane go on, half die before
        const { modifiedCount } = await stored().updateOne(
          { _id: first._id, state: 'RUN' },
          { $set: { state: 'DONE' }, $unset: { laneTurn: 1, heartbeatAt: 1 } },
        );
        if (modifiedCount === 1) ended.push(first._id);
        if (modifiedCount === 1 && keepers.indexOf(keeper) < 2) await keeper.goOn(key);
      }
    };
    await Promise.all(keepers.map(work));
    expect(most).toBe(1);
    expect(ended).toEqual(all);
    // a keeper may ring after another one has seen the turn that it gave
    expect(rung.toSorted()).toEqual(all.toSorted());
    expect(await turn()).toBeNull();
  });

  it('has the order of the inserts, whatever the clocks of those that accept, and that of one batch', async () => {
    const late = createIdSource(() => Date.now() + 60_000, 3);
    const early = createIdSource(() => Date.now() - 60_000, 4);
    const ids: string[] = [];
    for (const source of [late, early, late, early]) ids.push((await accept({}, { playId: source() }))._id);
    const batch = await Promise.all(Array.from({ length: 20 }, () => accept()));
    const expected = [...ids, ...batch.map(({ _id }) => _id)];
    const { next } = await new LaneReads(mongo).now(new TenantScope(key.companyId), LANE, 100);
    expect(next.map(({ _id }) => _id)).toEqual(expected);
  });

  it('is shown at one point in time: each play waits, has the turn or has ended', async () => {
    const all = await acceptMany(30);
    const reads = new LaneReads(mongo);
    const work = (async () => {
      for (const playId of all) {
        await keeperOf().goOn(key);
        await end(playId);
      }
    })();
    let isOver = false;
    void work.finally(() => (isOver = true));
    const seen: string[][] = [];
    while (!isOver) {
      const { holder, next, waiting } = await reads.now(new TenantScope(key.companyId), LANE, 100);
      seen.push([...(holder ? [holder._id] : []), ...next.map(({ _id }) => _id)]);
      expect(waiting).toBe(next.length);
    }
    await work;
    expect(seen).toEqual(seen.map(({ length }) => all.slice(all.length - length)));
    expect(new Set(seen.map(({ length }) => length)).size).toBeGreaterThan(3);
  });

  it('is that of one company', async () => {
    const [ours = ''] = await acceptMany(1);
    const other = { ...key, companyId: newId() };
    const own = key;
    key = other;
    const [theirs = ''] = await acceptMany(1);
    const rung: string[] = [];
    await keeperOf(rung).goOn(own);
    expect(rung).toEqual([ours]);
    await keeperOf(rung).goOn(other);
    expect(rung).toEqual([ours, theirs]);
    key = own;
    expect(await turn()).toEqual([ours, 'RUN']);
  });

  it('passes over a play on hold before its turn, lets it come first after its release, and waits for one in its turn', async () => {
    const [first = '', second = '', third = ''] = await acceptMany(3);
    await command(first, 'hold');
    const rung: string[] = [];
    const keeper = keeperOf(rung);
    await keeper.goOn(key);
    expect(rung).toEqual([second]);
    await command(first, 'release');
    await end(second);
    await keeper.goOn(key);
    expect(rung).toEqual([second, first]);
    await command(first, 'hold');
    await keeper.goOn(key);
    expect(await turn()).toEqual([first, 'ON_HOLD']);
    expect(await stateOf(third)).toBe('DEFERRED');
  });

  it.each(['cancel', 'SKIP'] as const)('goes on over a play that ends while it waits: %s', async (how) => {
    const [first = '', second = '', third = ''] = await acceptMany(3, { stopsOnFail: true });
    const rung: string[] = [];
    const keeper = keeperOf(rung);
    await keeper.goOn(key);
    if (how === 'cancel') await command(second, 'cancel');
    else await end(second, 'SKIP');
    await end(first);
    await keeper.goOn(key);
    expect(rung).toEqual([first, third]);
  });

  it('lets a delayed play join when it is due, in the place of its acceptance', async () => {
    const delayed = await accept({}, { dueAt: new Date(mongo.serverNow() + 1) });
    const [first = '', second = ''] = await acceptMany(2);
    const rung: string[] = [];
    const keeper = keeperOf(rung);
    await keeper.goOn(key);
    expect(rung).toEqual([first]);
    const play = await read(delayed._id);
    await plays.writeEach([{ play, write: dueWrite(play, new Date(mongo.serverNow())) }]);
    expect(await read(play._id)).toMatchObject({ state: 'DEFERRED', laneQueued: true });
    await end(first);
    await keeper.goOn(key);
    await end(play._id);
    await keeper.goOn(key);
    expect(rung).toEqual([first, play._id, second]);
  });

  it('gives the turn to a play for which the window has no room: it is due, and keeps the turn', async () => {
    const [first = '', second = ''] = await acceptMany(2);
    const rung: string[] = [];
    const windowRoom = { ...ROOM_FOR_ALL, take: async () => ({ ids: new Set<string>(), fresh: [] }) };
    await keeperOf(rung, { windowRoom }).goOn(key);
    expect(await read(first)).toMatchObject({ state: 'DEFERRED', ready: true, laneTurn: true });
    await keeperOf(rung).goOn(key);
    expect(rung).toEqual([]);
    expect(await stateOf(second)).toBe('DEFERRED');
    const due = await read(first);
    await plays.writeEach([{ play: due, write: dueWrite(due, new Date(mongo.serverNow())) }]);
    expect(await read(first)).toMatchObject({ state: 'RUN', laneTurn: true });
  });

  it('takes a play of a limited flow through the gate of its flow after its turn has come', async () => {
    const gates = new FlowGateRepository(mongo, scope);
    const flow = { companyId: key.companyId, flowId: newId() };
    await mongo.collection<FlowDocument>(FLOWS).insertOne({
      ...{ _id: flow.flowId, company_id: flow.companyId },
      settings: { concurrency: 1, timeoutMs: null, onMissing: 'fail', maxOutputBytes: null },
    } as FlowDocument);
    const rung: string[] = [];
    const doorbell: LaneKeeperDeps['doorbell'] = {
      ring: (jobs) => Promise.resolve(rung.push(...jobs.map(({ playId }) => playId)) > 0),
    };
    const gatekeeper = new FlowGatekeeper({
      ...{ gates, plays, doorbell, windowRoom: ROOM_FOR_ALL, windowSize: () => 50 },
      ...{ serverNow: () => mongo.serverNow(), announce: () => undefined },
    });
    const inFlow = { flowId: flow.flowId, limited: true };
    const other = await accept({ name: 'another' }, inFlow);
    const [first, second] = [await accept({}, inFlow), await accept({}, inFlow)];
    const keeper = keeperOf(rung, { gatekeeper });
    await keeper.goOn({ ...key, lane: 'another' });
    await keeper.goOn(key);
    expect(rung).toEqual([other._id]);
    expect(await read(first._id)).toMatchObject({ state: 'DEFERRED', queued: true, laneTurn: true });
    // one that waits for its turn takes no place of the flow
    expect(await read(second._id)).toMatchObject({ state: 'DEFERRED', laneQueued: true });
    await end(other._id);
    await gatekeeper.release(flow, [other._id]);
    await end(first._id);
    await keeper.goOn(key);
    await gatekeeper.release(flow, [first._id]);
    expect(rung).toEqual([other._id, first._id, second._id]);
  });
});

describe('a lane of which a play fails', () => {
  it('goes on, unless its flow says that it stops', async () => {
    const [first = '', second = ''] = await acceptMany(2);
    const rung: string[] = [];
    const keeper = keeperOf(rung);
    await keeper.goOn(key);
    await end(first, 'FAIL');
    await keeper.goOn(key);
    expect(rung).toEqual([first, second]);
    expect(await read(first)).not.toHaveProperty('laneTurn');
  });

  it('stops until a retry of that play has ended well, which is before all that wait', async () => {
    const [first = '', second = ''] = await acceptMany(2, { stopsOnFail: true });
    const rung: string[] = [];
    const keeper = keeperOf(rung);
    await keeper.goOn(key);
    await end(first, 'FAIL');
    await keeper.goOn(key);
    expect(await turn()).toEqual([first, 'FAIL']);
    const again = await retry(first);
    await keeper.goOn(key);
    expect(await turn()).toEqual([again, 'RUN']);
    expect(await read(first)).not.toHaveProperty('laneTurn');
    await end(again, 'FAIL');
    await keeper.goOn(key);
    expect(await turn()).toEqual([again, 'FAIL']);
    const last = await retry(again);
    await keeper.goOn(key);
    await end(last);
    await keeper.goOn(key);
    expect(rung).toEqual([first, again, last, second]);
  });

  it('goes on with the retry that the retry of its parent has made, and not with a rerun', async () => {
    const [first = '', second = ''] = await acceptMany(2, { stopsOnFail: true });
    const rung: string[] = [];
    const keeper = keeperOf(rung);
    await keeper.goOn(key);
    await end(first, 'FAIL');
    const again = await retry(first);
    const { chain } = await read(again);
    await stored().updateOne({ _id: again }, { $set: { trigger: 'rerun' }, $unset: { chain: 1 } });
    await keeper.goOn(key);
    expect(await turn()).toEqual([first, 'FAIL']);
    await stored().updateOne({ _id: again }, { $set: { trigger: 'flow', ...(chain && { chain }) } });
    await keeper.goOn(key);
    expect(await turn()).toEqual([again, 'RUN']);
    await end(again);
    await keeper.goOn(key);
    expect(rung).toEqual([first, again, second]);
  });

  it('stays stopped when the retry is cancelled before it has the turn', async () => {
    const [first = '', second = ''] = await acceptMany(2, { stopsOnFail: true });
    const keeper = keeperOf();
    await keeper.goOn(key);
    await end(first, 'FAIL');
    await command(await retry(first), 'cancel');
    await keeper.goOn(key);
    expect(await turn()).toEqual([first, 'FAIL']);
    expect(await stateOf(second)).toBe('DEFERRED');
  });

  it('puts the retry of a play at which it has not stopped at its end', async () => {
    const [first = '', second = ''] = await acceptMany(2);
    const rung: string[] = [];
    const keeper = keeperOf(rung);
    await keeper.goOn(key);
    await end(first, 'FAIL');
    const again = await retry(first);
    for (const playId of [first, second]) {
      if (playId !== first) await end(playId);
      await keeper.goOn(key);
    }
    expect(rung).toEqual([first, second, again]);
  });

  it('passes the turn on to one retry when keepers race', async () => {
    const [first = ''] = await acceptMany(3, { stopsOnFail: true });
    await keeperOf().goOn(key);
    await end(first, 'FAIL');
    const again = await retry(first);
    const rung: string[] = [];
    await Promise.all(Array.from({ length: 6 }, () => keeperOf(rung).goOn(key)));
    expect(rung).toEqual([again]);
    expect(await turn()).toEqual([again, 'RUN']);
  });
});

describe('a keeper that dies', () => {
  const STEPS = ['holder', 'free', 'next', 'write', 'announce', 'ring'] as const;

  /** Never comes back from that step, before or after it has taken effect. */
  function dying(at: (typeof STEPS)[number], isDone: boolean): LaneKeeper {
    const died = new Error('died');
    const dies =
      <A extends unknown[], R>(step: (typeof STEPS)[number], act: (...args: A) => Promise<R>) =>
      async (...args: A): Promise<R> => {
        if (step !== at) return act(...args);
        if (isDone) await act(...args);
        throw died;
      };
    return keeperOf([], {
      lanes: {
        holder: dies('holder', (of: LaneKey) => lanes.holder(of)),
        next: dies('next', (of: LaneKey) => lanes.next(of)),
        free: dies('free', (play: Parameters<LaneRepository['free']>[0]) => lanes.free(play)),
        waitingRetryOf: (of, failed) => lanes.waitingRetryOf(of, failed),
        passOn: (...args) => lanes.passOn(...args),
      },
      plays: {
        writeEach: dies('write', (changes: Parameters<OpenPlaysRepository['writeEach']>[0]) =>
          plays.writeEach(changes),
        ),
      },
      announce: () => {
        if (at === 'announce') throw died;
      },
      doorbell: { ring: dies('ring', () => Promise.resolve(true)) },
    });
  }

  it.each(STEPS.flatMap((step) => [[step, false] as const, [step, true] as const]))(
    'at the step "%s" (done: %s) leaves a lane that others bring to its end in order',
    async (step, isDone) => {
      const all = await acceptMany(4);
      await keeperOf().goOn(key);
      await end(all[0] ?? '', 'FAIL');
      await expect(dying(step, isDone).goOn(key)).rejects.toThrow('died');
      const ran: string[] = [all[0] ?? ''];
      const keeper = keeperOf();
      while (ran.length <= all.length) {
        await keeper.goOn(key);
        const holder = await turn();
        if (!holder) break;
        // also one for which nobody has rung: it is RUN without an owner, for which the reconciler rings
        expect(holder[1]).toBe('RUN');
        ran.push(holder[0]);
        await end(holder[0]);
      }
      expect(ran).toEqual(all);
      expect(await turn()).toBeNull();
    },
  );
});

describe('what a lane costs', () => {
  it('is the same for each play, however many wait, and none wait for long to be counted', async () => {
    const template = await accept();
    const { laneOrder: _order, ...play } = await read(template._id);
    const waiting = Array.from({ length: 10_000 }, (_, i) => ({
      ...play,
      _id: newId(),
      laneOrder: new mongoose.mongo.Timestamp({ t: 2_000_000_000, i: i + 1 }),
    }));
    await stored().insertMany(waiting);
    const keysOf = async (filter: object, sort: Record<string, 1>, limit: number): Promise<number> => {
      const plan = (await stored().find(filter, { sort, limit }).explain('executionStats')) as {
        executionStats: { totalKeysExamined: number; totalDocsExamined: number };
      };
      return Math.max(plan.executionStats.totalKeysExamined, plan.executionStats.totalDocsExamined);
    };
    const queue = { company_id: key.companyId, lane: LANE, laneQueued: true, state: 'DEFERRED' };
    for (const counted of [
      queue,
      { company_id: key.companyId, laneQueued: true },
      { company_id: { $gt: '' }, laneQueued: true },
    ]) {
      const plan = (await stored()
        .aggregate([{ $match: counted }, { $count: 'n' }], { hint: 'lane_waiting' })
        .explain('executionStats')) as { executionStats?: { totalDocsExamined: number } };
      expect(JSON.stringify(plan)).toContain('"totalDocsExamined":0');
    }
    const order = { laneOrder: 1, _id: 1 } as const;
    expect(await keysOf(queue, order, 1)).toBeLessThanOrEqual(2);
    expect(await keysOf(queue, order, 50)).toBeLessThanOrEqual(51);
    expect(await keysOf({ company_id: key.companyId, lane: LANE, laneTurn: true }, order, 1)).toBeLessThanOrEqual(1);
    const reads = new LaneReads(mongo);
    const company = new TenantScope(key.companyId);
    const { waiting: count, next } = await reads.now(company, LANE, 50);
    expect([count, next.length]).toEqual([10_001, 50]);
    expect(await reads.ahead(company, await read(waiting[70]?._id ?? ''))).toBe(71);
    expect(await lanes.countWaiting(key.companyId, 20)).toBe(20);
    const rung: string[] = [];
    await keeperOf(rung).goOn(key);
    expect(rung).toEqual([template._id]);
    await stored().deleteMany({ company_id: key.companyId });
  });

  it('is nothing more for lanes that have a queue than one look for each', async () => {
    await acceptMany(2);
    await accept({ name: 'a' });
    expect(await lanes.nextWithQueue({ companyId: key.companyId, lane: '' })).toEqual({ ...key, lane: 'a' });
    expect(await lanes.nextWithQueue({ ...key, lane: 'a' })).toEqual(key);
    const after = await lanes.nextWithQueue(key);
    expect(after?.companyId).not.toBe(key.companyId);
    await accept({ name: '\u{10ffff}x' });
    const ofOthers = await lanes.nextWithQueue({ companyId: key.companyId });
    expect([await lanes.nextWithQueue(key), ofOthers]).toEqual([{ ...key, lane: '\u{10ffff}x' }, after]);
  });
});
