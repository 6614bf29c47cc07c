import type { EndedChild } from '@weft/store';
import { describe, expect, it } from 'vitest';
import { PendingParentScan } from './pending-parent-scan.js';

const children = (count: number): EndedChild[] =>
  Array.from({ length: count }, (_, n) => ({ _id: `child${n}` }) as EndedChild);

/** Children whose parents are pending until `told` contains them; parents of `deaf` children are never notified. */
function setUp(all: readonly EndedChild[], deaf: (id: string) => 'throws' | 'moves' | null) {
  const told: string[] = [];
  const faults: unknown[] = [];
  const walk = new PendingParentScan({
    pending: (limit, except) =>
      Promise.resolve(all.filter(({ _id }) => !told.includes(_id) && !except.includes(_id)).slice(0, limit)),
    notify: ({ _id }) => {
      const how = deaf(_id);
      if (how === 'throws') return Promise.reject(new Error(`no room in the parent of ${_id}`));
      if (how === null) told.push(_id);
      return Promise.resolve(how === null);
    },
    onFault: (error) => faults.push(error),
  });
  return { walk, told, faults };
}

describe('PendingParentScan', () => {
  it('tells the others beside a parent that cannot be told', async () => {
    const { walk, told, faults } = setUp(children(4), (id) => (id === 'child1' ? 'throws' : null));
    expect(await walk.pass()).toBe(3);
    expect(told).toEqual(['child0', 'child2', 'child3']);
    expect(faults).toEqual([new Error('no room in the parent of child1')]);
  });

  it('reaches a child after any number whose parents cannot be told', async () => {
    const { walk, told } = setUp(children(1_001), (id) => (id === 'child1000' ? null : 'moves'));
    for (let pass = 0; pass < 6; pass += 1) await walk.pass();
    expect(told).toEqual(['child1000']);
  });
});
