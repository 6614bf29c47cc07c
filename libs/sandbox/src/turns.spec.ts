import { describe, expect, it } from 'vitest';
import { Turns, type Turn, type TurnsOptions } from './turns.js';

const turnsOf = (places: number, limits = { perCompany: 100, total: 100 }) => new Turns<string>({ places, limits });

/** `name` of a company and how long its task takes, worked on by a clock that jumps. */
class Machine {
  nowMs = 0;
  /** Companies, in the order in which their tasks were begun. */
  readonly begun: string[] = [];
  private readonly turns: Turns<number>;
  private atWork: { readonly turn: Turn<number>; readonly endsMs: number }[] = [];

  constructor(options: Omit<TurnsOptions, 'limits'>) {
    this.turns = new Turns({ ...options, limits: { perCompany: 10_000, total: 100_000 } });
  }

  send(company: string, durationMs: number, times = 1): void {
    for (let i = 0; i < times; i += 1) this.turns.add(company, durationMs, durationMs);
    this.begin();
  }

  /** Sends a task and waits until it is begun. @returns how many tasks of others were begun before it. */
  ask(company: string, durationMs: number): number {
    const before = this.begun.length;
    this.send(company, durationMs);
    while (!this.begun.slice(before).includes(company)) this.step();
    return this.begun.slice(before).indexOf(company);
  }

  until(ms: number): void {
    while (this.nextMs() <= ms) this.step();
    this.nowMs = ms;
  }

  private nextMs(): number {
    const ends = this.atWork.map(({ endsMs }) => endsMs);
    return Math.min(...ends, this.turns.roomAtMs(this.nowMs) ?? Number.POSITIVE_INFINITY);
  }

  private step(): void {
    const nextMs = this.nextMs();
    if (nextMs === Number.POSITIVE_INFINITY) throw new Error('nothing is going to happen any more');
    this.nowMs = Math.max(this.nowMs, nextMs);
    const ended = this.atWork.filter(({ endsMs }) => endsMs <= this.nowMs);
    this.atWork = this.atWork.filter((each) => !ended.includes(each));
    for (const { turn } of ended) this.turns.end(turn, this.nowMs);
    this.begin();
  }

  private begin(): void {
    for (let turn = this.turns.take(this.nowMs); turn; turn = this.turns.take(this.nowMs)) {
      this.begun.push(turn.company);
      this.atWork.push({ turn, endsMs: this.nowMs + turn.task });
    }
  }
}

const CODE = { places: 2, slow: { places: 2, afterMs: 1_000 } };

describe('Turns', () => {
  it('lets companies take turns, however much one of them has to do', () => {
    const turns = turnsOf(10);
    for (const task of ['a1', 'a2', 'a3']) turns.add('a', task);
    turns.add('b', 'b1');
    turns.add('c', 'c1');
    expect(Array.from({ length: 6 }, () => turns.take(0)?.task)).toEqual(['a1', 'b1', 'c1', 'a2', 'a3', undefined]);
  });

  it('leaves one place free of the company that holds the others', () => {
    const turns = turnsOf(3);
    for (const task of ['a1', 'a2', 'a3']) turns.add('a', task);
    const [first] = [turns.take(0), turns.take(0)];
    expect(turns.take(0)).toBeUndefined();
    turns.add('b', 'b1');
    expect(turns.take(0)?.task).toBe('b1');
    turns.end(first as Turn<string>, 1);
    expect(turns.take(1)?.task).toBe('a3');
  });

  it('refuses what is too much, for a company and for all', () => {
    const turns = turnsOf(2, { perCompany: 2, total: 2 });
    expect(['a1', 'a2', 'a3'].map((task) => turns.add('a', task))).toEqual([true, true, false]);
    expect([turns.add('b', 'b1'), turns.add('b', 'b2')]).toEqual([true, false]);
    expect([turns.take(0), turns.take(0)].map((turn) => turn?.task)).toEqual(['a1', 'b1']);
    expect(turns.add('b', 'b2')).toBe(true);
  });

  it('refuses nobody for what others have waiting', () => {
    const turns = turnsOf(2, { perCompany: 5, total: 20 });
    const send = (company: string) => Array.from({ length: 5 }, (_, i) => turns.add(company, `${company}${i}`));
    for (const company of ['b', 'c', 'd', 'e']) expect(send(company)).not.toContain(false);
    expect(send('a')).toEqual([true, true, true, true, false]);
    const others = Array.from({ length: 20 }, (_, i) => send(`f${i}`).filter((isTaken) => isTaken).length);
    expect([others[0], others.at(-1)]).toEqual([4, 1]);
  });

  it('lets shorter tasks go first of companies that have had the same', () => {
    const turns = turnsOf(10);
    for (const [company, atMostMs] of [
      ['a', 30_000],
      ['b', 1_000],
      ['c', 2_000],
    ] as const) {
      turns.add(company, company, atMostMs);
    }
    expect([turns.take(0), turns.take(0), turns.take(0)].map((turn) => turn?.task)).toEqual(['b', 'c', 'a']);
  });

  it('forgets what is taken out before its turn', () => {
    const turns = turnsOf(2, { perCompany: 1, total: 1 });
    turns.add('a', 'a1');
    expect([turns.remove('a', 'a1'), turns.remove('a', 'a1'), turns.remove('b', 'a1')]).toEqual([true, false, false]);
    expect(turns.take(0)).toBeUndefined();
    expect(turns.add('b', 'b1')).toBe(true);
    expect([turns.clear(), turns.take(0)]).toEqual([['b1'], undefined]);
  });
});

