import type { PlayJob } from '@weft/contracts';
import {
  acceptPlay,
  decideCommand,
  dueWrite,
  endWrite,
  flowQueue,
  laneQueue,
  QUEUES_OF_FLOWS,
  QUEUES_OF_LANES,
  retryOf,
  slotsIn,
  turnsAtEnd,
  type LaneRequest,
  type Play,
  type RunRequest,
} from '@weft/engine';
import { createIdSource } from '@weft/kernel';
import {
  inQueue,
  LaneReads,
  Mongo,
  MongoPlayStore,
  OpenPlaysRepository,
  orderIn,
  PLAYS,
  PlaysAheadRepository,
  playKeyOf,
  SystemScope,
  TenantScope,
  TurnRepository,
  type QueueKey,
} from '@weft/store';
import { ensureIndexes, FLOWS, readFlowLimit, type FlowDocument } from '@weft/records';
import { aVersion, liveMongo } from '@weft/testing';
import mongoose from 'mongoose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TurnKeeper, type TurnKeeperDeps } from './turn-keeper.js';

const live = liveMongo();
const scope = new SystemScope('test');
const newId = createIdSource(() => Date.now(), 2);
const ERROR = { code: 'broken', message: 'Broken.', ref: null };
const LANE = 'customer-42';
const WINDOW = 50;

let mongo: Mongo;
let plays: OpenPlaysRepository;
let turns: TurnRepository;
let store: MongoPlayStore;
/** Of the lane `LANE`, and of a flow with a limit: of a company of its own for each test. */
let key: QueueKey;
let flow: QueueKey;
let flowId: string;

beforeAll(async () => {
  mongo = await Mongo.open({ uri: live.uri, db: live.db, appName: 'test' });
  await ensureIndexes(mongo);
  plays = new OpenPlaysRepository(mongo, scope);
  turns = new TurnRepository(mongo, scope);
  store = new MongoPlayStore(mongo, { outcomePatienceMs: 1_000 });
});
afterAll(() => mongo.close());
beforeEach(() => {
  key = { companyId: newId(), queue: laneQueue(LANE) };
  flowId = newId();
  flow = { companyId: key.companyId, queue: flowQueue(flowId, '') };
});

const stored = () => mongo.collection<Play>(PLAYS);
const read = async (playId: string): Promise<Play> => {
  const play = await stored().findOne({ _id: playId });
  if (!play) throw new Error(`play ${playId} is gone`);
  return play;
};
const stateOf = async (playId: string) => (await read(playId)).state;

async function accept(lane: Partial<LaneRequest> | null = {}, more: Partial<RunRequest> = {}): Promise<Play> {
  const play = acceptPlay({
    ...{ playId: newId(), companyId: key.companyId, flowId, version: 1, args: {}, idempotencyKey: null },
    ...{ dueAt: null, trigger: 'api', triggeredBy: null, serverNow: new Date(mongo.serverNow()) },
    lane: lane && { name: LANE, ...lane },
    ...more,
  });
  await store.accept(play);
  return play;
}

async function limitTo(concurrency: number | null): Promise<void> {
  const settings = { concurrency, timeoutMs: null, onMissing: 'fail', maxOutputBytes: null } as const;
  const filter = { _id: flowId, company_id: key.companyId };
  await mongo.collection<FlowDocument>(FLOWS).updateOne(filter, { $set: { settings } }, { upsert: true });
}

/** Plays of the limited flow. */
async function queue(count: number, priority = 0): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i += 1) ids.push((await accept(null, { limitKey: '', priority }))._id);
  return ids;
}

/** Those that have a turn of the flow. */
async function holders(): Promise<string[]> {
  const found = await stored()
    .find({ company_id: key.companyId, turns: { $exists: true } })
    .toArray();
  return found.map(({ _id }) => _id).toSorted();
}

async function acceptMany(count: number, lane: Partial<LaneRequest> = {}): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i += 1) ids.push((await accept(lane))._id);
  return ids;
}

