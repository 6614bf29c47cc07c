import type { PlayWrite, StuckChild } from '@weft/engine';
import type { FlowKey, LaneKey, OpenPlayChange, WaitCirclesRepository } from '@weft/persistence';
import { expect, it, vi } from 'vitest';
import { WaitCircles } from './wait-circles.js';

const SERVER_NOW = Date.UTC(2030, 0, 1);
const STUCK = {
  play: {
    _id: 'p1',
    company_id: 'c',
    flowId: 'f',
    state: 'DEFERRED',
    epoch: 3,
    seq: 2,
    cursor: 0,
    crashes: 0,
    priority: 0,
  },
  queue: { lane: 'a' },
} as const satisfies StuckChild;

/** One lane and one limited flow with a queue, and what a search takes. */
function setUp({ searchMs = 0, mostAdmitted = 64 } = {}) {
  let atMs = 1_000;
  const faults: unknown[] = [];
  const writes: PlayWrite[] = [];
  const lane: LaneKey = { companyId: 'c', lane: 'a' };
  const flow: FlowKey = { companyId: 'c', flowId: 'f' };
  const stuckChildren = vi.fn(() => {
    atMs += searchMs;
    return Promise.resolve([STUCK]);
  });
  const circles = new WaitCircles({
    lanes: { nextWithQueue: (reached) => Promise.resolve(reached ? null : lane) },
    plays: { nextWithQueue: (reached) => Promise.resolve(reached ? null : flow) },
    circles: { stuckChildren },
    writes: {
      write: (_action: string, changes: readonly OpenPlayChange[]) => {
        writes.push(...changes.map(({ write }) => write));
        return Promise.resolve(new Set<string>());
      },
    },
    mostAdmitted: () => mostAdmitted,
    serverNow: () => SERVER_NOW + atMs,
    monotonicMs: () => atMs,
    onFault: (error) => faults.push(error),
  });
  return { circles, writes, stuckChildren, faults };
}

it('looks from lanes and from flows, with what gates admit now', async () => {
  const { circles, stuckChildren } = setUp({ mostAdmitted: 70 });
  await circles.pass();
  expect(stuckChildren.mock.calls.map((call: readonly unknown[]) => call.slice(1, 4))).toEqual([
    ['c', { lane: 'a' }, 70],
    ['c', { flowId: 'f' }, 70],
  ]);
});

it('ends the play for a few seconds after the look only', async () => {
  const { circles, writes, faults } = setUp({ searchMs: 4_999 });
  await circles.pass();
  expect(faults).toEqual([]);
  expect(writes[0]).toMatchObject({
    match: { epoch: 3, seq: 2, states: ['DEFERRED'], until: new Date(SERVER_NOW + 6_000) },
    set: { state: 'FAIL', error: { code: 'waits_for_itself' } },
  });
});

it('ends no play when the look was long ago, and says so: the process was frozen, or the search is too slow', async () => {
  const { circles, writes, faults } = setUp({ searchMs: 5_001 });
  await circles.pass();
  expect([writes, faults.map(String)]).toEqual([[], Array(2).fill(expect.stringContaining('took 5001 ms'))]);
});

it('follows a chain of queues once in a pass, and not from each of its queues', async () => {
  const lanes = Array.from({ length: 60 }, (_, i): LaneKey => ({ companyId: 'c', lane: String(i).padStart(2, '0') }));
  const stuckChildren = vi.fn((...[, , , , goesOn]: Parameters<WaitCirclesRepository['stuckChildren']>) => {
    for (const { lane } of lanes) goesOn?.({ lane });
    return Promise.resolve([]);
  });
  const circles = new WaitCircles({
    lanes: {
      nextWithQueue: (reached) =>
        Promise.resolve(
          lanes.find(({ lane }) => !reached || ('lane' in reached ? lane > reached.lane : reached.companyId < 'c')) ??
            null,
        ),
    },
    plays: { nextWithQueue: () => Promise.resolve(null) },
    circles: { stuckChildren },
    writes: { write: () => Promise.resolve(new Set<string>()) },
    mostAdmitted: () => 64,
    serverNow: () => SERVER_NOW,
    monotonicMs: () => 0,
    onFault: () => undefined,
  });
  await circles.pass();
  // four are looked at in parallel
  expect(stuckChildren.mock.calls.length).toBeLessThanOrEqual(4);
  const before = stuckChildren.mock.calls.length;
  await circles.pass();
  expect(stuckChildren.mock.calls.length).toBeGreaterThan(before);
});
