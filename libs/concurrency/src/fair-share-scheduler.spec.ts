import { describe, expect, it } from 'vitest';
import { FairShareScheduler, type ScheduledTask, type FairShareOptions } from './fair-share-scheduler.js';

const schedulerOf = (concurrency: number, maxWaiting = { perCompany: 100, total: 100 }) =>
  new FairShareScheduler<string>({ concurrency, maxWaiting });

/** Runs tasks, each of which is its duration in ms, on a simulated clock. */
class Machine {
  nowMs = 0;
  /** Companies, in the order in which their tasks were started. */
  readonly started: string[] = [];
  private readonly scheduler: FairShareScheduler<number>;
  private running: { readonly scheduled: ScheduledTask<number>; readonly endsMs: number }[] = [];

  constructor(options: Omit<FairShareOptions, 'maxWaiting'>) {
    this.scheduler = new FairShareScheduler({ ...options, maxWaiting: { perCompany: 10_000, total: 100_000 } });
  }

  send(company: string, durationMs: number, times = 1): void {
    for (let i = 0; i < times; i += 1) this.scheduler.add(company, durationMs, durationMs);
    this.startTasks();
  }

  /** Adds a task and waits until it is started. @returns how many tasks of other companies were started before it. */
  ask(company: string, durationMs: number): number {
    const before = this.started.length;
    this.send(company, durationMs);
    while (!this.started.slice(before).includes(company)) this.step();
    return this.started.slice(before).indexOf(company);
  }

  until(ms: number): void {
    while (this.nextMs() <= ms) this.step();
    this.nowMs = ms;
  }

  private nextMs(): number {
    const ends = this.running.map(({ endsMs }) => endsMs);
    return Math.min(...ends, this.scheduler.nextStartAtMs(this.nowMs) ?? Number.POSITIVE_INFINITY);
  }

  private step(): void {
    const nextMs = this.nextMs();
    if (nextMs === Number.POSITIVE_INFINITY) throw new Error('nothing is going to happen any more');
    this.nowMs = Math.max(this.nowMs, nextMs);
    const ended = this.running.filter(({ endsMs }) => endsMs <= this.nowMs);
    this.running = this.running.filter((each) => !ended.includes(each));
    for (const { scheduled } of ended) this.scheduler.end(scheduled, this.nowMs);
    this.startTasks();
  }

  private startTasks(): void {
    for (let next = this.scheduler.start(this.nowMs); next; next = this.scheduler.start(this.nowMs)) {
      this.started.push(next.companyId);
      this.running.push({ scheduled: next, endsMs: this.nowMs + next.task });
    }
  }
}

const CODE = { concurrency: 2, slow: { concurrency: 2, afterMs: 1_000 } };

describe('FairShareScheduler', () => {
  it('lets companies take turns, however much one of them has to do', () => {
    const scheduler = schedulerOf(10);
    for (const task of ['a1', 'a2', 'a3']) scheduler.add('a', task);
    scheduler.add('b', 'b1');
    scheduler.add('c', 'c1');
    expect(Array.from({ length: 6 }, () => scheduler.start(0)?.task)).toEqual([
      'a1',
      'b1',
      'c1',
      'a2',
      'a3',
      undefined,
    ]);
  });

  it('leaves one place free of the company that holds the others', () => {
    const scheduler = schedulerOf(3);
    for (const task of ['a1', 'a2', 'a3']) scheduler.add('a', task);
    const [first] = [scheduler.start(0), scheduler.start(0)];
    expect(scheduler.start(0)).toBeUndefined();
    scheduler.add('b', 'b1');
    expect(scheduler.start(0)?.task).toBe('b1');
    scheduler.end(first as ScheduledTask<string>, 1);
    expect(scheduler.start(1)?.task).toBe('a3');
  });

  it('refuses what is too much, for a company and for all', () => {
    const scheduler = schedulerOf(2, { perCompany: 2, total: 2 });
    expect(['a1', 'a2', 'a3'].map((task) => scheduler.add('a', task))).toEqual([true, true, false]);
    expect([scheduler.add('b', 'b1'), scheduler.add('b', 'b2')]).toEqual([true, false]);
    expect([scheduler.start(0), scheduler.start(0)].map((turn) => turn?.task)).toEqual(['a1', 'b1']);
    expect(scheduler.add('b', 'b2')).toBe(true);
  });

  it('refuses nobody for what others have waiting', () => {
    const scheduler = schedulerOf(2, { perCompany: 5, total: 20 });
    const send = (company: string) => Array.from({ length: 5 }, (_, i) => scheduler.add(company, `${company}${i}`));
    for (const company of ['b', 'c', 'd', 'e']) expect(send(company)).not.toContain(false);
    expect(send('a')).toEqual([true, true, true, true, false]);
    const others = Array.from({ length: 20 }, (_, i) => send(`f${i}`).filter((isTaken) => isTaken).length);
    expect([others[0], others.at(-1)]).toEqual([4, 1]);
  });

  it('lets shorter tasks go first of companies that have had the same', () => {
    const scheduler = schedulerOf(10);
    for (const [company, atMostMs] of [
      ['a', 30_000],
      ['b', 1_000],
      ['c', 2_000],
    ] as const) {
      scheduler.add(company, company, atMostMs);
    }
    expect([scheduler.start(0), scheduler.start(0), scheduler.start(0)].map((turn) => turn?.task)).toEqual([
      'b',
      'c',
      'a',
    ]);
  });

  it('forgets what is taken out before its turn', () => {
    const scheduler = schedulerOf(2, { perCompany: 1, total: 1 });
    scheduler.add('a', 'a1');
    expect([scheduler.remove('a', 'a1'), scheduler.remove('a', 'a1'), scheduler.remove('b', 'a1')]).toEqual([
      true,
      false,
      false,
    ]);
    expect(scheduler.start(0)).toBeUndefined();
    expect(scheduler.add('b', 'b1')).toBe(true);
    expect([scheduler.clear(), scheduler.start(0)]).toEqual([['b1'], undefined]);
  });
});

