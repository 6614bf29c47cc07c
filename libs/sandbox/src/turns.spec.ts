import { describe, expect, it } from 'vitest';
import { Turns } from './turns.js';

const turnsOf = (places: number, limits = { perCompany: 100, total: 100 }) => new Turns<string>(places, limits);

describe('Turns', () => {
  it('lets companies take turns, however much one of them has to do', () => {
    const turns = turnsOf(10);
    for (const task of ['a1', 'a2', 'a3']) turns.add('a', task);
    turns.add('b', 'b1');
    turns.add('c', 'c1');
    expect(Array.from({ length: 6 }, () => turns.take()?.task)).toEqual(['a1', 'b1', 'c1', 'a2', 'a3', undefined]);
  });

  it('leaves one place free of the company that holds the others', () => {
    const turns = turnsOf(3);
    for (const task of ['a1', 'a2', 'a3']) turns.add('a', task);
    expect([turns.take(), turns.take(), turns.take()].map((next) => next?.task)).toEqual(['a1', 'a2', undefined]);
    turns.add('b', 'b1');
    expect(turns.take()?.task).toBe('b1');
    turns.end('a');
    expect(turns.take()?.task).toBe('a3');
  });

  it('refuses what is too much, for a company and for all', () => {
    const turns = turnsOf(2, { perCompany: 2, total: 3 });
    expect(['a1', 'a2', 'a3'].map((task) => turns.add('a', task))).toEqual([true, true, false]);
    expect([turns.add('b', 'b1'), turns.add('b', 'b2')]).toEqual([true, false]);
    turns.take();
    expect(turns.add('b', 'b2')).toBe(true);
  });

  it('forgets what is taken out before its turn', () => {
    const turns = turnsOf(2, { perCompany: 1, total: 1 });
    turns.add('a', 'a1');
    expect([turns.remove('a', 'a1'), turns.remove('a', 'a1'), turns.remove('b', 'a1')]).toEqual([true, false, false]);
    expect(turns.take()).toBeUndefined();
    expect(turns.add('b', 'b1')).toBe(true);
    expect([turns.clear(), turns.take()]).toEqual([['b1'], undefined]);
  });
});
