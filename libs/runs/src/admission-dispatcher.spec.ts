import type { PlayJob } from '@weft/contracts';
import type { AskedRing } from '@weft/queue';
import { describe, expect, it } from 'vitest';
import { AdmissionDispatcher } from './admission-dispatcher.js';

const job = (playId: string, companyId: string): PlayJob => ({ playId, companyId, flowId: 'f', epoch: 1 });

function setUp(room: Record<string, number>, fail = false, known: readonly string[] = []) {
  const rung: string[] = [];
  const askedAt: number[] = [];
  const admissions: [string, readonly string[]][] = [];
  const priorities: [string, unknown][] = [];
  const waiting = new Map<string, number>();
  let notRung = 0;
  const window = {
    admit: (
      size: number,
      groups: ReadonlyMap<string, readonly string[]>,
      prioritized: ReadonlyMap<string, unknown>,
    ) => {
      if (fail) return Promise.reject(new Error('Redis is unreachable'));
      admissions.push(...groups);
      priorities.push(...prioritized);
      return Promise.resolve(
        new Map(
          [...groups].map(([company, ids]) => {
            const others = ids.filter((id) => !known.includes(id));
            const admitted = Math.min(others.length, size, room[company] ?? 0);
            return [company, { admitted, waiting: others.length - admitted, known: new Set(known) }];
          }),
        ),
      );
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
  const dispatcher = new AdmissionDispatcher(window as never, doorbell as never, {
    windowSize: () => 64,
    onWaiting: (company, count) => waiting.set(company, count),
    onNotRung: (count) => (notRung += count),
  });
  return { dispatcher, rung, askedAt, admissions, priorities, waiting, notRung: () => notRung };
}

describe('AdmissionDispatcher', () => {
  it('rings, of what was accepted together, the oldest plays that each window has room for', async () => {
    const { dispatcher, rung, admissions, waiting } = setUp({ a: 2, b: 5 });
    for (const [id, company] of [
      ['p3', 'a'],
      ['p1', 'a'],
      ['p2', 'a'],
      ['p4', 'b'],
    ] as const) {
      dispatcher.dispatch(job(id, company), 0, performance.now());
    }
    await dispatcher.settled();
    expect(admissions).toEqual([
      ['a', ['p1', 'p2', 'p3']],
      ['b', ['p4']],
    ]);
    expect(rung).toEqual(['p1', 'p2', 'p4']);
    expect(waiting.get('a')).toBe(1);
  });

  it('does not ring for a play that a refill found before', async () => {
    const { dispatcher, rung } = setUp({ a: 2 }, false, ['p1', 'p3']);
    for (const id of ['p1', 'p2', 'p3', 'p4', 'p5']) dispatcher.dispatch(job(id, 'a'), 0, performance.now());
    await dispatcher.settled();
    expect(rung).toEqual(['p2', 'p4']);
  });

  it('leaves a play whose ring would come too late to the next refill, and rings for those beside it', async () => {
    const { dispatcher, rung, admissions, waiting } = setUp({ a: 5 });
    dispatcher.dispatch(job('p1', 'a'), 0, 1);
    dispatcher.dispatch(job('p2', 'a'), 0, -1);
    dispatcher.dispatch(job('p3', 'a'), 0, 2);
    await dispatcher.settled();
    expect(admissions).toEqual([
      ['a', ['p2']],
      ['a', ['p1', 'p3']],
    ]);
    expect(rung).toEqual(['p1', 'p3']);
    expect(waiting.get('a')).toBe(0);
  });

  it('rings, where there is not room for all, those with a higher priority first', async () => {
    const { dispatcher, rung, admissions, priorities } = setUp({ a: 3, b: 1 });
    for (const [id, priority] of [
      ['p1', 0],
      ['p2', -1],
      ['p3', 5],
      ['p4', 0],
      ['p5', 9],
    ] as const) {
      dispatcher.dispatch(job(id, 'a'), priority, performance.now());
    }
    dispatcher.dispatch(job('p6', 'b'), 0, performance.now());
    await dispatcher.settled();
    expect(admissions).toEqual([
      ['a', ['p5', 'p3', 'p1', 'p4', 'p2']],
      ['b', ['p6']],
    ]);
    expect(priorities).toEqual([['a', { above: 2, below: 1 }]]);
    expect(rung).toEqual(['p5', 'p3', 'p1', 'p6']);
  });

  it('rings nothing and tells so while Redis is unreachable', async () => {
    const { dispatcher, rung, notRung } = setUp({ a: 5 }, true);
    dispatcher.dispatch(job('p1', 'a'), 0, performance.now());
    dispatcher.dispatch(job('p2', 'a'), 0, performance.now());
    await dispatcher.settled();
    expect(rung).toEqual([]);
    expect(notRung()).toBe(2);
  });

  it('rings for each play as of its own insert: an insert that took long does not make those beside it late', async () => {
    const { dispatcher, askedAt } = setUp({ a: 2 });
    dispatcher.dispatch(job('p1', 'a'), 0, 100);
    dispatcher.dispatch(job('p2', 'a'), 0, 5_000);
    await dispatcher.settled();
    expect(askedAt).toEqual([100, 5_000]);
  });
});
