import { describe, expect, it } from 'vitest';
import { RoundRobinQueue } from './round-robin-queue.js';

describe('a line of companies', () => {
  it('lets the companies take turns, each in its own order, nothing twice', () => {
    const line = new RoundRobinQueue<number>();
    for (const item of [1, 2, 3, 1]) line.add('a', item);
    line.add('b', 9);
    line.add('c', 7);
    line.add('c', 8);
    const order = Array.from({ length: 7 }, () => line.shift()?.item ?? null);
    expect([order, line.size]).toEqual([[1, 9, 7, 2, 8, 3, null], 0]);
  });

  it('passes over a company that is not ready, which is next when it is', () => {
    const line = new RoundRobinQueue<number>();
    line.add('a', 1);
    line.add('b', 2);
    expect(line.shift((id) => id !== 'a')).toEqual({ companyId: 'b', item: 2 });
    expect(line.shift((id) => id !== 'a')).toBe(null);
    expect([line.size, line.shift()]).toEqual([1, { companyId: 'a', item: 1 }]);
  });

  it('forgets what is taken out', () => {
    const line = new RoundRobinQueue<number>();
    for (const item of [1, 2]) line.add('a', item);
    line.add('b', 3);
    line.add('c', 4);
    line.delete('a', 1);
    line.delete('b', 3);
    line.deleteCompany('c');
    expect([line.size, line.shift()?.item, line.shift()]).toEqual([1, 2, null]);
  });
});