describe('the time that companies had', () => {
  it('comes out even, whatever their tasks take', () => {
    const machine = new Machine({ places: 1 });
    machine.send('long', 1_000, 100);
    machine.send('short', 10, 9_000);
    machine.until(60_000);
    const had = (company: string, ms: number) => machine.begun.filter((each) => each === company).length * ms;
    expect(Math.abs(had('long', 1_000) - had('short', 10))).toBeLessThanOrEqual(1_000);
  });

  it('counts against the turn of who had it and comes back', () => {
    const machine = new Machine({ places: 1 });
    machine.send('busy', 30_000);
    machine.send('b', 10_000);
    machine.until(35_000);
    machine.send('busy', 30_000);
    for (let i = 0; i < 50; i += 1) expect(machine.ask('a', 1)).toBe(0);
    machine.until(100_000);
    expect(machine.begun).toEqual(['busy', 'b', ...Array.from({ length: 50 }, () => 'a'), 'busy']);
  });

  it('is owed for no longer than others need to have as much', () => {
    const machine = new Machine({ places: 1 });
    machine.send('busy', 5_000);
    for (const company of ['x', 'y']) machine.send(company, 100, 1_000);
    machine.until(5_000);
    expect(machine.ask('busy', 100)).toBeLessThanOrEqual(102);
  });

  it('is no credit of who had none for long', () => {
    const machine = new Machine({ places: 1 });
    machine.send('a', 100, 1_000);
    machine.until(50_000);
    machine.send('late', 100, 1_000);
    const before = machine.begun.length;
    machine.until(52_000);
    const since = machine.begun.slice(before);
    expect(Math.abs(2 * since.filter((each) => each === 'late').length - since.length)).toBeLessThanOrEqual(2);
  });

  it('is forgotten when there is nothing to do', () => {
    const machine = new Machine({ places: 1 });
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
    const turns = new Turns<string>({ ...CODE, limits: { perCompany: 9, total: 9 } });
    for (const [company, task] of ['a1', 'b1', 'a2', 'b2'].map((each) => [each[0] ?? '', each] as const)) {
      turns.add(company, task);
    }
    expect([turns.take(0), turns.take(0)].map((turn) => turn?.inPlaceOf)).toEqual([null, null]);
    expect([turns.take(2_000), turns.roomAtMs(2_000)]).toEqual([undefined, null]);
    turns.add('c', 'c1');
    expect([turns.take(999), turns.roomAtMs(999)]).toEqual([undefined, 1_000]);
    expect(turns.take(1_000)).toMatchObject({ task: 'c1', inPlaceOf: 'a1' });
  });
});
