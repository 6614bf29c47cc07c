import { describe, expect, it } from 'vitest';
import type { LayerWait } from '../layer-outcome.js';
import { findStuckChildren, type GateState, type QueueKey, type SearchedPlay, type WaitReads } from './wait-circle.js';

type Company = Record<string, Partial<SearchedPlay>>;
type Gates = Record<string, GateState>;
/** By the loop's play: those of its items, the last one first. */
type Loops = Record<string, readonly string[]>;

const AT = new Date(0);
const waitFor = (position: number, more: Partial<LayerWait>): Record<string, LayerWait> => ({
  [position]: { position, ref: `l${position}`, kind: 'play', since: AT, until: null, ...more },
});
/** A play that waits for these. */
const parent = (...ids: readonly string[]): Partial<SearchedPlay> => ({
  state: 'WAIT',
  waits: Object.assign({}, ...ids.map((playId, i) => waitFor(i, { play: { playId } }))) as SearchedPlay['waits'] &
    object,
});
const inLane = (lane: string): Partial<SearchedPlay> => ({ state: 'DEFERRED', lane, laneQueued: true });
const inGate = (flowId: string): Partial<SearchedPlay> => ({ state: 'DEFERRED', flowId, limited: true, queued: true });
const turn = (lane: string): Partial<SearchedPlay> => ({ lane, laneTurn: true });

function readsOf(company: Company, gates: Gates, loops: Loops = {}): WaitReads {
  const play = (id: string): SearchedPlay => ({
    ...{ _id: id, company_id: 'c', flowId: 'f', state: 'RUN', epoch: 1, seq: 1, cursor: 0, crashes: 0, priority: 0 },
    ...company[id],
  });
  const all = Object.keys(company).map(play);
  return {
    plays: (ids) => Promise.resolve(all.filter(({ _id }) => ids.includes(_id))),
    turnHolder: (lane) => Promise.resolve(all.find((one) => one.laneTurn && one.lane === lane) ?? null),
    gate: (flowId) => Promise.resolve(gates[flowId] ?? { holders: [], limit: Infinity }),
    childrenOfLoop: (playId, _position, limit) => Promise.resolve((loops[playId] ?? []).slice(0, limit).map(play)),
  };
}

/** A loop that has the turn of a lane and waits until all of its open plays have ended. */
const loopOf = (open: number, lane: string): Partial<SearchedPlay> => ({
  ...{ state: 'WAIT', waits: waitFor(0, { kind: 'children', children: { open, wakeAfter: open, upTo: open - 1 } }) },
  ...turn(lane),
});

const LANE_A: QueueKey = { lane: 'a' };
/** The play with the turn of A waits for one in B, and that with the turn of B for one in A. */
const TWO_LANES: Company = {
  p1: { ...parent('c1'), ...turn('a') },
  p2: { ...parent('c2'), ...turn('b') },
  c1: inLane('b'),
  c2: inLane('a'),
};

/** Ids of what is to be ended. */
async function stuckIn(
  company: Company,
  {
    gates = {},
    from = LANE_A,
    loops,
  }: { readonly gates?: Gates; readonly from?: QueueKey; readonly loops?: Loops } = {},
): Promise<string> {
  const found = await findStuckChildren(from, readsOf(company, gates, loops));
  return found.map(({ play }) => play._id).join(' ');
}

