import type { LaneKey } from '@weft/persistence';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { PassLoop } from '../pass-loop.js';
import { circleLoops } from './circle-loops.js';

const MINUTE_MS = 60_000;
const LANES: readonly LaneKey[] = ['a', 'b', 'c', 'd', 'e'].map((lane) => ({ companyId: 'c', lane }));

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const fail = (error: unknown): never => expect.unreachable(String(error));

/** Some lanes with queues and one limited flow, of which MongoDB finds one a minute. */
function setUp() {
  const now = { size: 64 };
  const looks: [atMinute: number, mostAdmitted: number][] = [];
  const asked: (() => void)[] = [];
  const slowly = <T>(answer: T) => new Promise<T>((resolve) => asked.push(() => resolve(answer)));
  const beganAtMs = Date.now();
  const loops = circleLoops({
    lanes: {
      nextWithQueue: (reached) =>
        slowly(LANES.find(({ lane }) => !reached || ('lane' in reached && lane > reached.lane)) ?? null),
    },
    plays: { nextWithQueue: (reached) => slowly(reached ? null : { companyId: 'c', flowId: 'f' }) },
    circles: {
      stuckChildren: (_scope, _company, _queue, mostAdmitted) => {
        looks.push([Math.round((Date.now() - beganAtMs) / MINUTE_MS), mostAdmitted]);
        return Promise.resolve([]);
      },
    },
    writes: { write: () => Promise.resolve(new Set<string>()) },
    windowSize: () => now.size,
    liveWorkers: () => 1,
    serverNow: () => Date.now(),
    monotonicMs: () => Date.now(),
    onFault: fail,
  }).map((loop) => new PassLoop(loop.name, loop.everyMs ?? 1_000, () => loop.pass(), fail));
  for (const loop of loops) loop.start();
  const pass = async (minutes: number) => {
    for (let minute = 0; minute < minutes; minute += 1) {
      await vi.advanceTimersByTimeAsync(MINUTE_MS);
      asked.shift()?.();
    }
    await vi.advanceTimersByTimeAsync(0);
  };
  return { now, looks, pass };
}

it('know the window after ten minutes, also when a pass takes minutes', async () => {
  const { looks, pass } = setUp();
  await pass(40);
  const early = looks.filter(([atMinute]) => atMinute < 10);
  const late = looks.filter(([atMinute]) => atMinute > 10);
  expect(early.length).toBeGreaterThan(2);
  expect(new Set(early.map(([, size]) => size))).toEqual(new Set([Infinity]));
  expect(late.length).toBeGreaterThan(4);
  expect(new Set(late.map(([, size]) => size))).toEqual(new Set([64]));
});

it('see a window that grows while a pass is in progress', async () => {
  const { now, looks, pass } = setUp();
  await pass(20);
  // the lanes were looked at, the flow is not
  for (let minute = 0; minute < 30 && looks.length % (LANES.length + 1) !== LANES.length; minute += 1) await pass(1);
  expect(looks.at(-1)?.[1]).toBe(64);
  now.size = 500;
  await pass(3);
  expect(looks.at(-1)?.[1]).toBe(500);
});
