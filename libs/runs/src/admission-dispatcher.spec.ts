import type { PlayJob } from '@weft/contracts';
import type { AskedRing } from '@weft/queue';
import { describe, expect, it, vi } from 'vitest';
import { AdmissionDispatcher } from './admission-dispatcher.js';

const job = (playId: string, companyId: string): PlayJob => ({ playId, companyId, flowId: 'f', epoch: 1 });
const SIZE = 64;
const SOON = { timeout: 60_000, interval: 5 };

type Groups = Parameters<ConstructorParameters<typeof AdmissionDispatcher>[0]['takeRoom']>[1];

/**
 * @param room free places by company, which others may change
 * @param othersWait plays of other processes wait as soon as a window is full
 */
function setUp(room: Record<string, number>, { fail = false, othersWait = true } = {}) {
  const rung: string[] = [];
  const askedAt: number[] = [];
  const requests: [string, readonly string[]][] = [];
  const marked: string[] = [];
  const counted = new Map<string, number>();
  const refilled: string[] = [];
  let notRung = 0;
  const waits = new Set<string>();
  const window = {
    takeRoom: (_size: unknown, groups: Groups) => {
      if (fail) return Promise.reject(new Error('Redis is unreachable'));
      const replies = [...groups].map(([company, { ids, more = 0, asksAgain }]) => {
        if (ids.length > 0) requests.push([company, ids]);
        const free = room[company] ?? 0;
        const taken = waits.has(company) ? [] : ids.slice(0, free);
        room[company] = free - taken.length;
        const left = more + (asksAgain && !othersWait ? 0 : ids.length - taken.length);
        if (left > 0 && room[company] <= 0) waits.add(company);
        return [
          company,
          { ids: new Set(taken), fresh: taken, room: room[company], waits: waits.has(company) },
        ] as const;
      });
      return Promise.resolve(new Map(replies));
    },
  };
  const doorbell = {
    isTooLate: (askedAtMs: number) => askedAtMs < 0,
    ringEach: (asked: readonly AskedRing[]) => {
      rung.push(...asked.map((one) => one.job.playId));
      askedAt.push(...asked.map((one) => one.askedAtMs));
      return Promise.resolve(true);
    },
  };
  const refiller = { refillSoon: (company: string) => void refilled.push(company), settled: () => Promise.resolve() };
  const dispatcher = new AdmissionDispatcher(window, doorbell, refiller, {
    windowSizes: () => () => SIZE,
    mark: (jobs) => Promise.resolve(void marked.push(...jobs.map(({ playId }) => playId))),
    onMarked: (company, count) => counted.set(company, (counted.get(company) ?? 0) + count),
    onNotRung: (count) => (notRung += count),
  });
  const dispatch = (
    playId: string,
    company = 'a',
    change: { priority?: number; isMarked?: boolean; at?: number } = {},
  ) => {
    const { priority = 0, isMarked = false, at = performance.now() } = change;
    dispatcher.dispatch({ job: job(playId, company), priority, isMarked, askedAtMs: at });
  };
  return {
    dispatcher,
    dispatch,
    rung,
    askedAt,
    requests,
    marked,
    counted,
    refilled,
    waits,
    room,
    notRung: () => notRung,
  };
}