describe('a circle of plays that wait for each other', () => {
  it('is found over two lanes, from each of them', async () => {
    const found = await findStuckChildren(LANE_A, readsOf(TWO_LANES, {}));
    expect(found).toMatchObject([{ play: { _id: 'c2' }, queue: LANE_A }]);
    expect(await stuckIn(TWO_LANES, { from: { lane: 'b' } })).toBe('c2');
  });

  it('is found over a lane and a gate', async () => {
    const company = { p1: parent('c1'), c1: inLane('b'), p2: { ...inGate('f1'), ...turn('b') } };
    const gates = { f1: { holders: ['p1'], limit: 1 } };
    expect(await stuckIn(company, { gates, from: { lane: 'b' } })).toBe('c1');
    expect(await stuckIn(company, { gates, from: { flowId: 'f1' } })).toBe('c1');
  });

  it('is found over two gates, and over a child that waits for its own child', async () => {
    const company = { p1: parent('m1'), m1: parent('c1'), c1: inGate('f2'), p2: parent('c2'), c2: inGate('f1') };
    const gates = { f1: { holders: ['p1'], limit: 1 }, f2: { holders: ['p2'], limit: 1 } };
    expect(await stuckIn(company, { gates, from: { flowId: 'f1' } })).toBe('c2');
  });

  it('is found where a loop waits for its plays, and broken at the play for which no loop waits', async () => {
    const company: Company = {
      p1: loopOf(2, 'a'),
      i0: inLane('b'),
      i1: inLane('b'),
      p2: { ...parent('c2'), ...turn('b') },
      c2: inLane('a'),
    };
    const loops = { p1: ['i1', 'i0'] };
    expect(await stuckIn(company, { loops })).toBe('c2');
    const ended = { state: 'DONE' } as const;
    expect(await stuckIn({ ...company, i1: ended }, { loops })).toBe('c2');
    expect(await stuckIn({ ...company, i0: ended, i1: ended }, { loops })).toBe('');
    expect(await stuckIn({ ...company, i0: { state: 'RUN' } }, { loops })).toBe('');
  });

  it('is found where a loop waits for more ends than can come, unless one has come and sets it going', async () => {
    const company: Company = {
      p1: loopOf(5, 'a'),
      i0: inLane('b'),
      i1: inLane('b'),
      p2: { ...parent('c2'), ...turn('b') },
    };
    company.c2 = inLane('a');
    const loops = { p1: ['i1', 'i0'] };
    expect(await stuckIn(company, { loops })).toBe('c2');
    expect(await stuckIn({ ...company, i1: { state: 'DONE' } }, { loops })).toBe('');
  });

  it('is broken at all plays of one loop where only loops wait: one of them would not set it going', async () => {
    const company: Company = { p1: loopOf(2, 'a'), p2: loopOf(3, 'b') };
    const loops = { p1: ['i1', 'i0'], p2: ['j2', 'j1', 'j0'] };
    for (const id of loops.p1) company[id] = inLane('b');
    for (const id of loops.p2) company[id] = inLane('a');
    expect(await stuckIn(company, { loops })).toBe('j2 j1 j0');
  });

  it('is broken where it waits for no other one, which frees the plays that wait for it', async () => {
    const company: Company = {
      ...TWO_LANES,
      p3: { ...parent('c3'), ...turn('y') },
      p4: { ...parent('c4'), limited: true },
      // it waits for one of two places: one play with a place is in its own circle, the other one in the other
      c3: inGate('f1'),
      p5: parent('c5'),
      c4: inLane('y'),
      c5: inLane('a'),
    };
    const gates = { f1: { holders: ['p4', 'p5'], limit: 2 } };
    expect(await stuckIn(company, { gates, from: { lane: 'y' } })).toBe('c2');
  });

  it('does not cost a younger play that only waits for it', async () => {
    const company = { ...TWO_LANES, p9: { ...parent('c9'), ...turn('z') }, c9: inLane('a') };
    expect(await stuckIn(company, { from: { lane: 'z' } })).toBe('c2');
  });

  it('is found where a flow has several places, if all of them are in it', async () => {
    const company: Company = { p1: parent('c1'), p2: parent('c2'), c1: inGate('f1'), c2: inGate('f1') };
    const from = { flowId: 'f1' };
    expect(await stuckIn(company, { gates: { f1: { holders: ['p1', 'p2'], limit: 2 } }, from })).toBe('c2');
    for (const gate of [
      { holders: ['p1', 'p2'], limit: 3 },
      { holders: ['p1', 'p2'], limit: Infinity },
      { holders: ['p1', 'other'], limit: 2 },
      { holders: ['p1', 'p2', 'c1'], limit: 2 },
    ])
      expect([gate, await stuckIn({ ...company, other: {} }, { gates: { f1: gate }, from })]).toEqual([gate, '']);
  });
});

