import type { PlayJob } from '@weft/contracts';
import { decideCommand, type Play } from '@weft/engine';
import { createIdSource } from '@weft/kernel';
import {
  ensureIndexes,
  FLOWS,
  FlowGateRepository,
  Mongo,
  OpenPlaysRepository,
  PLAYS,
  SystemScope,
  type FlowDocument,
  type FlowKey,
} from '@weft/persistence';
import { aPlay, liveMongo } from '@weft/testing';
import mongoose from 'mongoose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FlowGatekeeper, type FlowGatekeeperDeps } from './flow-gatekeeper.js';

const live = liveMongo();
const scope = new SystemScope('test');
const newId = createIdSource(() => Date.now(), 1);
const WINDOW = 50;

let mongo: Mongo;
let plays: OpenPlaysRepository;
let gates: FlowGateRepository;
let flow: FlowKey;

beforeAll(async () => {
  mongo = await Mongo.open({ uri: live.uri, db: live.db, appName: 'test' });
  await ensureIndexes(mongo);
  plays = new OpenPlaysRepository(mongo, scope);
  gates = new FlowGateRepository(mongo, scope);
});
afterAll(() => mongo.close());
beforeEach(() => {
  flow = { companyId: newId(), flowId: newId() };
});

const stored = () => mongo.collection<Play>(PLAYS);
const holders = async () => [...(await gates.read(flow)).holders].sort();

async function limitTo(concurrency: number | null): Promise<void> {
  await mongo
    .collection<FlowDocument>(FLOWS)
    .updateOne(
      { _id: flow.flowId, company_id: flow.companyId },
      { $set: { settings: { concurrency, timeoutMs: null, onMissing: 'fail', maxOutputBytes: null } } },
      { upsert: true },
    );
}

async function queue(count: number, priority = 0): Promise<string[]> {
  const accepted = Array.from({ length: count }, () =>
    aPlay({ playId: newId(), companyId: flow.companyId, flowId: flow.flowId, limited: true, priority }),
  );
  await stored().insertMany(accepted);
  return accepted.map(({ _id }) => _id);
}

/** Leaves room for a few bytes in the play's document, not enough for a log entry. */
async function fill(playId: string): Promise<void> {
  const play = await stored().findOne({ _id: playId });
  const room = 16 * 1024 * 1024 - mongoose.mongo.BSON.calculateObjectSize({ ...play, inbox: { '7': '' } }) - 20;
  await stored().updateOne({ _id: playId }, { $set: { inbox: { '7': 'x'.repeat(room) } } });
}

const ROOM_FOR_ALL: FlowGatekeeperDeps['windowRoom'] = {
  take: async (_company, ids) => ({ ids: new Set(ids), fresh: ids }),
  giveBack: () => undefined,
};

/** A gatekeeper as in any process. All gatekeepers that get the same `rung` list add to it. */
function gatekeeper(
  rung: string[] = [],
  onRing: () => void = () => undefined,
  places = ROOM_FOR_ALL,
  more: Partial<FlowGatekeeperDeps> = {},
) {
  const keeper = new FlowGatekeeper({
    gates,
    plays,
    doorbell: {
      ring: (jobs: readonly PlayJob[]) => {
        rung.push(...jobs.map(({ playId }) => playId));
        onRing();
        return Promise.resolve(true);
      },
    },
    windowRoom: places,
    windowSize: () => WINDOW,
    serverNow: () => mongo.serverNow(),
    announce: () => undefined,
    ...more,
  });
  return { keeper, rung };
}

async function end(playId: string): Promise<void> {
  await stored().updateOne({ _id: playId }, { $set: { state: 'DONE' }, $unset: { heartbeatAt: 1 } });
}

async function command(playId: string, kind: 'hold' | 'release'): Promise<void> {
  const play = await stored().findOne({ _id: playId });
  if (!play) throw new Error(`play ${playId} is gone`);
  const decision = decideCommand(play, { kind }, new Date(mongo.serverNow() + 60_000));
  if (decision.kind !== 'write') throw new Error(`cannot ${kind}: ${JSON.stringify(decision)}`);
  expect((await plays.writeEach([{ play, write: decision.write }])).count).toBe(1);
}

