import type { LayerWait } from '@weft/engine';
import { TenantScope, type Blocker, type WaitLink } from '@weft/store';
import { describe, expect, it } from 'vitest';
import { MOST_LINKS, waitChain } from './wait-chain.js';

const NOW = new Date('2030-01-01T00:00:00.000Z');

type Stored = Omit<WaitLink, '_id' | 'flowId' | 'triggeredBy'> & Partial<WaitLink> & Pick<Blocker, 'turns'>;

const running: Stored = { state: 'RUN' };
const inQueueOf = (lane: string): Stored => ({ state: 'DEFERRED', lane, queues: [`lane:${lane}`] });
const inQueueOfFlow = (flowId: string): Stored => ({ state: 'DEFERRED', limitKey: '', queues: [`flow:${flowId}`] });
const awaits = (wait: Pick<LayerWait, 'kind'> & Partial<LayerWait>): Stored => ({
  state: 'WAIT',
  waits: { 0: { position: 0, ref: 'w', since: NOW, until: null, ...wait } },
});
const awaitsPlays = (...of: string[]): Stored & { readonly of: readonly string[] } => ({
  ...awaits({ kind: 'children', children: { open: of.length, wakeAfter: 1 } }),
  of,
});

interface Queues {
  /** Who has turns, by queue, and who waits first. */
  readonly turns?: Readonly<Record<string, readonly string[]>>;
  readonly first?: Readonly<Record<string, string>>;
}

/** @param plays `of`: the plays that its layer has started */
async function chainOf(plays: Readonly<Record<string, Stored & { of?: readonly string[] }>>, queues: Queues = {}) {
  const stored = ([_id, play]: readonly [string, Stored]) => ({ _id, flowId: `f-${_id}`, triggeredBy: 'u', ...play });
  const all = new Map(Object.entries(plays).map((entry) => [entry[0], stored(entry)]));
  const these = (ids: readonly string[] = []) => Promise.resolve(ids.flatMap((id) => all.get(id) ?? []));
  const found = await waitChain(new TenantScope('c'), 'a', NOW, {
    find: (_scope, id) => Promise.resolve(all.get(id) ?? null),
    holdersOf: (_scope, queue) => these(queues.turns?.[queue]),
    firstIn: (_scope, queue) => Promise.resolve(all.get(queues.first?.[queue] ?? '') ?? null),
    startedBy: (_scope, { _id }) => these(plays[_id]?.of),
  });
  const links = found.links.map(({ play, waitsFor, queue }) => [play._id, waitsFor, ...(queue ? [queue] : [])]);
  return found.isCircle ? { circle: links } : links;
}

describe('the chain of plays that wait', () => {
  it.each<[string, Stored]>([
    ['runs', running],
    ['waits for a time', awaits({ kind: 'delay', until: NOW })],
    ['starts later', { state: 'DEFERRED', lane: 'l', dueAt: new Date(NOW.getTime() + 1) }],
    ['is on hold', { ...awaitsPlays('b'), state: 'ON_HOLD' }],
    ['waits for an event, and has its answer', { ...awaits({ kind: 'event' }), inbox: { 0: null } }],
  ])('is empty for one that %s', async (_what, play) => {
    expect(await chainOf({ a: play, b: running })).toEqual([]);
  });

  it('leads over children, turns of lanes and places of flows to what somebody has to do', async () => {
    const plays = {
      a: awaitsPlays('b'),
      b: inQueueOf('l'),
      c: inQueueOfFlow('f-c'),
      d: awaits({ kind: 'approval' }),
    };
    expect(await chainOf(plays, { turns: { 'lane:l': ['c'], 'flow:f-c': ['d'] } })).toEqual([
      ['a', 'child'],
      ['b', 'turn', 'lane:l'],
      ['c', 'turn', 'flow:f-c'],
      ['d', 'approval'],
    ]);
    expect(await chainOf({ a: awaits({ kind: 'event' }) })).toEqual([['a', 'event']]);
  });

  it('leads from a lane whose turn is free to who gets it next, which waits for a turn of its flow', async () => {
    const plays = {
      a: inQueueOf('l'),
      b: { ...inQueueOf('l'), limitKey: '', queues: ['lane:l', 'flow:f'] },
      c: running,
    };
    expect(await chainOf(plays, { turns: { 'flow:f': ['c'] }, first: { 'lane:l': 'b' } })).toEqual([
      ['a', 'turn', 'lane:l'],
      ['b', 'turn', 'flow:f'],
      ['c', null],
    ]);
    // it gets the turn at this moment
    expect(await chainOf(plays, { first: { 'lane:l': 'a' } })).toEqual([['a', 'turn', 'lane:l']]);
  });

  it('ends with the play that goes on by itself, and with one at which a lane has stopped', async () => {
    expect(await chainOf({ a: inQueueOf('l'), b: running }, { turns: { 'lane:l': ['b'] } })).toEqual([
      ['a', 'turn', 'lane:l'],
      ['b', null],
    ]);
    const stopped = { a: inQueueOf('l'), b: { state: 'FAIL', turns: ['lane:l#0'] } } as const;
    expect(await chainOf(stopped, { turns: { 'lane:l': ['b'] } })).toEqual([
      ['a', 'turn', 'lane:l'],
      ['b', null],
    ]);
  });

  it('names nobody who has ended, nor the play itself, which has just got its turn', async () => {
    const ended = { a: inQueueOf('l'), b: { state: 'DONE' } } as const;
    for (const holder of ['b', 'a', 'gone'])
      expect(await chainOf(ended, { turns: { 'lane:l': [holder] } })).toEqual([['a', 'turn', 'lane:l']]);
    expect(await chainOf({ a: awaitsPlays('b'), b: { state: 'FAIL' } })).toEqual([['a', 'child']]);
  });

  it('is a circle when it comes back to a play', async () => {
    const plays = { a: awaitsPlays('b'), b: inQueueOf('l'), c: awaitsPlays('d'), d: inQueueOf('m') };
    expect(await chainOf(plays, { turns: { 'lane:l': ['c'], 'lane:m': ['a'] } })).toEqual({
      circle: [
        ['a', 'child'],
        ['b', 'turn', 'lane:l'],
        ['c', 'child'],
        ['d', 'turn', 'lane:m'],
        ['a', 'child'],
      ],
    });
  });

  it('is no circle while one of the plays that have the places, or of those of a loop, goes on', async () => {
    const plays = { a: awaitsPlays('b', 'c'), b: inQueueOfFlow('f-b'), c: running };
    expect(await chainOf(plays)).toEqual([
      ['a', 'child'],
      ['c', null],
    ]);
    expect(await chainOf({ ...plays, a: awaitsPlays('b') }, { turns: { 'flow:f-b': ['a', 'c'] } })).toEqual([
      ['a', 'child'],
      ['b', 'turn', 'flow:f-b'],
      ['c', null],
    ]);
  });

  it('is named up to a bound', async () => {
    const many = Array.from({ length: 80 }, (_, i) => [i === 0 ? 'a' : `p${i}`, awaitsPlays(`p${i + 1}`)] as const);
    expect(await chainOf(Object.fromEntries(many))).toHaveLength(MOST_LINKS);
  });
});