/** As a worker ends a play. */
async function end(playId: string, state: 'DONE' | 'FAIL' | 'SKIP' = 'DONE'): Promise<void> {
  const play = await read(playId);
  const { set, unset, ...write } = endWrite(
    play,
    ERROR,
    new Date(mongo.serverNow()),
    state === 'SKIP' ? 'SKIP' : 'FAIL',
  );
  const { error: _error, turns: _turns, ...fields } = set;
  const { set: kept, unset: gone } = turnsAtEnd(play, state);
  const done = { ...write, set: { ...fields, ...kept, state }, unset: [...unset, ...gone] };
  expect(await store.write(playKeyOf(play), done)).toBe(true);
}

async function command(playId: string, kind: 'hold' | 'release' | 'cancel'): Promise<void> {
  const play = await read(playId);
  const order = kind === 'cancel' ? { kind, error: ERROR } : { kind };
  const decision = decideCommand(play, order, new Date(mongo.serverNow() + 60_000));
  if (decision.kind !== 'write') throw new Error(`cannot ${kind}: ${JSON.stringify(decision)}`);
  expect((await plays.writeEach([{ play, write: decision.write }])).count).toBe(1);
}

async function retry(playId: string, more: Partial<Play> = {}): Promise<string> {
  const again = {
    ...retryOf(await read(playId), aVersion([]), {
      ...{ playId: newId(), triggeredBy: null, serverNow: new Date(mongo.serverNow()) },
    }),
    ...more,
  };
  await store.accept(again);
  return again._id;
}

const ROOM_FOR_ALL: TurnKeeperDeps['windowRoom'] = {
  take: async (_company, ids) => ({ ids: new Set(ids), fresh: ids }),
  giveBack: () => undefined,
};

