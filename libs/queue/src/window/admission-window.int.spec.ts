import type { PlayJob } from '@weft/contracts';
import { QueueKeys, openRedis, type Redis } from '@weft/redis';
import { liveRedis } from '@weft/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { AdmissionWindow, isRefillDue, type RoomRequest } from './admission-window.js';
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
  window = new AdmissionWindow(redis, keys);
});
afterAll(() => redis.disconnect());
beforeEach(() => {
  companies += 1;
  company = `c${companies}`;
});

/** Ids in sort order: p000, p001, … */
const id = (n: number) => `p${String(n).padStart(5, '0')}`;
const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => id(from + i));
async function take(size: number, list: readonly string[], more: Omit<RoomRequest, 'ids'> = {}) {
  const reply = (await window.takeRoom(() => size, new Map([[company, { ids: list, ...more }]]))).get(company);
  return reply && { ...reply, ids: [...reply.ids] };
}
const finish = async (list: readonly string[]) => (await window.finish(new Map([[company, list]]))).get(company);
const fill = async () => (await window.fill([company])).get(company);

describe('AdmissionWindow', () => {
  it('gives room in order until it is full, and none while others wait', async () => {
    expect(await take(3, ids(0, 2))).toEqual({ ids: ids(0, 2), fresh: ids(0, 2), room: 1, waits: false });
    expect(await take(3, ids(2, 5))).toEqual({ ids: [id(2)], fresh: [id(2)], room: 0, waits: true });
    expect(await finish([id(0)])).toEqual({ rung: 2, waits: true });
    expect(await take(3, [id(5)])).toMatchObject({ ids: [], room: 1, waits: true });
    expect(await take(3, [id(3)], { isRefill: true })).toMatchObject({ ids: [id(3)], room: 0 });
    await window.openTo(company);
    await finish([id(1)]);
    expect(await take(3, [id(6)])).toMatchObject({ ids: [id(6)], waits: false });
  });

  it('is full for those that are only said to wait, not while it has room', async () => {
    expect(await take(1, [], { more: 1 })).toMatchObject({ room: 1, waits: false });
    expect(await take(1, [id(0)], { more: 1 })).toMatchObject({ ids: [id(0)], room: 0, waits: true });
  });

  it('lets new plays take room while those that found none ask again', async () => {
    expect(await take(1, ids(0, 2), { asksAgain: true })).toMatchObject({ ids: [id(0)], room: 0, waits: false });
    await finish([id(0)]);
    expect(await take(1, [id(1)], { asksAgain: true, more: 1 })).toMatchObject({ ids: [id(1)], waits: true });
  });

  it('gives a play one place, however often it asks, and says which are new', async () => {
    await take(3, ids(0, 2));
    expect(await take(3, ids(0, 3))).toMatchObject({ ids: [id(2), id(0), id(1)], fresh: [id(2)], waits: false });
    expect(await take(3, ids(0, 4))).toMatchObject({ fresh: [], room: 0, waits: true });
    expect(await take(3, [id(0)])).toMatchObject({ ids: [id(0)], fresh: [] });
  });

  it('counts a play that ends twice once', async () => {
    await take(2, ids(0, 2));
    expect(await finish([id(0)])).toEqual({ rung: 1, waits: false });
    expect(await finish([id(0)])).toEqual({ rung: 1, waits: false });
  });

  it('keeps companies apart, also from one whose window Redis fails for', async () => {
    const [broken, whole] = [`${company}-broken`, `${company}-whole`];
    await redis.set(keys.windowRung(broken), 'not a set');
    const groups = new Map([broken, whole].map((each) => [each, { ids: ids(0, 2) }]));
    const taken = await window.takeRoom(() => 1, groups);
    expect([...taken.keys()]).toEqual([whole]);
    expect(taken.get(whole)).toMatchObject({ fresh: [id(0)], waits: true });
    await expect(window.takeRoom(() => 5, new Map([[broken, { ids: ids(0, 2) }]]))).rejects.toThrow('WRONGTYPE');
    expect(await fill()).toEqual({ rung: 0, waits: false });
  });

  it('takes in and out as many plays at once as a large window has', async () => {
    expect((await take(20_000, ids(0, 9_000)))?.fresh).toHaveLength(9_000);
    expect(await window.rung(company)).toHaveLength(9_000);
    expect(await finish(ids(1, 9_000))).toEqual({ rung: 1, waits: false });
  });

  it('is refilled below three quarters, while others wait', () => {
    expect(isRefillDue({ rung: 74, waits: true }, 100)).toBe(true);
    expect(isRefillDue({ rung: 75, waits: true }, 100)).toBe(false);
    expect(isRefillDue({ rung: 0, waits: false }, 100)).toBe(false);
  });
});

