import type { Play } from '@weft/engine';
import { aPlay } from '@weft/testing';
import { describe, expect, it } from 'vitest';
import { childrenFirst, newestFirst } from './retry-order.js';

const play = (playId: string, flowId: string, over: Partial<Play> = {}): Play => ({
  ...aPlay({ playId, flowId }),
  ...over,
});
const childOf = ({ _id, flowId }: Play, playId: string, as: string, depth = 1) =>
  play(playId, as, { parentPlayId: _id, parent: { flowId, layer: 0, depth } });
const retryOf = ({ _id, flowId, chain, createdAt }: Play, playId: string) =>
  play(playId, flowId, { retryOf: _id, chain: chain ?? { first: _id, at: createdAt } });
const order = (plays: readonly Play[], parentFlows: Readonly<Record<string, string>> = {}) =>
  childrenFirst(plays, new Map(Object.entries(parentFlows))).map((group) => group.map(({ _id }) => _id));

const top = play('p1', 'outer');
const child = childOf(top, 'p2', 'inner');

describe('the order of a bulk retry', () => {
  it('has children before their parents, and plays that are not related together', () => {
    const leaf = childOf(child, 'p3', 'leaf', 2);
    expect(order([top, child, leaf, play('p4', 'other')])).toEqual([['p4', 'p3'], ['p2'], ['p1']]);
    const items = [5, 6, 7].map((n) => childOf(top, `p${n}`, 'inner'));
    expect(order([top, ...items])).toEqual([['p7', 'p6', 'p5'], ['p1']]);
    expect(order([])).toEqual([]);
  });

  it("has users' retries of children before their parents, and before retries of these", () => {
    const again = retryOf(child, 'p8');
    expect(order([top, again], { p2: 'outer' })).toEqual([['p8'], ['p1']]);
    expect(order([retryOf(top, 'p9'), again], { p2: 'outer' })).toEqual([['p8'], ['p9']]);
    expect(order([retryOf(retryOf(top, 'p7'), 'p9'), retryOf(again, 'pa')], { p2: 'outer' })).toEqual([['pa'], ['p9']]);
  });

  it('has what a retry has started before that retry, however deep the play was that was retried', () => {
    const again = retryOf(child, 'p8');
    expect(order([again, childOf(again, 'p9', 'leaf')], { p2: 'outer' })).toEqual([['p9'], ['p8']]);
  });

  it('has plays of a flow that starts itself one after another', () => {
    const deeper = childOf(top, 'p2', 'outer');
    expect(order([top, deeper, childOf(deeper, 'p3', 'outer', 2)])).toEqual([['p3'], ['p2'], ['p1']]);
  });
});

describe('the order in which ids are taken', () => {
  it('goes by the first play of each chain, the newest first, and keeps what is not stored', () => {
    const firsts = new Map(Object.entries({ p1: 'p1', p2: 'p2', p8: 'p2', p9: 'p1' }));
    expect(newestFirst(['p1', 'p9', 'p1x', 'p2', 'p8', 'p5'], firsts)).toEqual(['p5', 'p2', 'p8', 'p1x', 'p1', 'p9']);
  });
});
