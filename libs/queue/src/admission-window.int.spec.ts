import { liveRedis } from '@weft/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { PlayJob } from '@weft/contracts';
import { idBefore, lastIdAt } from '@weft/kernel';
import { QueueKeys, openRedis, type Redis } from '@weft/redis';
import { AdmissionWindow } from './admission-window.js';
import { WindowRefiller, type WaitingPlays } from './window-refiller.js';

const live = liveRedis();
const keys = new QueueKeys(live.prefix, 1);
let redis: Redis;
let window: AdmissionWindow;
let company = 'c0';
let companies = 0;

beforeAll(async () => {
  redis = openRedis(live.url, 'commands', 'test');
  await new Promise((resolve) => redis.once('ready', resolve));
  window = new AdmissionWindow(redis, keys, { serverNow: Date.now });
});
afterAll(() => redis.disconnect());
beforeEach(() => {
  companies += 1;
  company = `c${companies}`;
});

/** Ids in sort order: p000, p001, … */
const id = (n: number) => `p${String(n).padStart(18, '0')}0`;
const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => id(from + i));
const admit = async (size: number, list: string[]) =>
  (await window.admit(size, new Map([[company, list]]))).get(company);
const NONE = new Set<string>();
const NOBODY = { ids: [], cursor: '', exhausted: true };
const finish = async (list: string[]) => (await window.finish(new Map([[company, list]]))).get(company);

