import { PROTOCOL_TIMES, type OpenPlay } from '@weft/engine';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LostRings } from './lost-rings.js';
import { PlaysWithoutJobs } from './plays-without-jobs.js';

const START_MS = 1_790_000_000_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

function setUp() {
  const stored: OpenPlay[] = [];
  const lost: string[] = [];
  let isAway = false;
  const rings = new LostRings({
    plays: {
      silent: (after, until) => {
        if (isAway) return Promise.reject(new Error('MongoDB is away'));
        const from = after?.heartbeatAt.getTime() ?? Number.NEGATIVE_INFINITY;
        const plays = stored.filter(({ heartbeatAt }) => {
          const at = heartbeatAt?.getTime() ?? 0;
          return at > from && at <= until.getTime();
        });
        const last = plays.at(-1);
        const reached = last?.heartbeatAt ? { heartbeatAt: last.heartbeatAt, id: last._id } : null;
        return Promise.resolve({ plays, reached, isLast: true });
      },
    },
    queue: {
      missing: (jobs) => {
        lost.push(...jobs.map(({ playId }) => playId));
        return Promise.resolve([]);
      },
    },
    withoutJobs: new PlaysWithoutJobs(),
    times: PROTOCOL_TIMES,
    serverNow: () => START_MS + performance.now(),
    stopping: new AbortController().signal,
  });
  const store = (_id: string, atMs: number) =>
    stored.push({ _id, state: 'NEW', epoch: 1, heartbeatAt: new Date(START_MS + atMs) } as OpenPlay);
  const passes = async (seconds: number) => {
    for (let i = 0; i < seconds; i += 1) {
      vi.advanceTimersByTime(1_000);
      await rings.pass().catch(() => undefined);
    }
  };
  return { store, passes, lost, setAway: (away: boolean) => (isAway = away) };
}

describe('LostRings', () => {
  it('finds a play that was written long after its heartbeat, because MongoDB was away', async () => {
    const { store, passes, lost, setAway } = setUp();
    await passes(60);
    store('before', 60_000);
    await passes(20);
    setAway(true);
    await passes(20);
    setAway(false);
    store('after', 95_000);
    await passes(10);
    store('late', 85_000);
    await passes(10);
    expect(lost.filter((id) => id === 'late')).toEqual([]);
    await passes(20);
    expect(lost.filter((id) => id === 'late')).toHaveLength(1);
  });

  it('looks at a play once while MongoDB answers', async () => {
    const { store, passes, lost } = setUp();
    await passes(60);
    store('one', 60_000);
    await passes(120);
    expect(lost).toEqual(['one']);
  });
});