describe('AdmissionDispatcher', () => {
  it('rings, of what was accepted together, the oldest plays that each window has room for, and marks the others', async () => {
    const { dispatcher, dispatch, rung, requests, marked, counted } = setUp({ a: 2, b: 5 });
    for (const [id, company] of [
      ['p3', 'a'],
      ['p1', 'a'],
      ['p2', 'a'],
      ['p4', 'b'],
    ] as const) {
      dispatch(id, company);
    }
    await dispatcher.settled();
    expect(requests).toEqual([
      ['a', ['p1', 'p2', 'p3']],
      ['b', ['p4']],
    ]);
    expect(rung).toEqual(['p1', 'p2', 'p4']);
    expect([marked, [...counted]]).toEqual([['p3'], [['a', 1]]]);
  });

  it('rings, where there is not room for all, those with a higher priority first', async () => {
    const { dispatcher, dispatch, rung, requests } = setUp({ a: 3 });
    for (const [id, priority] of [
      ['p1', 0],
      ['p2', -1],
      ['p3', 5],
      ['p4', 0],
      ['p5', 9],
    ] as const) {
      dispatch(id, 'a', { priority });
    }
    await dispatcher.settled();
    expect(requests).toEqual([['a', ['p5', 'p3', 'p1', 'p4', 'p2']]]);
    expect(rung).toEqual(['p5', 'p3', 'p1']);
  });

  it('marks a play whose ring would come too late, and rings for those beside it', async () => {
    const { dispatcher, dispatch, rung, requests, marked, refilled } = setUp({ a: 5 });
    dispatch('p1', 'a', { at: 1 });
    dispatch('p2', 'a', { at: -1 });
    dispatch('p3', 'a', { at: 2 });
    await dispatcher.settled();
    expect(requests).toEqual([['a', ['p1', 'p3']]]);
    expect([rung, marked]).toEqual([['p1', 'p3'], ['p2']]);
    expect(refilled).toEqual(['a']);
  });

  it('says of which companies the next plays are to be inserted with their mark, and asks for no room for these', async () => {
    const { dispatcher, dispatch, rung, requests, marked, refilled, waits, room } = setUp({ a: 0, b: 9 });
    dispatch('p1');
    dispatch('p2', 'b');
    await dispatcher.settled();
    expect([dispatcher.isFull('a'), dispatcher.isFull('b')]).toEqual([true, false]);
    dispatch('p3', 'a', { isMarked: true });
    await dispatcher.settled();
    expect([requests.length, rung, marked, refilled]).toEqual([2, ['p2'], ['p1'], []]);
    // a refill has found all
    waits.clear();
    room.a = 3;
    dispatch('p4', 'a', { isMarked: true });
    await dispatcher.settled();
    expect([dispatcher.isFull('a'), refilled]).toEqual([false, ['a']]);
  });

  it.each([
    ['has been found full, and is less than three quarters full', true, SIZE, ['a']],
    ['has been found full, and is fuller than that', true, 2, []],
    ['nobody waits for', false, 2, ['a']],
  ] as const)('has a window refilled for plays that were inserted with their mark when it %s', async (...given) => {
    const [, isFull, free, expected] = given;
    const { dispatcher, dispatch, refilled, waits } = setUp({ a: free });
    if (isFull) waits.add('a');
    dispatch('p1', 'a', { isMarked: true });
    await dispatcher.settled();
    expect([refilled, dispatcher.isFull('a')]).toEqual([expected, isFull]);
  });

  it('has a window refilled in which room got free before the marks of those that found none were there', async () => {
    const { dispatcher, dispatch, marked, refilled, room } = setUp({ a: 0 });
    dispatch('p1');
    const ended = marked.push.bind(marked);
    marked.push = (...ids) => {
      room.a = SIZE;
      return ended(...ids);
    };
    await dispatcher.settled();
    expect([[...marked], refilled]).toEqual([['p1'], ['a']]);
  });

  it('marks what it accepts while Redis is unreachable, tells so, and has the next plays inserted with their mark', async () => {
    const { dispatcher, dispatch, rung, marked, notRung } = setUp({ a: 5 }, { fail: true });
    dispatch('p1');
    dispatch('p2');
    await dispatcher.settled();
    expect([rung, marked, dispatcher.isFull('a')]).toEqual([[], ['p1', 'p2'], true]);
    expect(notRung()).toBe(2);
  });

  it('lets plays that find no room wait for it, in order, and rings for them without a mark', async () => {
    const { dispatcher, dispatch, rung, marked, room } = setUp({ a: 1, b: 0 }, { othersWait: false });
    for (const id of ['p1', 'p2', 'p3']) dispatch(id);
    await vi.waitFor(() => expect(rung).toEqual(['p1']), SOON);
    room.a = 2;
    // it does not overtake those that wait
    dispatch('p4');
    dispatch('q1', 'b');
    await vi.waitFor(() => expect(rung).toEqual(['p1', 'p2', 'p3']), SOON);
    [room.a, room.b] = [1, 1];
    await dispatcher.settled();
    expect(rung.toSorted()).toEqual(['p1', 'p2', 'p3', 'p4', 'q1']);
    expect([marked, dispatcher.isFull('a')]).toEqual([[], false]);
  });

  it('marks those that wait for room here as soon as others wait, and those that have waited for long', async () => {
    const { dispatcher, dispatch, rung, marked, waits } = setUp({ a: 0, b: 0 }, { othersWait: false });
    for (const id of ['p1', 'p2']) dispatch(id);
    dispatch('q1', 'b');
    await vi.waitFor(() => expect(dispatcher.isFull('a')).toBe(false), SOON);
    waits.add('a');
    await vi.waitFor(() => expect(marked).toEqual(['p1', 'p2']), SOON);
    await dispatcher.settled();
    expect(marked).toEqual(['p1', 'p2', 'q1']);
    expect([rung, dispatcher.isFull('b')]).toEqual([[], true]);
  });

  it('lets no more than a thousand plays of a company wait here', async () => {
    const { dispatcher, dispatch, marked } = setUp({ a: 0 }, { othersWait: false });
    for (let i = 0; i <= 1_000; i += 1) dispatch(`p${String(i).padStart(4, '0')}`);
    await vi.waitFor(() => expect(marked).toContain('p1000'), SOON);
    await dispatcher.settled();
    expect(marked).toHaveLength(1_001);
  });

  it('rings for each play as of its own insert: an insert that took long does not make those beside it late', async () => {
    const { dispatcher, dispatch, askedAt } = setUp({ a: 2 });
    dispatch('p1', 'a', { at: 100 });
    dispatch('p2', 'a', { at: 5_000 });
    await dispatcher.settled();
    expect(askedAt).toEqual([100, 5_000]);
  });
});