describe('WindowRefiller', () => {
  /** The plays that wait, as MongoDB has them. */
  class Marked implements WaitingPlays {
    readonly marked = new Set<string>();
    looks = 0;
    /** Called before a look returns. */
    beforeLook: () => unknown = () => undefined;

    constructor(
      waiting: readonly string[],
      private readonly priorities: Readonly<Record<string, number>> = {},
    ) {
      for (const one of waiting) this.marked.add(one);
    }

    async waiting(_company: string, limit: number): Promise<PlayJob[]> {
      this.looks += 1;
      const priorityOf = (playId: string) => this.priorities[playId] ?? 0;
      const found = [...this.marked].sort((a, b) => priorityOf(b) - priorityOf(a) || (a < b ? -1 : 1)).slice(0, limit);
      await this.beforeLook();
      return found.map((playId) => ({ playId, companyId: company, flowId: 'f', epoch: 1 }));
    }

    takeUp(_company: string, jobs: readonly PlayJob[]): Promise<PlayJob[]> {
      return Promise.resolve(jobs.filter(({ playId }) => this.marked.delete(playId)));
    }

    due = () => Promise.resolve({ changes: [], isCut: false });
    goOn = () => Promise.resolve({ written: [], count: 0, failed: [] });
  }

  function refiller(size: number, plays: WaitingPlays) {
    const rung: string[] = [];
    const rings: number[] = [];
    const doorbell = {
      ring: (jobs: readonly PlayJob[]) => {
        rung.push(...jobs.map(({ playId }) => playId));
        rings.push(jobs.length);
        return Promise.resolve(true);
      },
    };
    const options = { sizeOf: () => size, serverNow: Date.now, announce: () => undefined, onFault: vi.fn() };
    return { rung, rings, it: new WindowRefiller(window, doorbell, plays, options) };
  }

  it('rings every waiting play once, in order, as the rung ones end, and opens the window to new ones', async () => {
    const all = ids(0, 25);
    await take(4, all);
    const { it: refill, rung } = refiller(4, new Marked(all.slice(4)));
    const order = all.slice(0, 4);
    for (let ended = 0; ended < 25; ended += 2) {
      await finish(all.slice(ended, ended + 2));
      await refill.refill(company);
      order.push(...rung.splice(0));
      if (order.length < 25) expect(await take(4, ['new'])).toMatchObject({ ids: [] });
    }
    expect(order).toEqual(all);
    expect(await fill()).toEqual({ rung: 0, waits: false });
    expect(await take(4, ['new'])).toMatchObject({ ids: ['new'] });
  });

  it('rings plays with a higher priority before all that wait, and those with a lower one when nobody else waits', async () => {
    const [first, low, normal, high, higher] = ids(0, 5) as [string, string, string, string, string];
    const plays = new Marked([low, normal, high, higher], { [low]: -1, [high]: 1, [higher]: 7 });
    const { it: refill, rung } = refiller(1, plays);
    await take(1, [first, higher, high, normal, low]);
    for (const running of [first, higher, high, normal]) {
      await finish([running]);
      await refill.refill(company);
    }
    expect(rung).toEqual([higher, high, normal, low]);
  });

  it('fills a large window in pieces, with every play once and in order', async () => {
    const all = ids(0, 5_000);
    const { it: refill, rung, rings } = refiller(4_200, new Marked(all));
    await refill.refill(company);
    expect(rung).toEqual(all.slice(0, 4_200));
    expect(Math.max(...rings)).toBeLessThanOrEqual(500);
    expect(await fill()).toEqual({ rung: 4_200, waits: true });
    await finish(rung);
    await refill.refill(company);
    expect(rung).toHaveLength(5_000);
    expect(await fill()).toEqual({ rung: 800, waits: false });
  });

  it('looks again at what was marked while it looked, once new plays take room again', async () => {
    const plays = new Marked([id(1)]);
    await take(1, [id(0), id(1)]);
    await finish([id(0)]);
    plays.beforeLook = () => plays.looks === 1 && plays.marked.add(id(2));
    const { it: refill, rung } = refiller(5, plays);
    await refill.refill(company);
    expect(rung).toEqual([id(1), id(2)]);
    expect(await fill()).toEqual({ rung: 2, waits: false });
  });

  it('rings for what another refill has given a place, and leaves what it has rung for', async () => {
    const plays = new Marked(ids(1, 4));
    await take(9, [id(1)], { isRefill: true }); // by a refill that died
    plays.beforeLook = () => plays.marked.delete(id(2)); // by one whose lock has expired
    const { it: refill, rung } = refiller(9, plays);
    await refill.refill(company);
    expect(rung).toEqual([id(1), id(3)]);
    expect((await window.rung(company)).sort()).toEqual([id(1), id(3)]);
  });

  it('leaves a company to the process that refills it, and asks for nothing while its window is full', async () => {
    const plays = new Marked([id(1)]);
    const { it: refill, rung } = refiller(1, plays);
    expect(await window.lockRefill(company)).toBe(true);
    expect(await window.lockRefill(company)).toBe(false);
    await refill.refill(company);
    await window.unlockRefill(company);
    await take(1, [id(0)]);
    await refill.refill(company);
    expect([rung, plays.looks]).toEqual([[], 0]);
    await finish([id(0)]);
    refill.refillSoon(company);
    await refill.settled();
    expect(rung).toEqual([id(1)]);
  });
});
