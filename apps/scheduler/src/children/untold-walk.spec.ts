import type { UntoldPlay } from '@weft/persistence';
import { describe, expect, it } from 'vitest';
import { UntoldWalk } from './untold-walk.js';

const children = (count: number): UntoldPlay[] =>
  Array.from({ length: count }, (_, n) => ({ _id: `child${n}` }) as UntoldPlay);

/** Children whose parents are told until `told` has them; those of `deaf` never are. */
function setUp(all: readonly UntoldPlay[], deaf: (id: string) => 'throws' | 'moves' | null) {
  const told: string[] = [];
  const faults: unknown[] = [];
  const walk = new UntoldWalk({
    untold: (limit, except) =>
      Promise.resolve(all.filter(({ _id }) => !told.includes(_id) && !except.includes(_id)).slice(0, limit)),
    tell: ({ _id }) => {
      const how = deaf(_id);
      if (how === 'throws') return Promise.reject(new Error(`no room in the parent of ${_id}`));
      if (how === null) told.push(_id);
      return Promise.resolve(how === null);
    },
    onFault: (error) => faults.push(error),
  });
  return { walk, told, faults };
}

describe('UntoldWalk', () => {
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