describe('AdmissionWindow', () => {
  it('admits in accept order until it is full, and nobody while others wait', async () => {
    expect(await admit(3, ids(0, 2))).toEqual({ admitted: 2, waiting: 0, known: NONE });
    expect(await admit(3, ids(2, 5))).toEqual({ admitted: 1, waiting: 2, known: NONE });
    expect(await finish([id(0)])).toEqual({ rung: 2, waiting: 2 });
    expect(await admit(3, [id(5)])).toEqual({ admitted: 0, waiting: 3, known: NONE });
    expect(await window.companiesWaiting()).toContain(company);
    expect(await window.stateOf(company)).toEqual({ cursor: id(2), waiting: 3 });
  });

  it('counts a play that ends twice once', async () => {
    await admit(2, ids(0, 2));
    expect(await finish([id(0)])).toEqual({ rung: 1, waiting: 0 });
    expect(await finish([id(0)])).toEqual({ rung: 1, waiting: 0 });
  });

  it('keeps companies apart', async () => {
    await admit(1, ids(0, 5));
    const other = await window.admit(1, new Map([[`${company}-other`, [id(9)]]]));
    expect(other.get(`${company}-other`)).toEqual({ admitted: 1, waiting: 0, known: NONE });
  });

  it('lets one refill at a time', async () => {
    await admit(1, ids(0, 3));
    const first = await window.beginRefill(company, 'a');
    expect(first).toMatchObject({ rung: 1, waiting: 2, cursor: id(0) });
    expect(await window.beginRefill(company, 'b')).toBeNull();
    if (!first) throw new Error('no refill');
    expect(await window.endRefill(company, first, { ...NOBODY, exhausted: false })).toEqual({
      waiting: 2,
      known: NONE,
    });
    expect(await window.beginRefill(company, 'b')).not.toBeNull();
  });

  it('does not forget plays that were accepted while a refill looked', async () => {
    await admit(1, ids(0, 2));
    const refill = await window.beginRefill(company, 'a');
    if (!refill) throw new Error('no refill');
    await admit(1, [id(2)]); // refused while the refill looks
    expect(await window.endRefill(company, refill, { ...NOBODY, ids: [id(1)], cursor: id(1) })).not.toMatchObject({
      waiting: 0,
    });
    const next = await window.beginRefill(company, 'b');
    if (!next) throw new Error('no refill');
    expect(await window.endRefill(company, next, { ...NOBODY, ids: [id(2)], cursor: id(2) })).toMatchObject({
      waiting: 0,
    });
    expect(await window.companiesWaiting()).not.toContain(company);
    expect(await admit(9, [id(3)])).toEqual({ admitted: 1, waiting: 0, known: NONE });
  });

  it('takes in and out as many plays at once as a large window has', async () => {
    const all = ids(0, 9_000);
    expect(await admit(10_000, all)).toMatchObject({ admitted: 9_000, waiting: 0 });
    await window.occupy(company, ids(9_000, 18_000));
    expect(await window.rung(company)).toHaveLength(18_000);
    expect(await finish(ids(1, 18_000))).toEqual({ rung: 1, waiting: 0 });
  });

  it('admits the plays of a company beside one whose window Redis fails for', async () => {
    const [broken, whole] = [`${company}-broken`, `${company}-whole`];
    await redis.set(keys.windowRung(broken), 'not a set');
    const groups = new Map([broken, whole].map((each) => [each, ids(0, 2)]));
    expect(await window.admit(5, groups)).toEqual(new Map([[whole, { admitted: 2, waiting: 0, known: NONE }]]));
    await expect(window.admit(5, new Map([[broken, ids(0, 2)]]))).rejects.toThrow('WRONGTYPE');
  });

  it('says since when it knows the plays of a company', async () => {
    const look = async (list: string[]) => (await window.look(new Map([[company, list]]))).get(company);
    expect(await look([id(1)])).toEqual({ cursor: '', waiting: 0, from: '', exists: false, rung: new Set() });
    const before = lastIdAt(Date.now());
    await admit(1, [id(1), id(3)]);
    const view = await look([id(1), id(3)]);
    expect(view).toMatchObject({ cursor: id(1), waiting: 1, exists: true, rung: new Set([id(1)]) });
    expect(view?.from && view.from >= before).toBe(true);
    await window.rewind(company, '0', id(3));
    expect(await look([id(1)])).toMatchObject({ cursor: '0', from: '0' });
  });

  it('neither admits nor counts a play that is in the window already', async () => {
    await admit(9, [id(2), id(4)]);
    expect(await admit(9, ids(1, 6))).toEqual({ admitted: 3, waiting: 0, known: new Set([id(2), id(4)]) });
    expect(await admit(3, [id(5), id(6), id(7)])).toEqual({ admitted: 0, waiting: 2, known: new Set([id(5)]) });
    expect(await redis.llen(keys.windowOutOfOrder(company))).toBe(0);
  });

  it('counts known plays by their priority', async () => {
    await window.occupy(company, [id(1), id(4)]);
    const groups = new Map([[company, [id(1), id(2), id(4), id(5), id(6), id(7)]]]);
    const prioritized = new Map([[company, { above: 2, below: 1 }]]);
    expect((await window.admit(5, groups, prioritized)).get(company)).toEqual({
      ...{ admitted: 3, waiting: 1, known: new Set([id(1), id(4)]) },
    });
    expect(await window.stateOf(company)).toEqual({ cursor: id(6), waiting: 1 });
    expect(await window.beginRefill(company, 'a')).toMatchObject({ hasPriorities: true });
  });

  it('deals with a long list of passed-over plays in pieces', async () => {
    await admit(1, [id(9_000)]);
    await admit(1, ids(0, 3_000));
    const refill = await window.beginRefill(company, 'a');
    if (!refill) throw new Error('no refill');
    expect(refill.outOfOrder).toEqual(ids(0, 200));
    await window.endRefill(company, refill, { ids: ids(0, 200), cursor: '', exhausted: true });
    expect(await redis.llen(keys.windowOutOfOrder(company))).toBe(2_800);
    expect((await window.beginRefill(company, 'b'))?.outOfOrder).toEqual(ids(1_000, 1_200));
  });

  it('finds a play that was stored after a refill looked, and before the last one that it took', async () => {
    await admit(1, ids(0, 2));
    const refill = await window.beginRefill(company, 'a');
    if (!refill) throw new Error('no refill');
    await admit(1, [id(3)]);
    await admit(1, [id(2)]);
    await admit(1, [id(4)]);
    await window.endRefill(company, refill, { ids: [id(1), id(3)], cursor: id(3), exhausted: false });
    expect(await window.beginRefill(company, 'b')).toMatchObject({ cursor: id(3), outOfOrder: [id(2)] });
  });
});