describe('FlowGatekeeper', () => {
  it('lets in never more than the limit, in order, however many gatekeepers and workers there are', async () => {
    await limitTo(3);
    const all = await queue(30);
    const rung: string[] = [];
    const keepers = Array.from({ length: 4 }, () => gatekeeper(rung).keeper);
    let most = 0;
    let ended = 0;
    const work = async (keeper: FlowGatekeeper): Promise<void> => {
      while (ended < all.length) {
        await keeper.admit(flow);
        // in one snapshot: two reads could see a play before it ends and the next one after its admission
        const inside = await stored()
          .find({ flowId: flow.flowId, state: 'RUN' }, { projection: { _id: 1 }, readConcern: { level: 'snapshot' } })
          .toArray();
        most = Math.max(most, inside.length);
        const [first] = inside;
        if (!first) continue;
        await end(first._id);
        ended = await stored().countDocuments({ flowId: flow.flowId, state: 'DONE' });
        // half of the workers die before they release: healing finds their admissions
        if (keeper === keepers[0] || keeper === keepers[1]) await keeper.release(flow, [first._id]);
        else await keeper.heal(flow);
      }
    };
    await Promise.all(keepers.map(work));
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(3);
    expect([...rung].sort()).toEqual(all);
    // two rings may overtake each other; a play is overtaken by no more than the plays that were admitted with it
    rung.forEach((playId, i) => expect(Math.abs(all.indexOf(playId) - i)).toBeLessThan(3));
    await keepers[0]?.heal(flow);
    expect(await holders()).toEqual([]);
  });

  it.each([4, 40])('reads as much for each end of a play with a limit of %i as with any other', async (limit) => {
    await limitTo(limit);
    const ends = 8;
    const all = await queue(limit + ends);
    const read = { holders: 0, queued: 0, gates: 0 };
    const counting = {
      plays: Object.assign(Object.create(plays) as OpenPlaysRepository, {
        byIds: async (...args: Parameters<OpenPlaysRepository['byIds']>) => {
          const found = await plays.byIds(...args);
          read.holders += found.length;
          return found;
        },
        queued: async (...args: Parameters<OpenPlaysRepository['queued']>) => {
          const found = await plays.queued(...args);
          read.queued += found.length;
          return found;
        },
      }),
      gates: Object.assign(Object.create(gates) as FlowGateRepository, {
        read: (key: FlowKey) => {
          read.gates += 1;
          return gates.read(key);
        },
      }),
    };
    const { keeper, rung } = gatekeeper([], undefined, ROOM_FOR_ALL, counting);
    await keeper.admit(flow);
    expect(rung).toEqual(all.slice(0, limit));
    Object.assign(read, { holders: 0, queued: 0, gates: 0 });
    for (const playId of all.slice(0, ends)) {
      await end(playId);
      await keeper.release(flow, [playId]);
    }
    expect([...rung].sort()).toEqual([...all].sort());
    expect(read.holders).toBe(0);
    expect(read.gates).toBe(ends);
    expect(read.queued).toBe((ends * (ends + 1)) / 2);
  });

  it('has gatekeepers side by side let in what each made room for, without a look at who is in', async () => {
    const limit = 24;
    await limitTo(limit);
    const all = await queue(2 * limit);
    const rung: string[] = [];
    let looked = 0;
    const counting = {
      plays: Object.assign(Object.create(plays) as OpenPlaysRepository, {
        byIds: (...args: Parameters<OpenPlaysRepository['byIds']>) => {
          looked += 1;
          return plays.byIds(...args);
        },
      }),
    };
    const keepers = Array.from({ length: 4 }, () => gatekeeper(rung, undefined, ROOM_FOR_ALL, counting).keeper);
    await keepers[0]?.admit(flow);
    looked = 0;
    const first = [...rung];
    await Promise.all(
      first.map(async (playId, i) => {
        await end(playId);
        await keepers[i % keepers.length]?.release(flow, [playId]);
      }),
    );
    expect([...rung].sort()).toEqual([...all].sort());
    expect((await holders()).sort()).toEqual(all.slice(limit).sort());
    expect(looked).toBe(0);
  });

  it('admits by priority first', async () => {
    await limitTo(2);
    const [low] = await queue(1, -1);
    const normal = await queue(2);
    const [high] = await queue(1, 5);
    const { keeper, rung } = gatekeeper();
    await keeper.admit(flow);
    expect(rung).toEqual([high, normal[0]]);
    await Promise.all(rung.map(end));
    await keeper.release(flow, [...rung]);
    expect(rung.slice(2)).toEqual([normal[1], low]);
  });

  it('admits a play whose gatekeeper died after it had given it a place', async () => {
    await limitTo(1);
    const [first = '', second = ''] = await queue(2);
    await gates.change(await gates.read(flow), [first]);
    const { keeper, rung } = gatekeeper();
    await keeper.heal(flow);
    expect(rung).toEqual([first]);
    expect(await holders()).toEqual([first]);
    expect(await stored().findOne({ _id: first })).toMatchObject({ state: 'RUN', epoch: 2, seq: 2 });
    expect(await stored().findOne({ _id: second })).toMatchObject({ state: 'DEFERRED', queued: true });
  });

  it('passes over a queued play on hold, and lets it in first after its release', async () => {
    await limitTo(1);
    const [first = '', second = '', third = ''] = await queue(3);
    await command(first, 'hold');
    const { keeper, rung } = gatekeeper();
    await keeper.admit(flow);
    expect(rung).toEqual([second]);
    await command(first, 'release');
    await end(second);
    await keeper.release(flow, [second]);
    expect(rung).toEqual([second, first]);
    // a play that is put on hold after its admission keeps it
    await command(first, 'hold');
    await keeper.heal(flow);
    expect(await holders()).toEqual([first]);
    expect((await stored().findOne({ _id: third }))?.state).toBe('DEFERRED');
  });

  it('lets the others in beside one whose admission MongoDB refuses, which keeps its place until it ends', async () => {
    await limitTo(2);
    const [full = '', second = '', third = ''] = await queue(3);
    await fill(full);
    const { rung, keeper } = gatekeeper();
    await expect(keeper.admit(flow)).rejects.toThrow('larger than');
    expect(rung).toEqual([second]);
    expect(await holders()).toEqual([full, second].sort());
    await stored().updateOne({ _id: full }, { $set: { state: 'FAIL' }, $unset: { queued: 1 } });
    await keeper.heal(flow);
    expect(rung).toEqual([second, third]);
  });

  it('lets plays in that find no room in their window without ringing for them: they are due, and keep their places', async () => {
    await limitTo(3);
    const all = await queue(4);
    const roomForOne: FlowGatekeeperDeps['windowRoom'] = {
      take: async (_company, ids) => ({ ids: new Set(ids.slice(0, 1)), fresh: ids.slice(0, 1) }),
      giveBack: () => undefined,
    };
    const { keeper, rung } = gatekeeper([], undefined, roomForOne);
    await keeper.admit(flow);
    expect(rung).toEqual(all.slice(0, 1));
    const states = await stored()
      .find({ _id: { $in: all } }, { sort: { _id: 1 } })
      .toArray();
    expect(states.map(({ state, ready, queued }) => [state, ready ?? false, queued ?? false])).toEqual([
      ['RUN', false, false],
      ['DEFERRED', true, false],
      ['DEFERRED', true, false],
      ['DEFERRED', false, true],
    ]);
    expect((await gates.read(flow)).holders).toEqual(all.slice(0, 3));
  });

  it('takes the place back from a play that was put on hold between place and admission', async () => {
    await limitTo(1);
    const [first = '', second = ''] = await queue(2);
    let held = false;
    const { rung } = gatekeeper();
    const slow = new FlowGatekeeper({
      gates: {
        read: (key) => gates.read(key),
        release: (key, ids) => gates.release(key, ids),
        change: async (gate, next) => {
          const changed = await gates.change(gate, next);
          if (!held) await command(first, 'hold');
          held = true;
          return changed;
        },
        enter: async (key, ids, limit) => {
          const fresh = await gates.enter(key, ids, limit);
          if (!held) await command(first, 'hold');
          held = true;
          return fresh;
        },
      },
      plays,
      doorbell: {
        ring: (jobs) => {
          rung.push(...jobs.map(({ playId }) => playId));
          return Promise.resolve(true);
        },
      },
      windowRoom: ROOM_FOR_ALL,
      windowSize: () => WINDOW,
      serverNow: () => mongo.serverNow(),
      announce: () => undefined,
    });
    await slow.admit(flow);
    expect(rung).toEqual([second]);
    expect(await holders()).toEqual([second]);
  });

  it('follows a limit that is raised, lowered and taken away', async () => {
    await limitTo(1);
    const all = await queue(8);
    const { keeper, rung } = gatekeeper();
    await keeper.admit(flow);
    await limitTo(4);
    await keeper.admit(flow);
    expect(rung).toEqual(all.slice(0, 4));
    await limitTo(2);
    await end(all[0] ?? '');
    await keeper.release(flow, all.slice(0, 1));
    expect(rung).toHaveLength(4);
    await limitTo(null);
    await keeper.heal(flow);
    expect(rung).toEqual(all);
  });

  it('never has more in than the company’s window, whatever the limit', async () => {
    await limitTo(1_000);
    await queue(WINDOW + 5);
    const { keeper, rung } = gatekeeper();
    await keeper.admit(flow);
    expect(rung).toHaveLength(WINDOW);
  });

  it('names the flows that have a queue one after the other', async () => {
    const before = flow;
    await queue(2);
    flow = { companyId: flow.companyId, flowId: newId() };
    await queue(1);
    const first = await plays.nextWithQueue({ companyId: flow.companyId, flowId: '' });
    expect(first).toEqual(before);
    expect(await plays.nextWithQueue(before)).toEqual(flow);
    expect(await plays.nextWithQueue({ companyId: flow.companyId })).toEqual(await plays.nextWithQueue(flow));
    expect(await plays.countQueued(flow.companyId, 10)).toBe(3);
    expect(await plays.countQueued(flow.companyId, 2)).toBe(2);
  });
});
