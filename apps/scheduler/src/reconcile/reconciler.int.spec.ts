import type { PlayState } from '@weft/contracts';
import { OpenPlay, PROTOCOL_TIMES, type Play } from '@weft/engine';
import { createIdSource } from '@weft/kernel';
import { Mongo, MongoPlayStore, OpenPlaysRepository, PLAYS, SystemScope, WindowPlaysRepository } from '@weft/store';
import { ensureIndexes } from '@weft/records';
import { Doorbell, QueueInspector, AdmissionWindow, WindowRefiller } from '@weft/queue';
import { QueueKeys, openRedis, type Redis } from '@weft/redis';
import { aPlay, liveMongo, liveRedis } from '@weft/testing';
import mongoose from 'mongoose';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Reconciler } from './reconciler.js';
import { WindowKeeper } from './window-keeper.js';
import { PlayChanges } from '@weft/runs';

const { BSON } = mongoose.mongo;
const liveDb = liveMongo();
const liveQueue = liveRedis();
const WINDOW = 10;
const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;

let mongo: Mongo;
let redis: Redis;
let plays: OpenPlaysRepository;
let run = 0;
let company = '';
let newId: () => string;

beforeAll(async () => {
  mongo = await Mongo.open({ uri: liveDb.uri, db: liveDb.db, appName: 'test' });
  await ensureIndexes(mongo);
  redis = openRedis(liveQueue.url, 'commands', 'test');
  await new Promise((resolve) => redis.once('ready', resolve));
  plays = new OpenPlaysRepository(mongo, new SystemScope('test'));
});
afterAll(async () => {
  redis.disconnect();
  await mongo.close();
});
beforeEach(async () => {
  run += 1;
  company = `company-${run}`;
  newId = createIdSource(() => Math.floor(mongo.serverNow()) - 60_000, run);
  await mongo.collection<Play>(PLAYS).deleteMany({});
});

/** A fresh queue, and a reconciler whose MongoDB has answered for long enough to reap. */
function setUp({ gapMs = 0, windowSize = WINDOW } = {}, labels = new Map<string, string>()) {
  /** How far MongoDB's clock is set forward, as this reconciler sees it. */
  const clock = { setByMs: 0 };
  const keys = new QueueKeys(`${liveQueue.prefix}-${run}`, 1);
  const labelOf = (companyId: string) => labels.get(companyId) ?? null;
  const queue = new QueueInspector(redis, keys, () => Promise.resolve(labels));
  const doorbell = new Doorbell(redis, keys, { ringByMs: 5_000, labelOf });
  const serverNow = () => mongo.serverNow() + clock.setByMs;
  const window = new AdmissionWindow(redis, keys);
  const announced: string[] = [];
  const signalled: string[] = [];
  const counted: Record<string, number> = {};
  const ended: [string, PlayState][] = [];
  const changes = new PlayChanges({
    store: new MongoPlayStore(mongo, { outcomePatienceMs: 0 }),
    notices: { announce: (_company, playId, seq) => void announced.push(`${playId} ${seq}`) },
    signals: { publish: (playId) => void signalled.push(playId) },
    figures: { ended: (play, state) => void ended.push([(play as OpenPlay)._id, state]) },
    notifyParent: () => undefined,
    eventsAwaited: () => undefined,
    queuesGoOn: () => undefined,
  });
  const stopping = new AbortController();
  const times = { ...PROTOCOL_TIMES, gapMs, leaseMs: 50, renewMs: 500 };
  const windowPlays = new WindowPlaysRepository(mongo, plays.scope);
  const refiller = new WindowRefiller(window, doorbell, windowPlays, {
    ...{ sizeOf: () => windowSize, serverNow },
    announce: (play, write) => changes.announce(play, write),
    onFault: (error) => {
      throw error;
    },
  });
  const windows = new WindowKeeper({ window, refiller, doorbell, plays, windowPlays, windowSize: () => windowSize });
  const make = (ofPlays: OpenPlaysRepository) =>
    new Reconciler({
      plays: ofPlays,
      queue,
      doorbell,
      windows,
      window,
      windowSize: () => windowSize,
      times,
      serverNow,
      changes,
      count: (action, count) => (counted[action] = (counted[action] ?? 0) + count),
      log: pino({ level: 'silent' }),
      stopping: stopping.signal,
    });
  const reconciler = make(plays);
  /** One pass of each loop, in an order in which each loop sees the effects of the earlier ones. */
  const pass = async (): Promise<void> => {
    for (const loop of reconciler.loops) await loop.pass();
  };
  const loopOf = (of: Reconciler) => (name: string) => {
    const found = of.loops.find((one) => one.name === name);
    if (!found) throw new Error(`no loop ${name}`);
    return found;
  };
  const loop = loopOf(reconciler);
  /** A second scheduler. */
  const another = (ofPlays = plays) => ({ loop: loopOf(make(ofPlays)) });
  return {
    ...{ clock, reconciler, pass, loop, another, refiller },
    queue,
    doorbell,
    window,
    keys,
    announced,
    signalled,
    counted,
    ended,
    stopping,
  };
}