function keeperOf(rung: string[] = [], more: Partial<TurnKeeperDeps> = {}): TurnKeeper {
  return new TurnKeeper({
    ...{ turns, plays, windowRoom: ROOM_FOR_ALL, windowSize: () => WINDOW },
    flowLimit: (queue) => readFlowLimit(mongo, queue),
    ...{ serverNow: () => mongo.serverNow(), announce: () => undefined },
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
  const holder = await turns.laneHolder(key);
  return holder && [holder._id, holder.state];
}

describe('a lane', () => {
  it('runs 200 plays one at a time in the order of acceptance, with several keepers and workers that die', async () => {
    const all = await acceptMany(200);
    const rung: string[] = [];
    const keepers = Array.from({ length: 4 }, () => keeperOf(rung));
    let [ended, most] = [0, 0];
    const work = async (keeper: TurnKeeper): Promise<void> => {
      while (ended < all.length) {
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
        const { modifiedCount } = await stored().updateOne({ _id: first._id, state: 'RUN' }, [
          { $set: { state: 'DONE', endedIn: '$$CLUSTER_TIME' } },
          { $unset: ['turns', 'heartbeatAt'] },
        ]);
        ended += modifiedCount;
        if (modifiedCount === 1 && keepers.indexOf(keeper) < 2) await keeper.goOn(key);
      }
    };
    await Promise.all(keepers.map(work));
    expect(most).toBe(1);
    // as MongoDB has it: an answer may come after those to writes that followed
    const inOrder = await stored()
      .find({ _id: { $in: all } }, { sort: { endedIn: 1 }, projection: { _id: 1 } })
      .toArray();
    expect(inOrder.map(({ _id }) => _id)).toEqual(all);
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
    const { head, next, waiting } = await new LaneReads(mongo).now(new TenantScope(key.companyId), LANE, 100);
    expect([head?._id, ...next.map(({ _id }) => _id)]).toEqual(expected);
    expect(waiting).toBe(next.length);
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
      const { head, next, waiting } = await reads.now(new TenantScope(key.companyId), LANE, 100);
      seen.push([...(head ? [head._id] : []), ...next.map(({ _id }) => _id)]);
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
    expect(await read(play._id)).toMatchObject({ state: 'DEFERRED', queues: [key.queue] });
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
    expect(await read(first)).toMatchObject({ state: 'DEFERRED', ready: true, turns: [`${key.queue}#0`] });
    await keeperOf(rung).goOn(key);
    expect(rung).toEqual([]);
    expect(await stateOf(second)).toBe('DEFERRED');
    const due = await read(first);
    await plays.writeEach([{ play: due, write: dueWrite(due, new Date(mongo.serverNow())) }]);
    expect(await read(first)).toMatchObject({ state: 'RUN', turns: [`${key.queue}#0`] });
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
    expect(await read(first)).not.toHaveProperty('turns');
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
    expect(await read(first)).not.toHaveProperty('turns');
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
    const cancelled = await retry(first);
    await command(cancelled, 'cancel');
    await keeper.goOn(key);
    expect(await turn()).toEqual([first, 'FAIL']);
    expect(await stateOf(second)).toBe('DEFERRED');
    // and goes on with the retry of that one
    const again = await retry(cancelled);
    await keeper.goOn(key);
    expect(await turn()).toEqual([again, 'RUN']);
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
  const STEPS = ['laneHolder', 'next', 'write', 'announce', 'ring'] as const;

  /** Never comes back from that step, before or after it has taken effect. */
  function dying(at: (typeof STEPS)[number], isDone: boolean): TurnKeeper {
    const died = new Error('died');
    const dies =
      <A extends unknown[], R>(step: (typeof STEPS)[number], act: (...args: A) => Promise<R>) =>
      async (...args: A): Promise<R> => {
        if (step !== at) return act(...args);
        if (isDone) await act(...args);
        throw died;
      };
    const slow = Object.assign(Object.create(turns) as TurnRepository, {
      laneHolder: dies('laneHolder', (of: QueueKey) => turns.laneHolder(of)),
      next: dies('next', (of: QueueKey, limit: number) => turns.next(of, limit)),
    });
    return keeperOf([], {
      turns: slow,
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

describe('a play of a lane whose flow has a limit', () => {
  const OTHER = laneQueue('another');

  it('gets both turns in one write, or none: it keeps no turn while it waits, and no play of its lane overtakes it', async () => {
    await limitTo(1);
    const other = await accept({ name: 'another' }, { limitKey: '' });
    const [first, second] = [await accept({}, { limitKey: '' }), await accept({}, { limitKey: '' })];
    const third = await accept({}, { flowId: newId() });
    const rung: string[] = [];
    const keeper = keeperOf(rung);
    await keeper.goOn({ ...key, queue: OTHER });
    await keeper.goOn(key);
    expect(rung).toEqual([other._id]);
    expect(await read(first._id)).toMatchObject({ state: 'DEFERRED', queues: [key.queue, flow.queue] });
    expect(await turn()).toBeNull();
    expect(await read(second._id)).toMatchObject({ state: 'DEFERRED', queues: [key.queue] });
    const { head, waiting } = await new LaneReads(mongo).now(new TenantScope(key.companyId), LANE, 10);
    expect([head?._id, waiting]).toEqual([first._id, 2]);
    const had = await read(other._id);
    expect(had.turns).toEqual([`${OTHER}#0`, `${flow.queue}#0`]);
    await end(other._id);
    await keeper.ended(had);
    expect(rung).toEqual([other._id, first._id]);
    for (const play of [first, second]) {
      const now = await read(play._id);
      expect(now.turns).toEqual([`${key.queue}#0`, `${flow.queue}#0`]);
      await end(play._id);
      await keeper.ended(now);
    }
    expect(rung).toEqual([other, first, second, third].map(({ _id }) => _id));
  });

  it('leaves the queue of its flow when another play has got the turn of the lane meanwhile', async () => {
    await limitTo(1);
    const [busy = ''] = await queue(1);
    const rung: string[] = [];
    const keeper = keeperOf(rung);
    await keeper.goOn(flow);
    const [held, next] = [await accept({}, { flowId: newId() }), await accept({}, { limitKey: '' })];
    await command(held._id, 'hold');
    await keeper.goOn(key);
    expect((await read(next._id)).queues).toEqual([key.queue, flow.queue]);
    await command(held._id, 'release');
    await keeper.goOn(key);
    expect(await turn()).toEqual([held._id, 'RUN']);
    await end(busy);
    await keeper.goOn(flow);
    expect(await read(next._id)).toMatchObject({ state: 'DEFERRED', queues: [key.queue] });
    const had = await read(held._id);
    await end(held._id);
    await keeper.ended(had);
    expect(rung).toEqual([busy, held._id, next._id]);
  });

  it('takes as a retry the turn of a stopped lane together with one of its flow', async () => {
    await limitTo(1);
    const first = await accept({ stopsOnFail: true }, { limitKey: '' });
    const second = await accept({}, { limitKey: '' });
    const rung: string[] = [];
    const keeper = keeperOf(rung);
    await keeper.goOn(key);
    await end(first._id, 'FAIL');
    expect((await read(first._id)).turns).toEqual([`${key.queue}#0`]);
    const [busy = ''] = await queue(1);
    await keeper.goOn(flow);
    const again = await retry(first._id, { limitKey: '' });
    await keeper.goOn(key);
    expect(await turn()).toEqual([first._id, 'FAIL']);
    const had = await read(busy);
    await end(busy);
    await keeper.ended(had);
    expect(await turn()).toEqual([again, 'RUN']);
    expect(await read(first._id)).not.toHaveProperty('turns');
    const now = await read(again);
    await end(again);
    await keeper.ended(now);
    expect(rung).toEqual([first._id, busy, again, second._id]);
  });
});

describe('a flow with a limit', () => {
  it('has never more plays with turns than that, in order, however many keepers and workers there are', async () => {
    await limitTo(3);
    const all = await queue(30);
    const rung: string[] = [];
    const keepers = Array.from({ length: 4 }, () => keeperOf(rung));
    let most = 0;
    let ended = 0;
    const work = async (keeper: TurnKeeper): Promise<void> => {
      while (ended < all.length) {
        await keeper.goOn(flow);
        // in one snapshot: two reads could see a play before it ends and the next one after it has got its turn
        const inside = await stored()
          .find({ flowId, state: 'RUN' }, { readConcern: { level: 'snapshot' } })
          .toArray();
        most = Math.max(most, inside.length);
        const [first] = inside;
        if (!first) continue;
        await stored().updateOne(
          { _id: first._id, state: 'RUN' },
          { $set: { state: 'DONE' }, $unset: { turns: 1, heartbeatAt: 1 } },
        );
        ended = await stored().countDocuments({ flowId, state: 'DONE' });
        // half of the workers die before they let the queue go on
        if (keepers.indexOf(keeper) < 2) await keeper.ended(first);
      }
    };
    await Promise.all(keepers.map(work));
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(3);
    expect(rung.toSorted()).toEqual(all.toSorted());
    // two rings may overtake each other; a play is overtaken by no more than the plays that got their turns with it
    rung.forEach((playId, i) => expect(Math.abs(all.indexOf(playId) - i)).toBeLessThan(4));
    expect(await holders()).toEqual([]);
  });

  it('is filled again by keepers side by side with the turns that each has seen end, without a look at the others', async () => {
    const limit = 24;
    await limitTo(limit);
    const all = await queue(2 * limit);
    const rung: string[] = [];
    let looked = 0;
    const counting = Object.assign(Object.create(turns) as TurnRepository, {
      slots: (of: QueueKey) => {
        looked += 1;
        return turns.slots(of);
      },
    });
    const keeper = keeperOf(rung, { turns: counting });
    await keeper.goOn(flow);
    looked = 0;
    for (const playId of [...rung]) {
      const had = await read(playId);
      await end(playId);
      await keeper.ended(had);
    }
    expect(rung).toEqual(all);
    expect(looked).toBe(0);
    const others = Array.from({ length: 4 }, () => keeperOf(rung));
    const more = await queue(limit);
    const inside = await Promise.all(all.slice(limit).map(read));
    await Promise.all(
      inside.map(async (had, i) => {
        await end(had._id);
        await others[i % others.length]?.ended(had);
      }),
    );
    await keeper.goOn(flow);
    expect(await holders()).toEqual(more.toSorted());
    const taken = (await Promise.all(more.map(read))).flatMap((play) => slotsIn(play.turns ?? [], flow.queue));
    expect(taken.toSorted((a, b) => a - b)).toEqual(Array.from({ length: limit }, (_, i) => i));
  });

  it('lets plays begin by priority first', async () => {
    await limitTo(2);
    const [low] = await queue(1, -1);
    const normal = await queue(2);
    const [high] = await queue(1, 5);
    const rung: string[] = [];
    await keeperOf(rung).goOn(flow);
    expect(rung).toEqual([high, normal[0]]);
    for (const playId of [...rung]) await end(playId);
    await keeperOf(rung).goOn(flow);
    expect(rung.slice(2)).toEqual([normal[1], low]);
  });

  it('passes over a waiting play on hold, and lets it in first after its release', async () => {
    await limitTo(1);
    const [first = '', second = '', third = ''] = await queue(3);
    await command(first, 'hold');
    const rung: string[] = [];
    const keeper = keeperOf(rung);
    await keeper.goOn(flow);
    expect(rung).toEqual([second]);
    await command(first, 'release');
    await end(second);
    await keeper.goOn(flow);
    expect(rung).toEqual([second, first]);
    // a play that is put on hold after that keeps its turn
    await command(first, 'hold');
    await keeper.goOn(flow);
    expect(await holders()).toEqual([first]);
    expect(await stateOf(third)).toBe('DEFERRED');
  });

  it('lets the others in beside one whose write MongoDB refuses', async () => {
    await limitTo(2);
    const [full = '', second = '', third = ''] = await queue(3);
    const play = await read(full);
    const room = 16 * 1024 * 1024 - mongoose.mongo.BSON.calculateObjectSize({ ...play, inbox: { '7': '' } }) - 20;
    await stored().updateOne({ _id: full }, { $set: { inbox: { '7': 'x'.repeat(room) } } });
    const rung: string[] = [];
    await expect(keeperOf(rung).goOn(flow)).rejects.toThrow('larger than');
    expect(rung).toEqual([second]);
    await stored().updateOne({ _id: full }, { $set: { state: 'FAIL' }, $unset: { queues: 1 } });
    await keeperOf(rung).goOn(flow);
    expect(rung).toEqual([second, third]);
  });

  it('gives turns to plays that find no room in their window without ringing for them: they are due', async () => {
    await limitTo(3);
    const all = await queue(4);
    const windowRoom: TurnKeeperDeps['windowRoom'] = {
      take: async (_company, ids) => ({ ids: new Set(ids.slice(0, 1)), fresh: ids.slice(0, 1) }),
      giveBack: () => undefined,
    };
    const rung: string[] = [];
    await keeperOf(rung, { windowRoom }).goOn(flow);
    expect(rung).toEqual(all.slice(0, 1));
    const found = await Promise.all(all.map(read));
    expect(found.map(({ state, ready, turns: has, queues }) => [state, ready, has?.length, queues?.length])).toEqual([
      ['RUN', undefined, 1, undefined],
      ['DEFERRED', true, 1, undefined],
      ['DEFERRED', true, 1, undefined],
      ['DEFERRED', undefined, undefined, 1],
    ]);
  });

  it('follows a limit that is raised, lowered and taken away', async () => {
    await limitTo(1);
    const all = await queue(8);
    const rung: string[] = [];
    const keeper = keeperOf(rung);
    await keeper.goOn(flow);
    await limitTo(4);
    await keeper.goOn(flow);
    expect(rung).toEqual(all.slice(0, 4));
    await limitTo(2);
    // a turn below the new limit is free, and not given: as many plays as that have one
    for (const playId of all.slice(0, 2)) {
      const had = await read(playId);
      await end(playId);
      await keeper.ended(had);
    }
    expect(rung).toHaveLength(4);
    const last = await read(all[2] ?? '');
    await end(last._id);
    await keeper.ended(last);
    expect(rung).toHaveLength(5);
    await limitTo(null);
    await keeper.goOn(flow);
    expect(rung).toEqual(all);
  });

  it('never has more in than the company’s window, whatever the limit', async () => {
    await limitTo(1_000);
    await queue(WINDOW + 5);
    const rung: string[] = [];
    await keeperOf(rung).goOn(flow);
    expect(rung).toHaveLength(WINDOW);
  });

  it('has a queue for each key of its limit, whatever characters a key has', async () => {
    await limitTo(1);
    const keys = ['a', 'a#0', 'a%230', 'a.*', 'ä|\\E', ''];
    const ids: string[] = [];
    for (const limitKey of [...keys, ...keys]) ids.push((await accept(null, { limitKey }))._id);
    const rung: string[] = [];
    const keeper = keeperOf(rung);
    const queues = keys.map((limitKey): QueueKey => ({ ...flow, queue: flowQueue(flowId, limitKey) }));
    for (const one of queues) await keeper.goOn(one);
    expect(rung).toEqual(ids.slice(0, keys.length));
    for (const one of queues) expect([await turns.countTurns(one, 10), await turns.slots(one)]).toEqual([1, [0]]);
  });
});

describe('what a queue costs', () => {
  it.each([[LANE, {}, 'lane'] as const, ['flow', { limitKey: '' }, 'flow'] as const])(
    'is the same for each play, however many wait, and none wait for long to be counted: %s',
    async (_name, more, kind) => {
      await limitTo(1);
      const of = kind === 'lane' ? key : flow;
      const template = await accept(kind === 'lane' ? {} : null, more);
      const { order: _order, ...play } = await read(template._id);
      const waiting = Array.from({ length: 10_000 }, (_, i) => ({
        ...play,
        _id: newId(),
        priority: kind === 'lane' ? (i % 21) - 10 : 0,
        order: new mongoose.mongo.Timestamp({ t: 2_000_000_000, i: i + 1 }),
      }));
      await stored().insertMany(waiting);
      const explained = async (cursor: { explain: (how: 'executionStats') => Promise<unknown> }) => {
        const text = JSON.stringify(await cursor.explain('executionStats'));
        const most = (what: string) =>
          Math.max(...[...text.matchAll(new RegExp(`"${what}":(\\d+)`, 'g'))].map(([, n]) => Number(n)));
        return { keys: most('totalKeysExamined'), docs: most('totalDocsExamined') };
      };
      const all = of.queue === key.queue ? QUEUES_OF_LANES : QUEUES_OF_FLOWS;
      for (const counted of [
        { company_id: key.companyId, queues: of.queue, state: 'DEFERRED' },
        { company_id: key.companyId, queues: { $gt: '' } },
        { company_id: { $gt: '' }, queues: all },
      ]) {
        const cursor = stored().aggregate([{ $match: counted }, { $count: 'n' }], { hint: 'queues' });
        expect((await explained(cursor)).docs).toBe(0);
      }
      const first = stored().find(inQueue(of), { sort: orderIn(of.queue), limit: 1 });
      const { keys, docs } = await explained(first);
      expect([keys <= 21, docs]).toEqual([true, 1]);
      expect((await turns.next(of, 1)).map(({ _id }) => _id)).toEqual([template._id]);
      const company = new TenantScope(key.companyId);
      const last = await read(waiting[70]?._id ?? '');
      expect(await new PlaysAheadRepository(mongo).inQueue(company, last, of.queue)).toBe(71);
      expect(await turns.countWaiting(key.companyId, 20)).toBe(20);
      const rung: string[] = [];
      await keeperOf(rung).goOn(of);
      expect(rung).toEqual([template._id]);
      await stored().deleteMany({ company_id: key.companyId });
    },
  );

  it('is nothing more for those that nobody lets go on than one look for each', async () => {
    const company = { companyId: key.companyId };
    await acceptMany(2);
    await accept({ name: 'a' });
    await queue(1);
    await limitTo(1);
    const a = { ...key, queue: laneQueue('a') };
    expect(await turns.nextWithQueue({ ...company, queue: '' })).toEqual(flow);
    expect(await turns.nextWithQueue(flow)).toEqual(a);
    expect(await turns.nextWithQueue(a)).toEqual(key);
    const after = await turns.nextWithQueue(key);
    expect(after?.companyId).not.toBe(key.companyId);
    await accept({ name: '\u{10ffff}x' });
    const last = { ...key, queue: laneQueue('\u{10ffff}x') };
    expect([await turns.nextWithQueue(key), await turns.nextWithQueue(company)]).toEqual([last, after]);
    // a play in two queues is found in both
    await accept({ name: 'b' }, { limitKey: '' });
    await keeperOf().goOn(flow);
    const b = { ...key, queue: laneQueue('b') };
    await keeperOf().goOn(b);
    expect([await turns.nextWithQueue({ ...company, queue: '' }), await turns.nextWithQueue(a)]).toEqual([flow, b]);
    await keeperOf().goOn(key);
    expect(await turns.withoutOpenHolder([flow, a, b, key])).toEqual([flow, a, b]);
  });
});