describe('WindowRefiller', () => {
  /**
   * @param stored ids of the plays that are NEW now
   * @param priorities of the plays that have one
   */
  function refiller(
    size: number,
    stored: Iterable<string>,
    priorities: Readonly<Record<string, number>> = {},
    { raising, of = window }: { raising?: (jobs: readonly PlayJob[]) => Promise<void>; of?: AdmissionWindow } = {},
  ) {
    const priorityOf = (playId: string) => priorities[playId] ?? 0;
    const rung: PlayJob[] = [];
    const raised: string[] = [];
    const silent = new Set<string>();
    const job = (playId: string): PlayJob => ({ playId, companyId: company, flowId: 'f', epoch: 1 });
    const plays: WaitingPlays = {
      newAfter: (_company, after, limit) => {
        const jobs = [...stored]
          .filter((one) => one > after && priorityOf(one) === 0)
          .sort()
          .slice(0, limit)
          .map(job);
        const to = jobs.at(-1)?.playId ?? after;
        return Promise.resolve({ jobs, to, isLast: jobs.length < limit, isSparse: false });
      },
      prioritized: (_company, side, limit, after) => {
        const all = [...stored]
          .filter((one) => (side === 'above' ? priorityOf(one) > 0 : priorityOf(one) < 0))
          .sort((a, b) => priorityOf(b) - priorityOf(a) || (a < b ? -1 : 1))
          .map((one) => ({ ...job(one), priority: priorityOf(one) }));
        const from = after ? all.findIndex(({ playId }) => playId === after.playId) + 1 : 0;
        return Promise.resolve(all.slice(from, from + limit));
      },
      due: () => Promise.resolve({ changes: [], isCut: false }),
      goOn: () => Promise.resolve({ written: [], count: 0, failed: [] }),
      newAmong: (_company, among) => {
        const found = [...stored].filter((one) => among.includes(one));
        const of = (isSilent: boolean) => found.filter((one) => silent.has(one) === isSilent).map(job);
        return Promise.resolve({ young: of(false), silent: of(true) });
      },
      reissue: async (jobs) => {
        await raising?.(jobs);
        raised.push(...jobs.map((one) => one.playId));
        return jobs.map((one) => ({ ...one, epoch: one.epoch + 1 }));
      },
    };
    const doorbell = {
      ring: (jobs: readonly PlayJob[]) => {
        rung.push(...jobs);
        return Promise.resolve(true);
      },
    };
    return {
      rung,
      raised,
      silent,
      it: new WindowRefiller(of, doorbell as never, plays, {
        ...{ window: () => size, serverNow: Date.now, announce: () => undefined },
        times: { ringByMs: 5_000 },
      }),
    };
  }

  it('rings a play that was accepted after the cursor had passed its id', async () => {
    expect(await admit(2, [id(1), id(3)])).toMatchObject({ admitted: 2 });
    expect(await admit(2, [id(2), id(4)])).toMatchObject({ admitted: 0, waiting: 2 });
    const { it: refill, rung } = refiller(2, [id(2), id(4)]);
    await finish([id(1)]);
    await refill.refill(company);
    expect(rung.map((job) => job.playId)).toEqual([id(2)]);
    await finish([id(2), id(3)]);
    await refill.refill(company);
    expect(rung.map((job) => job.playId)).toEqual([id(2), id(4)]);
    expect(await window.stateOf(company)).toMatchObject({ waiting: 0 });
  });

  it('rings once for a play that is stored, but not yet asked for a place, when a refill finds it', async () => {
    await admit(2, [id(0), id(1)]);
    await admit(2, [id(2)]);
    const stored = new Set([id(2), id(3)]); // 3: the process that accepted it has not gone on
    const { it: refill, rung } = refiller(4, stored);
    await refill.refill(company);
    expect(rung.map((job) => job.playId)).toEqual([id(2), id(3)]);
    expect(await admit(4, [id(3)])).toMatchObject({ admitted: 0, known: new Set([id(3)]) });
    await refill.refill(company);
    expect(rung).toHaveLength(2);
  });

  it('rings once for a play that got its place while a refill found it', async () => {
    await admit(1, [id(0)]);
    await admit(1, [id(1), id(2)]);
    const stored = {
      *[Symbol.iterator]() {
        void window.occupy(company, [id(1)]);
        yield* [id(1), id(2)];
      },
    };
    const { it: refill, rung } = refiller(4, stored);
    await refill.refill(company);
    expect(rung.map((job) => job.playId)).toEqual([id(2)]);
  });

  it('rings once for a play that is listed as out of order and found in order, too', async () => {
    await admit(1, [id(5)]);
    await admit(1, [id(1), id(2)]);
    await window.rewind(company, id(0), '');
    const { it: refill, rung } = refiller(4, [id(1), id(2)]);
    await refill.refill(company);
    expect(rung.map((job) => job.playId).sort()).toEqual([id(1), id(2)]);
  });

  it('raises one before the cursor that the reconciler may be looking for, too', async () => {
    await admit(2, [id(1), id(4)]);
    await admit(2, [id(2), id(3)]);
    const { it: refill, rung, raised, silent } = refiller(4, [id(2), id(3)]);
    silent.add(id(2));
    await finish([id(1)]);
    await refill.refill(company);
    expect(raised).toEqual([id(2)]);
    expect(rung.map(({ playId, epoch }) => [playId, epoch]).sort()).toEqual([
      [id(2), 2],
      [id(3), 1],
    ]);
  });

  it('does nothing where nobody waits', async () => {
    await admit(3, [id(0)]);
    expect(await window.beginRefill(company, 'a')).toBeNull();
    expect(await admit(3, [id(1)])).toEqual({ admitted: 1, waiting: 0, known: NONE });
  });

  it('rings every waiting play once, in order, as the rung ones end', async () => {
    const all = ids(0, 25);
    expect(await admit(4, all)).toMatchObject({ admitted: 4, waiting: 21 });
    const open = new Set(all);
    const { it: refill, rung } = refiller(4, open);
    const order = all.slice(0, 4);
    for (let ended = 0; ended < 25; ended += 2) {
      const done = all.slice(ended, ended + 2);
      done.forEach((one) => open.delete(one));
      await finish(done);
      await refill.refill(company);
      order.push(...rung.splice(0).map((job) => job.playId));
    }
    expect(order).toEqual(all);
    expect(await window.rung(company)).toEqual([]);
    expect(await window.stateOf(company)).toMatchObject({ waiting: 0 });
  });

  it('leaves nobody behind when the rung plays have begun and are not found among the new ones any more', async () => {
    const all = ids(0, 10);
    expect(await admit(4, all)).toMatchObject({ admitted: 4, waiting: 6 });
    const open = new Set(all);
    const { it: refill, rung } = refiller(4, open);
    all.slice(0, 4).forEach((one) => open.delete(one));
    await finish(all.slice(0, 1));
    await refill.refill(company);
    expect(rung.map((job) => job.playId)).toEqual([all[4]]);
    expect(await window.stateOf(company)).toMatchObject({ waiting: 5 });
  });

  it('raises, before it rings them, plays that may have been handed out before Redis lost its data', async () => {
    await window.rewind(company, idBefore(id(0), 1), id(1));
    const { it: refill, rung, raised } = refiller(10, ids(0, 4));
    await refill.refill(company);
    expect(raised).toEqual([id(0), id(1)]);
    expect(rung.map(({ playId, epoch }) => [playId, epoch])).toEqual([
      [id(0), 2],
      [id(1), 2],
      [id(2), 1],
      [id(3), 1],
    ]);
  });

  it('rings plays with a higher priority before all that wait, and those with a lower one when nobody else waits', async () => {
    const [first, low, normal, high, higher] = [id(0), id(1), id(2), id(3), id(4)];
    const priorities = { [low]: -1, [high]: 1, [higher]: 7 };
    const open = new Set([first, low, normal, high, higher]);
    const { it: refill, rung } = refiller(1, open, priorities);
    await admit(1, [first]);
    const lanes = new Map([[company, { above: 2, below: 1 }]]);
    await window.admit(1, new Map([[company, [higher, high, normal, low]]]), lanes);
    const order: string[] = [];
    for (let running = first; open.size > 0; running = order.at(-1) ?? '') {
      open.delete(running);
      await finish([running]);
      await refill.refill(company);
      order.push(...rung.splice(0).map((job) => job.playId));
    }
    expect(order).toEqual([higher, high, normal, low]);
    expect(await window.stateOf(company)).toMatchObject({ waiting: 0 });
    // nobody waits: a new play is rung for at once, whatever its priority
    expect(await admit(1, [id(5)])).toEqual({ admitted: 1, waiting: 0, known: NONE });
  });

  it('leaves plays alone that are rung already, though they are found by their priority', async () => {
    const [a, b, c] = [id(0), id(1), id(2)];
    const lanes = new Map([[company, { above: 3, below: 0 }]]);
    expect(await window.admit(2, new Map([[company, [a, b, c]]]), lanes)).toEqual(
      new Map([[company, { admitted: 2, waiting: 1, known: NONE }]]),
    );
    const { it: refill, rung } = refiller(2, [b, c], { [a]: 1, [b]: 1, [c]: 1 });
    await finish([a]);
    await refill.refill(company);
    expect(rung.map((job) => job.playId)).toEqual([c]);
  });

  it('finds a play with a priority that was never counted once it is told of it', async () => {
    await admit(1, ids(0, 3));
    const { it: refill, rung } = refiller(1, [id(1), id(2), id(9)], { [id(9)]: 3 });
    await window.expectPrioritized(company);
    await finish([id(0)]);
    await refill.refill(company);
    expect(rung.map((job) => job.playId)).toEqual([id(9)]);
  });

  it('fills a large window in pieces, with every play once and in order', async () => {
    const all = ids(0, 5_000);
    await window.rewind(company, idBefore(id(0), 1), id(4_999));
    const pieces: number[] = [];
    const raising = (jobs: readonly PlayJob[]) => Promise.resolve(void pieces.push(jobs.length));
    const { it: refill, rung } = refiller(4_200, all, {}, { raising });
    await refill.refill(company);
    expect(rung.map((job) => job.playId)).toEqual(all.slice(0, 4_200));
    expect(Math.max(...pieces)).toBeLessThanOrEqual(500);
    expect(await window.stateOf(company)).toMatchObject({ cursor: id(4_199) });
    await finish(all.slice(0, 4_200));
    await refill.refill(company);
    expect(rung).toHaveLength(5_000);
    expect(await window.stateOf(company)).toMatchObject({ waiting: 0 });
  });

  it('passes over any number of members with a priority', async () => {
    const members = ids(0, 1_200);
    const priorities = Object.fromEntries(ids(0, 1_201).map((one) => [one, 1]));
    await window.admit(1_200, new Map([[company, ids(0, 1_201)]]), new Map([[company, { above: 1_201, below: 0 }]]));
    const { it: refill, rung } = refiller(1_201, [...members, id(1_200)], priorities);
    await refill.refill(company);
    expect(rung.map((job) => job.playId)).toEqual([id(1_200)]);
  });

  it('keeps its lock while MongoDB takes long to raise, and rings', async () => {
    // renewed every half second: long compared with the pauses of a busy machine, and expired where it is not renewed
    const impatient = new AdmissionWindow(redis, keys, { serverNow: Date.now, refillLockMs: 2_000 });
    await impatient.rewind(company, idBefore(id(0), 1), id(1));
    let others = 0;
    const raising = async () => {
      let left = Number.POSITIVE_INFINITY;
      for (let kept = 0; kept < 3 && others === 0;) {
        const now = await redis.pttl(keys.windowRefill(company));
        if (now > left) kept += 1;
        left = now;
        others += (await impatient.beginRefill(company, 'b')) ? 1 : 0;
      }
    };
    const { it: refill, rung } = refiller(10, ids(0, 2), {}, { raising, of: impatient });
    await refill.refill(company);
    expect(others).toBe(0);
    expect(rung.map((job) => job.playId)).toEqual(ids(0, 2));
  });
});