describe('the time that companies had', () => {
  it('comes out even, whatever their tasks take', () => {
    const machine = new Machine({ concurrency: 1 });
    machine.send('long', 1_000, 100);
    machine.send('short', 10, 9_000);
    machine.until(60_000);
    const had = (company: string, ms: number) => machine.started.filter((each) => each === company).length * ms;
    expect(Math.abs(had('long', 1_000) - had('short', 10))).toBeLessThanOrEqual(1_000);
  });

  it('counts against the turn of who had it and comes back', () => {
    const machine = new Machine({ concurrency: 1 });
    machine.send('busy', 30_000);
    machine.send('b', 10_000);
    machine.until(35_000);
    machine.send('busy', 30_000);
    for (let i = 0; i < 50; i += 1) expect(machine.ask('a', 1)).toBe(0);
    machine.until(100_000);
    expect(machine.started).toEqual(['busy', 'b', ...Array.from({ length: 50 }, () => 'a'), 'busy']);
  });

  it('is owed for no longer than others need to have as much', () => {
    const machine = new Machine({ concurrency: 1 });
    machine.send('busy', 5_000);
    for (const company of ['x', 'y']) machine.send(company, 100, 1_000);
    machine.until(5_000);
    expect(machine.ask('busy', 100)).toBeLessThanOrEqual(102);
  });

  it('is no credit of who had none for long', () => {
    const machine = new Machine({ concurrency: 1 });
    machine.send('a', 100, 1_000);
    machine.until(50_000);
    machine.send('late', 100, 1_000);
    const before = machine.started.length;
    machine.until(52_000);
    const since = machine.started.slice(before);
    expect(Math.abs(2 * since.filter((each) => each === 'late').length - since.length)).toBeLessThanOrEqual(2);
  });

  it('is forgotten when there is nothing to do', () => {
    const machine = new Machine({ concurrency: 1 });
    machine.send('a', 30_000);
    machine.until(31_000);
    machine.send('b', 10, 5);
    expect(machine.ask('a', 10)).toBeLessThanOrEqual(1);
  });
});

describe('tasks that take half a minute', () => {
  it.each([2, 3])('of %i companies keep another one waiting for none of their turns', (n) => {
    const machine = new Machine(CODE);
    for (let i = 0; i < n; i += 1) machine.send(`hostile ${i}`, 30_000, 10);
    for (const atMs of [500, 40_000, 100_000]) {
      machine.until(atMs);
      expect(machine.ask('a', 1)).toBe(0);
      expect(machine.nowMs - atMs).toBeLessThanOrEqual(1_000);
    }
  });

  it.each([4, 20])('of %i companies let another one in when the next of them ends', (n) => {
    const machine = new Machine(CODE);
    for (let i = 0; i < n; i += 1) machine.send(`hostile ${i}`, 30_000, 50);
    for (const atMs of [5_000, 95_000, 200_000, 333_000]) {
      machine.until(atMs);
      for (let i = 0; i < 20; i += 1) expect(machine.ask('a', 1)).toBe(0);
    }
  });

  it('keep their places while nobody else waits', () => {
    const scheduler = new FairShareScheduler<string>({ ...CODE, maxWaiting: { perCompany: 9, total: 9 } });
    for (const [company, task] of ['a1', 'b1', 'a2', 'b2'].map((each) => [each[0] ?? '', each] as const)) {
      scheduler.add(company, task);
    }
    expect([scheduler.start(0), scheduler.start(0)].map((turn) => turn?.displaced)).toEqual([null, null]);
    expect([scheduler.start(2_000), scheduler.nextStartAtMs(2_000)]).toEqual([undefined, null]);
    scheduler.add('c', 'c1');
    expect([scheduler.start(999), scheduler.nextStartAtMs(999)]).toEqual([undefined, 1_000]);
    expect(scheduler.start(1_000)).toMatchObject({ task: 'c1', displaced: 'a1' });
  });
});