async function insert(changes: Partial<Play> & { ageMs?: number } = {}): Promise<Play> {
  const { ageMs = 20_000, ...rest } = changes;
  const serverNow = new Date(mongo.serverNow() - ageMs);
  const play = aPlay({ playId: newId(), companyId: company, serverNow });
  const stored = { ...play, ...rest };
  await mongo.collection<Play>(PLAYS).insertOne(stored);
  return stored;
}

/** What MongoDB has written is not answered. */
function withLostAnswers(): OpenPlaysRepository {
  const plays = mongo.collection<Play>(PLAYS);
  const updateOne = async (...args: Parameters<typeof plays.updateOne>) => {
    await plays.updateOne(...args);
    throw new mongoose.mongo.MongoNetworkError('the answer was lost');
  };
  const without = Object.create(plays, { updateOne: { value: updateOne } }) as typeof plays;
  const lossy = Object.create(mongo, { collection: { value: () => without } }) as Mongo;
  return new OpenPlaysRepository(lossy, new SystemScope('test'));
}

/** Gives plays room in the window, as an API does. */
async function takeRoom({ window }: { readonly window: AdmissionWindow }, of: readonly Play[], size = WINDOW) {
  const ids = of.map(({ _id }) => _id);
  return (await window.takeRoom(() => size, new Map([[company, { ids }]]))).get(company);
}

/** An API marked them: they found no room. */
const MARKED = { ready: true } as const;

async function insertMany(count: number, changes: Parameters<typeof insert>[0] = {}): Promise<Play[]> {
  const first = await insert(changes);
  const others = Array.from({ length: count - 1 }, () => ({ ...first, _id: newId() }));
  await mongo.collection<Play>(PLAYS).insertMany(others);
  return [first, ...others];
}

function ring(doorbell: Doorbell, { _id, epoch }: Play): Promise<boolean> {
  return doorbell.ring([{ playId: _id, companyId: company, flowId: 'f', epoch }], performance.now());
}

/** A play whose document has room for about sixty more bytes. */
async function insertAlmostFull(changes: Partial<Play>): Promise<Play> {
  const { _id } = await insert(changes);
  const there = await mongo.collection<Play>(PLAYS).findOne({ _id });
  const inbox = { '7': '' };
  const room = MAX_DOCUMENT_BYTES - BSON.calculateObjectSize({ ...there, inbox }) - 60;
  await mongo.collection<Play>(PLAYS).updateOne({ _id }, { $set: { inbox: { '7': 'x'.repeat(room) } } });
  return { ...there, inbox } as Play;
}

async function stored(play: Play): Promise<Play> {
  const found = await mongo.collection<Play>(PLAYS).findOne({ _id: play._id });
  if (!found) throw new Error('the play is gone');
  return found;
}

/** For a play whose owner wrote its last heartbeat just now. */
const RUNNING = (owner: string) => ({ state: 'RUN', owner, ageMs: 0 }) as const;

async function renew({ _id }: Play): Promise<void> {
  await mongo.collection<Play>(PLAYS).updateOne({ _id }, { $currentDate: { heartbeatAt: true } });
}

/** Makes passes until the play has no owner: MongoDB must have answered for lease + renew before an owner is reaped. */
async function passUntilReaped(pass: () => Promise<void>, play: Play): Promise<void> {
  await expect
    .poll(
      async () => {
        await pass();
        return (await stored(play)).owner;
      },
      { interval: 20 },
    )
    .toBeUndefined();
}