describe('plays that go on', () => {
  it.each<[string, Company]>([
    ['a play with the turn is at work', { p2: { ...turn('b') } }],
    ['a play with the turn is on hold', { p2: { state: 'ON_HOLD', ...turn('b') } }],
    ['a play with the turn has failed: the lane stopped at it', { p2: { state: 'FAIL', ...turn('b') } }],
    ['nobody has the turn', { p2: { state: 'DONE' } }],
    ['the child has ended, and its parent is about to be notified', { c1: { state: 'DONE' } }],
    ['the child was deleted', { p1: { ...parent('gone'), ...turn('a') } }],
    ['the child begins now or not at all', { c1: { ...inLane('b'), notAfter: AT } }],
    ['the child is at work', { c1: { state: 'RUN' } }],
    ['the child is on hold', { c1: { ...inLane('b'), state: 'ON_HOLD' } }],
    [
      'a second layer waits for a time',
      {
        p1: {
          state: 'WAIT',
          ...turn('a'),
          waits: { ...parent('c1').waits, ...waitFor(1, { kind: 'retry', until: AT }) },
        },
      },
    ],
    [
      'a second layer waits for an approval',
      { p1: { state: 'WAIT', ...turn('a'), waits: { ...parent('c1').waits, ...waitFor(1, { kind: 'approval' }) } } },
    ],
    ['a second layer waits for a play that goes on', { p1: { ...parent('c1', 'c3'), ...turn('a') }, c3: {} }],
    ['a second layer is at work', { p1: { ...parent('c1'), state: 'RUN', ...turn('a') } }],
  ])('are in no circle: %s', async (_why, change) => {
    expect(await stuckIn({ ...TWO_LANES, ...change })).toBe('');
  });

  it('free a queue without a look at most of the others that have places', async () => {
    const holders = Array.from({ length: 500 }, (_, n) => `h${n}`);
    const company: Company = Object.fromEntries(holders.map((id) => [id, parent(`c${id}`)]));
    company.h250 = {};
    const reads = readsOf(company, { f1: { holders, limit: 500 } });
    const asked: number[] = [];
    const plays: WaitReads['plays'] = (ids) => {
      asked.push(ids.length);
      return reads.plays(ids);
    };
    expect(await findStuckChildren({ flowId: 'f1' }, { ...reads, plays })).toEqual([]);
    expect(asked).toEqual([100, 100, 100]);
  });

  it('are never more than it looks for', async () => {
    const count = 3_000;
    const company: Company = {};
    for (let i = 0; i < count; i += 1) {
      company[`p${i}`] = { ...parent(`c${i}`), ...turn(`l${i}`) };
      company[`c${i}`] = inLane(`l${(i + 1) % count}`);
    }
    expect(await stuckIn(company, { from: { lane: 'l0' } })).toBe('');
  });
});

it('tells of each queue by which it has come whether somebody in front of it goes on', async () => {
  const chain: Company = {
    p1: { ...parent('c1'), ...turn('a') },
    p2: { ...parent('c2'), ...turn('b') },
    p3: { ...turn('c') },
    c1: inLane('b'),
    c2: inLane('c'),
  };
  const told = async (company: Company): Promise<QueueKey[]> => {
    const queues: QueueKey[] = [];
    await findStuckChildren(LANE_A, { ...readsOf(company, {}), goesOn: (queue) => void queues.push(queue) });
    return queues;
  };
  expect(await told(chain)).toEqual([{ lane: 'a' }, { lane: 'b' }, { lane: 'c' }]);
  expect(await told(TWO_LANES)).toEqual([]);
});
