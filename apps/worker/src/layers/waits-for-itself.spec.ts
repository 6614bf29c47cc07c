import type { Play } from '@weft/engine';
import type { ParentPlay } from '@weft/persistence';
import { aPlay } from '@weft/testing';
import { describe, expect, it } from 'vitest';
import { waitsForKept } from './waits-for-itself.js';

const playOf = (playId: string, over: Partial<Play> = {}): Play => ({ ...aPlay({ playId, flowId: playId }), ...over });
const waitingFor = (playId: string): Pick<Play, 'waits'> => ({
  waits: { 0: { position: 0, ref: 'r', kind: 'play', since: new Date(), until: null, play: { playId } } },
});
const found = (plays: readonly ParentPlay[]) => ({
  parent: (_scope: unknown, playId: string) => Promise.resolve(plays.find(({ _id }) => _id === playId) ?? null),
});

describe('an open play that a layer could wait for', () => {
  const inLane = playOf('p', { lane: 'l', laneTurn: true });
  const inFlow = playOf('p', { flowId: 'f', limited: true });
  const queued = { flowId: 'f', limited: true, queued: true } as const;

  it.each<[string, boolean, Play, Partial<Play>]>([
    ['queues for the turn that the parent has', true, inLane, { lane: 'l', laneQueued: true }],
    ['queues for another turn', false, inLane, { lane: 'm', laneQueued: true }],
    ['queues for room in the flow of which the parent has a place', true, inFlow, queued],
    ['queues for room in another flow', false, inFlow, { ...queued, flowId: 'g' }],
    ['queues for another turn first', true, inFlow, { flowId: 'f', limited: true, lane: 'm', laneQueued: true }],
    ['has a place of that flow itself', false, inFlow, { flowId: 'f', limited: true }],
    ['queues, and the parent keeps nothing', false, playOf('p', { flowId: 'f' }), queued],
  ])('%s: a circle is certain: %s', async (_what, isCertain, parent, fields) => {
    const open = playOf('open', fields);
    expect(await waitsForKept(open, parent, found([open]))).toBe(isCertain);
    const [above, between] = [playOf('above', waitingFor('between')), playOf('between', waitingFor('open'))];
    expect(await waitsForKept(above, parent, found([between, open]))).toBe(isCertain);
  });

  it('waits for what a play keeps that waits for the parent', async () => {
    const parent = playOf('child', { parentPlayId: 'p', parentPending: true });
    const open = playOf('open', { lane: 'l', laneQueued: true });
    expect(await waitsForKept(open, parent, found([inLane]))).toBe(true);
    expect(await waitsForKept(open, { ...parent, parentPending: undefined }, found([inLane]))).toBe(false);
  });
});