describe('Reconciler', () => {
  it('raises and rings a play whose job is gone, and counts no crash', async () => {
    const { pass, queue, window, counted } = setUp();
    const play = await insert();
    await takeRoom({ window }, [play]);
    await pass();
    expect(await stored(play)).toMatchObject({ epoch: 2, strict: true, crashes: 0, state: 'NEW', seq: 1 });
    expect(await stored(play)).not.toHaveProperty('ready');
    expect(await window.rung(company)).toEqual([play._id]);
    expect(await queue.missing([{ playId: play._id, companyId: company, epoch: 2 }])).toEqual([]);
    expect(counted).toEqual({ raise: 1 });
  });

  it('moves plays that wait for a worker when their company gets another label, and leaves those that run', async () => {
    const labels = new Map<string, string>();
    const { pass, doorbell, queue, window, keys, counted } = setUp({}, labels);
    const [fresh, begun] = [await insert(), await insert({ state: 'RUN' })];
    const running = await insert({ state: 'RUN', owner: 'w:1' });
    await takeRoom({ window }, [fresh, begun, running]);
    for (const play of [fresh, begun]) await ring(doorbell, play);
    const epochs = () => Promise.all([fresh, begun, running].map(async (play) => (await stored(play)).epoch));
    await pass();
    expect(await epochs()).toEqual([1, 1, 1]);
    labels.set(company, 'acme');
    await pass();
    expect(await epochs()).toEqual([2, 2, 1]);
    expect(counted).toEqual({ raise: 2 });
    const acme = keys.of('acme');
    const moved = await Promise.all([fresh, begun].map(({ _id }) => redis.exists(acme.job(0, `${_id}-2`))));
    expect(moved).toEqual([1, 1]);
    const waiting = (await queue.shards()).map((shard) => [shard.label, shard.waiting]);
    // the former ones are of an epoch that has passed: a worker that takes them drops them
    expect(waiting).toEqual([
      [null, 2],
      ['acme', 2],
    ]);
  });

  it('looks twice: a ring that comes late, or a play that moved, is not raised', async () => {
    const { loop, doorbell, window, keys } = setUp();
    const [rung, moved, lost] = [await insert(), await insert(), await insert()];
    await takeRoom({ window }, [rung, moved, lost]);
    await loop('lost rings').pass();
    await ring(doorbell, rung);
    await mongo.collection<Play>(PLAYS).updateOne({ _id: moved._id }, { $set: { owner: 'w:1' } });
    await loop('second looks').pass();
    await loop('windows').pass();
    const epochs = await Promise.all([rung, moved, lost].map(async (play) => (await stored(play)).epoch));
    expect(epochs).toEqual([1, 1, 2]);
    expect(await redis.exists(keys.job(0, `${lost._id}-2`))).toBe(1);
  });

  it('leaves the second look to later while it is too early', async () => {
    const { pass } = setUp({ gapMs: 3_600_000 });
    const play = await insert();
    await pass();
    await pass();
    expect((await stored(play)).epoch).toBe(1);
  });

  it('leaves a play alone whose job is there, and one that is young', async () => {
    const { pass, doorbell } = setUp();
    const rung = await insert();
    const young = await insert({ ageMs: 100 });
    await doorbell.ring([{ playId: rung._id, companyId: company, flowId: 'f', epoch: 1 }], performance.now());
    await pass();
    expect((await stored(rung)).epoch).toBe(1);
    expect((await stored(young)).epoch).toBe(1);
  });

  it('looks again at everything when Redis lost its data', async () => {
    const { pass, doorbell, keys } = setUp();
    const play = await insert();
    await doorbell.ring([{ playId: play._id, companyId: company, flowId: 'f', epoch: 1 }], performance.now());
    await pass();
    await redis.del(keys.job(0, `${play._id}-1`), keys.generation(0));
    await pass();
    expect((await stored(play)).epoch).toBe(2);
  });

  it('raises all plays whose jobs are there in a list that is gone', async () => {
    const { pass, doorbell, keys, window, queue } = setUp();
    const all = [await insert(), await insert(), await insert()];
    await takeRoom({ window }, all);
    for (const play of all) await ring(doorbell, play);
    await pass();
    await redis.del(keys.jobs(0, 'wait'));
    await pass();
    const epochs = await Promise.all(all.map(async (play) => (await stored(play)).epoch));
    expect(epochs).toEqual([2, 2, 2]);
    expect((await queue.depth()).waiting).toBe(3);
  });

  it('raises a play whose job is in no list, beside others, when all are looked at', async () => {
    const { reconciler, pass, doorbell, keys, window } = setUp();
    const [lost, rung] = [await insert(), await insert()];
    await takeRoom({ window }, [lost, rung]);
    for (const play of [lost, rung]) await ring(doorbell, play);
    await pass();
    expect(await redis.lrem(keys.jobs(0, 'wait'), 1, `${lost._id}-1`)).toBe(1);
    await pass();
    expect((await stored(lost)).epoch).toBe(1);
    reconciler.forgetSeen();
    await pass();
    expect([(await stored(lost)).epoch, (await stored(rung)).epoch]).toEqual([2, 1]);
  });

  it('takes a play from an owner who is dead and counts the crash, and FAILs it at the third', async () => {
    const { pass, announced, ended } = setUp();
    const running = { state: 'RUN', owner: 'dead:1', heartbeatAt: new Date(mongo.serverNow() - 20_000) } as const;
    const first = await insert({ ...running, crashes: 0, key: 'k1' });
    const third = await insert({ ...running, crashes: 2, key: 'k2' });
    await passUntilReaped(pass, first);
    const reaped = await stored(first);
    expect(reaped).toMatchObject({ state: 'RUN', epoch: 2, crashes: 1, strict: true, key: 'k1' });
    expect(reaped.owner).toBeUndefined();
    const failed = await stored(third);
    expect(failed).toMatchObject({ state: 'FAIL', crashes: 3, error: { code: 'crashed_repeatedly' }, seq: 3 });
    expect(failed.key).toBe('k2');
    expect(failed.heartbeatAt).toBeUndefined();
    expect(failed.completedAt).toBeInstanceOf(Date);
    expect(announced).toEqual([`${third._id} 3`]);
    expect(ended).toEqual([[third._id, 'FAIL']]);
  });

  it('reaps, starts and ends other plays beside one that MongoDB refuses to grow, and FAILs that one', async () => {
    const { pass, counted, announced } = setUp();
    const dueAt = new Date(mongo.serverNow() - 5_000);
    const full = await insertAlmostFull({ state: 'DEFERRED', dueAt, heartbeatAt: undefined });
    const neighbour = await insert({ state: 'DEFERRED', dueAt, heartbeatAt: undefined as never });
    const late = await insert({ deadlineAt: dueAt });
    const dead = await insert({ state: 'RUN', owner: 'dead:1', heartbeatAt: new Date(mongo.serverNow() - 20_000) });

    await passUntilReaped(pass, dead);
    expect(await stored(neighbour)).toMatchObject({ state: 'RUN', epoch: 2 });
    expect((await stored(late)).state).toBe('FAIL');
    const ended = await stored(full);
    expect(ended).toMatchObject({ state: 'FAIL', error: { code: 'output_too_large' }, seq: 3 });
    expect(ended).not.toHaveProperty('inbox');
    expect(announced).toContain(`${full._id} 3`);
    expect(counted).toMatchObject({ refused_write: 1, too_large: 1, due: 1 });
  });

  it('counts and shows an end that MongoDB has stored, but whose answer was lost', async () => {
    const at = setUp();
    const [late, other] = [await insert({ deadlineAt: new Date(mongo.serverNow() - 5_000) }), await insert()];
    const loop = at.another(withLostAnswers()).loop('time limits');
    await expect(loop.pass()).rejects.toThrow('the answer was lost');
    expect((await stored(late)).state).toBe('FAIL');
    await loop.pass();
    await expect.poll(() => at.ended).toEqual([[late._id, 'FAIL']]);
    expect([at.announced, (await stored(other)).state]).toEqual([[`${late._id} 3`], 'NEW']);
  });

  it('goes on with each kind of healing while all others wait for answers that do not come', async () => {
    const { reconciler } = setUp();
    const dead = await insert({ state: 'RUN', owner: 'dead:1', heartbeatAt: new Date(mongo.serverNow() - 20_000) });
    const never = () => new Promise<never>(() => undefined);
    const stuck = reconciler.loops.filter(({ name }) => name !== 'dead owners');
    expect(stuck.length).toBeGreaterThan(5);
    for (const loop of stuck) vi.spyOn(loop, 'pass').mockImplementation(never);
    void reconciler.heal(...stuck.map(({ name }) => name));
    const ownerAfterPass = () => reconciler.heal('dead owners').then(async () => (await stored(dead)).owner);
    await expect.poll(ownerAfterPass).toBeUndefined();
  });

  it.each([10_000, 3_600_000])(
    'does not reap owners who renew when MongoDB’s clock is ahead of theirs by %i ms',
    async (setByMs) => {
      const { pass, clock } = setUp();
      const [alive, dead] = [await insert(RUNNING('alive:1')), await insert(RUNNING('dead:1'))];
      clock.setByMs = setByMs;
      await passUntilReaped(async () => {
        await renew(alive);
        await pass();
      }, dead);
      expect(await stored(alive)).toMatchObject({ owner: 'alive:1', epoch: 1, crashes: 0 });
    },
  );

  it.each([10_000, 3_600_000])(
    'reaps a dead owner although MongoDB’s clock was set back by %i ms since its last sign of life',
    async (setByMs) => {
      const { pass, clock } = setUp();
      const before = await insert(RUNNING('dead:1'));
      await pass();
      const last = await insert(RUNNING('dead:2'));
      clock.setByMs = -setByMs;
      await passUntilReaped(pass, before);
      await passUntilReaped(pass, last);
    },
  );

  it('reaps a dead owner whose sign of life is older than those that were seen while the clock was ahead', async () => {
    const { pass, clock } = setUp();
    clock.setByMs = 3_600_000;
    const ahead = await insert({ ...RUNNING('ahead:1'), heartbeatAt: new Date(mongo.serverNow() + 3_000_000) });
    await passUntilReaped(pass, ahead);
    clock.setByMs = 0;
    const dead = await insert(RUNNING('dead:1'));
    await passUntilReaped(pass, dead);
  });

  it('reaps the owner of a released play, also when MongoDB failed while it looked', async () => {
    const { pass } = setUp();
    const held = await insert({ ...RUNNING('dead:1'), state: 'ON_HOLD', held: 'RUN' });
    const other = await insert(RUNNING('dead:2'));
    await passUntilReaped(pass, other);
    await mongo
      .collection<Play>(PLAYS)
      .updateOne({ _id: held._id }, { $set: { state: 'RUN' }, $unset: { held: 1 }, $inc: { seq: 1 } });
    const failing = vi.spyOn(plays, 'writeTogether').mockRejectedValueOnce(new Error('MongoDB is away'));
    // not each pass has something to write: on a busy machine MongoDB may just have been silent for too long to reap
    const fault = () => pass().then(() => null, String);
    await expect.poll(fault, { interval: 20 }).toContain('MongoDB is away');
    failing.mockRestore();
    await passUntilReaped(pass, held);
  });

  it('does not reap before MongoDB has answered for a while', async () => {
    const { pass } = setUp();
    const play = await insert({ state: 'RUN', owner: 'x:1', heartbeatAt: new Date(mongo.serverNow() - 20_000) });
    await pass();
    expect((await stored(play)).owner).toBe('x:1');
  });

  it('starts deferred plays that are due, and no others', async () => {
    const { pass, queue, announced } = setUp();
    const now = mongo.serverNow();
    const due = await insert({ state: 'DEFERRED', dueAt: new Date(now - 5), heartbeatAt: undefined as never });
    const later = await insert({ state: 'DEFERRED', dueAt: new Date(now + 60_000), heartbeatAt: undefined as never });
    await pass();
    expect(await stored(due)).toMatchObject({ state: 'RUN', epoch: 2, seq: 2 });
    expect((await stored(due)).dueAt).toBeUndefined();
    expect(await queue.missing([{ playId: due._id, companyId: company, epoch: 2 }])).toEqual([]);
    expect((await stored(later)).state).toBe('DEFERRED');
    expect(announced).toEqual([`${due._id} 2`]);
  });

  /** `count` plays that are due, each a millisecond after the one before. */
  async function insertDue(count: number, changes: Partial<Play> = {}): Promise<string[]> {
    const from = mongo.serverNow() - 10_000;
    const first = await insert({
      state: 'DEFERRED',
      dueAt: new Date(from),
      heartbeatAt: undefined as never,
      ...changes,
    });
    const others = Array.from({ length: count - 1 }, (_, i) => {
      return { ...first, _id: newId(), dueAt: new Date(from + i + 1) };
    });
    if (others.length > 0) await mongo.collection<Play>(PLAYS).insertMany(others);
    return [first._id, ...others.map(({ _id }) => _id)];
  }

  /** Ends those that are rung for, as a worker does, and refills their window. */
  async function endRung({ window, refiller }: ReturnType<typeof setUp>, of = company): Promise<string[]> {
    const running = { company_id: of, $or: [{ state: 'RUN' as const }, { _id: { $in: await window.rung(of) } }] };
    const ids = (await mongo.collection<Play>(PLAYS).find(running).toArray()).map(({ _id }) => _id);
    await mongo
      .collection<Play>(PLAYS)
      .updateMany({ _id: { $in: ids } }, { $set: { state: 'DONE' }, $unset: { heartbeatAt: 1 } });
    if (ids.length > 0) await window.finish(new Map([[of, ids]]));
    await refiller.refill(of);
    return ids;
  }

  it.each([
    ['delayed plays', {}],
    ['answers that do not come in time', { state: 'WAIT', seq: 1 }],
    ['plays that were let go when there was no room', { ready: true, limitKey: '' }],
  ] as const)('has no more %s in the queue than the window holds, and loses none', async (_what, changes) => {
    const at = setUp();
    const all = await insertDue(5 * WINDOW, changes);
    const order: string[] = [];
    await at.pass();
    expect((await at.queue.depth()).waiting).toBe(WINDOW);
    for (let round = 0; round < 30 && order.length < all.length; round += 1) {
      const rung = await mongo.collection<Play>(PLAYS).countDocuments({ company_id: company, state: 'RUN' });
      expect(rung).toBeGreaterThan(0);
      // what was rung before the wipe is still with its workers
      expect(rung).toBeLessThanOrEqual(round === 2 ? 2 * WINDOW : WINDOW);
      order.push(...(await endRung(at)).sort());
      if (round === 1) await liveQueue.wipe();
      if (round === 1) await at.pass();
    }
    expect(new Set(order)).toEqual(new Set(all));
    expect(order).toHaveLength(all.length);
    // in the order in which they became due
    expect(order.slice(0, WINDOW)).toEqual(all.slice(0, WINDOW));
    expect(await at.window.fill([company])).toEqual(new Map([[company, { rung: 0, waits: false }]]));
  });

  it('keeps to the window when two schedulers have plays go on side by side', async () => {
    const at = setUp();
    const all = await insertDue(3 * WINDOW);
    await Promise.all([at.loop('due plays').pass(), at.another().loop('due plays').pass(), at.pass()]);
    expect((await at.queue.depth()).waiting).toBe(WINDOW);
    expect((await at.window.rung(company)).sort()).toEqual(all.slice(0, WINDOW));
  });

  it('has the due plays of a company go on while more than a page of another one’s waits', async () => {
    const at = setUp();
    const many = await insertDue(600);
    const other = `z-${company}`;
    const [single = ''] = await insertDue(1, { company_id: other });
    await at.pass();
    expect(await mongo.collection<Play>(PLAYS).findOne({ _id: single })).toMatchObject({ state: 'RUN' });
    // at most one window of the other company precedes it in the queue, however many of its plays are due
    expect((await at.queue.depth()).waiting).toBe(WINDOW + 1);
    expect(await mongo.collection<Play>(PLAYS).countDocuments({ _id: { $in: many }, state: 'DEFERRED' })).toBe(
      600 - WINDOW,
    );
  });

  it('shares what gets free between plays that are due and new ones, and lets no new one overtake', async () => {
    const at = setUp();
    const due = await insertDue(3 * WINDOW);
    await at.pass();
    const fresh = await insertMany(3 * WINDOW, MARKED);
    const ids = fresh.map(({ _id }) => _id);
    await at.window.finish(new Map([[company, due.slice(0, 1)]]));
    expect(await takeRoom(at, fresh)).toMatchObject({ fresh: [], room: 1, waits: true });
    await endRung(at);
    const rung = new Set(await at.window.rung(company));
    expect(due.filter((id) => rung.has(id))).toEqual(due.slice(WINDOW, WINDOW + WINDOW / 2));
    expect(ids.filter((id) => rung.has(id))).toEqual(ids.slice(0, WINDOW / 2));
  });

  it('has due plays with a priority go on first, and those below 0 when no new play waits', async () => {
    const at = setUp();
    const low = await insertDue(WINDOW, { priority: -5 });
    await insertDue(WINDOW);
    const high = await insertDue(WINDOW, { priority: 5 });
    await at.pass();
    expect((await at.window.rung(company)).sort()).toEqual(high);
    const fresh = await insert(MARKED);
    await endRung(at);
    const beside = new Set(await at.window.rung(company));
    expect(beside).toContain(fresh._id);
    expect(low.filter((id) => beside.has(id))).toEqual([]);
    let ended = 1;
    while (ended > 0) ended = (await endRung(at)).length;
    expect(await mongo.collection<Play>(PLAYS).countDocuments({ _id: { $in: low }, state: 'DONE' })).toBe(WINDOW);
  });

  it('gives the place of a due play back that was cancelled meanwhile', async () => {
    const at = setUp();
    const [gone = '', stays = ''] = await insertDue(2);
    const due = plays.due.bind(plays);
    const stale = Object.assign(Object.create(plays) as OpenPlaysRepository, {
      due: async (...args: Parameters<typeof due>) => {
        const found = await due(...args);
        await mongo.collection<Play>(PLAYS).updateOne({ _id: gone }, { $set: { state: 'FAIL', epoch: 9 } });
        return found;
      },
    });
    await at.another(stale).loop('due plays').pass();
    expect(await at.window.rung(company)).toEqual([stays]);
  });

  it('queues a delayed play of a limited flow that is due, and rings nobody for it', async () => {
    const { pass, queue } = setUp();
    const dueAt = new Date(mongo.serverNow() - 5);
    const play = await insert({ state: 'DEFERRED', dueAt, limitKey: '', heartbeatAt: undefined as never });
    await pass();
    const after = await stored(play);
    expect(after).toMatchObject({ state: 'DEFERRED', epoch: 2, seq: 1, queues: [`flow:${play.flowId}`] });
    expect(after).not.toHaveProperty('dueAt');
    expect(await queue.missing([{ playId: play._id, companyId: company, epoch: 2 }])).toHaveLength(1);
  });

  it('FAILs open plays whose time limit is over, whatever they do, and tells their workers; no others', async () => {
    const { pass, queue, signalled } = setUp();
    const deadlineAt = new Date(mongo.serverNow() - 5);
    const states = ['NEW', 'RUN', 'WAIT', 'DEFERRED', 'ON_HOLD'] as const;
    const late = await Promise.all(states.map((state) => insert({ ageMs: 0, state, deadlineAt })));
    const early = await insert({ ageMs: 0, deadlineAt: new Date(deadlineAt.getTime() + 60_000) });
    await pass();
    for (const play of late) {
      const after = await stored(play);
      expect(after).toMatchObject({ state: 'FAIL', epoch: 2, seq: 3, error: { code: 'play_timeout' } });
      for (const field of ['deadlineAt', 'heartbeatAt']) expect(after).not.toHaveProperty(field);
    }
    expect((await stored(early)).state).toBe('NEW');
    expect(signalled.sort()).toEqual(late.map((play) => play._id).sort());
    expect((await queue.depth()).waiting).toBe(0);
  });

  it('ends plays that had to begin by now as SKIP, but those that have begun or are on hold', async () => {
    const { pass, signalled, queue } = setUp();
    const notAfter = new Date(mongo.serverNow() - 5);
    const states = ['NEW', 'RUN', 'DEFERRED'] as const;
    const late = await Promise.all(states.map((state) => insert({ ageMs: 0, state, notAfter })));
    const early = await insert({ ageMs: 0, notAfter: new Date(notAfter.getTime() + 60_000) });
    const begun = await insert({ ageMs: 0, state: 'RUN', owner: 'w:1', notAfter });
    const held = await insert({ ageMs: 0, state: 'ON_HOLD', held: 'NEW', notAfter });
    await pass();
    for (const play of late) {
      const after = await stored(play);
      expect(after).toMatchObject({ state: 'SKIP', epoch: 2, seq: 3, error: { code: 'too_late' } });
      for (const field of ['notAfter', 'heartbeatAt', 'key']) expect(after).not.toHaveProperty(field);
    }
    const left = await Promise.all([early, begun, held].map(async (play) => (await stored(play)).state));
    expect(left).toEqual(['NEW', 'RUN', 'ON_HOLD']);
    expect(signalled.sort()).toEqual(late.map((play) => play._id).sort());
    expect((await queue.depth()).waiting).toBe(0);
  });

  it('leaves plays that wait for room to their window, and has lost ones wait before them', async () => {
    const { pass, window, counted } = setUp();
    const lost = await insertMany(WINDOW);
    const waiting = await insertMany(5, MARKED);
    await takeRoom({ window }, lost);
    await pass();
    const epochs = async (of: readonly Play[]) => Promise.all(of.map(async (play) => (await stored(play)).epoch));
    expect([...(await epochs(lost)), ...(await epochs(waiting))]).toEqual([
      ...Array<number>(WINDOW).fill(2),
      1,
      1,
      1,
      1,
      1,
    ]);
    expect((await window.rung(company)).sort()).toEqual(lost.map(({ _id }) => _id));
    expect(counted).toEqual({ raise: WINDOW });
  });

  it('rings for plays that wait by their priority, and for no more than their window holds', async () => {
    const { pass, window, queue } = setUp();
    const low = await insertMany(WINDOW, { ...MARKED, priority: -1 });
    const plain = await insertMany(WINDOW - 2, MARKED);
    const high = await insert({ ...MARKED, priority: 5 });
    await pass();
    expect((await queue.depth()).waiting).toBe(WINDOW);
    expect(new Set(await window.rung(company))).toEqual(
      new Set([high, ...plain, ...low.slice(0, 1)].map(({ _id }) => _id)),
    );
    // their mark says that nobody has rung for them: no worker can have them
    for (const play of plain) expect(await stored(play)).toMatchObject({ epoch: 1 });
  });

  it('rings for no more than a window of plays when Redis has lost its data, and for all in the end', async () => {
    const windowSize = 1_000;
    const at = setUp({ windowSize });
    const { pass, window, queue } = at;
    const rung = await insertMany(windowSize);
    const waiting = await insertMany(500, MARKED);
    for (const play of rung.slice(0, 5)) await ring(at.doorbell, play);
    await liveQueue.wipe();
    await pass();
    expect((await queue.depth()).waiting).toBe(windowSize);
    expect(await window.rung(company)).toHaveLength(windowSize);
    // they end; each pass rings for the next ones, up to the last
    const done = new Set<string>();
    for (let round = 0; round < 6 && done.size < rung.length + waiting.length; round += 1) {
      const ended = await window.rung(company);
      expect(ended.length).toBeLessThanOrEqual(windowSize);
      await mongo
        .collection<Play>(PLAYS)
        .updateMany({ _id: { $in: ended } }, { $set: { state: 'DONE' }, $unset: { heartbeatAt: 1 } });
      await window.finish(new Map([[company, ended]]));
      ended.forEach((id) => done.add(id));
      await pass();
    }
    expect(done.size).toBe(rung.length + waiting.length);
    // those that may have been handed out before are claimed first
    const claimed = { _id: { $in: rung.map(({ _id }) => _id) }, epoch: 2, strict: true } as const;
    expect(await mongo.collection<Play>(PLAYS).countDocuments(claimed)).toBe(windowSize);
    const first = { _id: { $in: waiting.map(({ _id }) => _id) }, epoch: 1 } as const;
    expect(await mongo.collection<Play>(PLAYS).countDocuments(first)).toBe(500);
  });

  it('refills a window that Redis knows nothing of, once due plays have found no room in it', async () => {
    const at = setUp();
    const due = await insertDue(3);
    const full = await insertMany(WINDOW);
    await takeRoom(at, full);
    await at.loop('due plays').pass();
    await at.window.finish(new Map([[company, full.map(({ _id }) => _id)]]));
    await at.loop('windows').pass();
    expect((await at.window.rung(company)).sort()).toEqual(due);
    expect((await at.window.fill([company])).get(company)).toMatchObject({ waits: false });
  });

  it('rings for a play that a refill has given a place, and whose mark it has not removed: it died', async () => {
    const { pass, window, queue } = setUp();
    const play = await insert(MARKED);
    const others = await insertMany(WINDOW - 1, { ageMs: 0 });
    await takeRoom({ window }, [play, ...others]);
    const before = (await queue.depth()).waiting;
    await pass();
    expect(await stored(play)).toMatchObject({ epoch: 1 });
    expect(await stored(play)).not.toHaveProperty('ready');
    expect(await queue.missing([{ playId: play._id, companyId: company, epoch: 1 }])).toEqual([]);
    expect((await queue.depth()).waiting).toBeGreaterThan(before);
  });

  it('raises a play that was taken up and never rung because the process died', async () => {
    const { pass, window, queue } = setUp();
    const play = await insert();
    await takeRoom({ window }, [play]);
    await pass();
    expect((await stored(play)).epoch).toBe(2);
    expect((await queue.depth()).waiting).toBe(1);
  });

  it('takes members out of a window that have ended without their worker saying so', async () => {
    const { pass, window } = setUp();
    const ended = await insertMany(WINDOW);
    const waiting = await insertMany(2, MARKED);
    await takeRoom({ window }, ended);
    await mongo
      .collection<Play>(PLAYS)
      .updateMany(
        { _id: { $in: ended.map(({ _id }) => _id) } },
        { $set: { state: 'DONE' }, $unset: { heartbeatAt: 1 } },
      );
    await pass();
    expect((await window.rung(company)).sort()).toEqual(waiting.map(({ _id }) => _id));
  });
});
