import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SlotReserve } from './slot-reserve.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

interface HandOut {
  readonly jobId: string;
  readonly companyId: string;
  readonly atMs: number;
  /** Given back: for this many ms. */
  delayMs: number | null;
  becomes: 'waits' | 'runs' | 'given back' | 'ended';
}

/** A worker whose queue has jobs of every company at any time. */
function worker(slots: number) {
  const promoted: string[] = [];
  const handOuts: HandOut[] = [];
  const gone = new Set<string>();
  const promote = (jobId: string) => {
    promoted.push(jobId);
    return Promise.resolve(!gone.has(jobId));
  };
  const reserve = new SlotReserve({ slots, promote });
  const are = (state: HandOut['becomes']) => handOuts.filter(({ becomes }) => becomes === state);
  const settle = (handOut: HandOut, delayMs: number | null) => {
    handOut.becomes = delayMs === null ? 'runs' : 'given back';
    handOut.delayMs = delayMs;
    if (delayMs !== null) reserve.wasGivenBack(handOut.jobId, handOut.companyId, delayMs);
  };
  return {
    reserve,
    promoted,
    gone,
    are,
    /** What the queue must not hand out yet. */
    isFull: () => are('runs').length + are('waits').length >= reserve.handOuts,
    handOut(companyId: string, jobId = `${companyId}-${handOuts.length}`): HandOut {
      const handOut: HandOut = { jobId, companyId, atMs: performance.now(), delayMs: null, becomes: 'waits' };
      handOuts.push(handOut);
      const answer = reserve.ask(jobId, companyId);
      if (answer instanceof Promise) void answer.then((delayMs) => settle(handOut, delayMs));
      else settle(handOut, answer);
      return handOut;
    },
    end(handOut: HandOut) {
      handOut.becomes = 'ended';
      reserve.end(handOut.companyId);
    },
  };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);
const statesOf = (handOuts: readonly HandOut[]) => handOuts.map(({ becomes }) => becomes);

/** All of the slots are taken by long plays of A, and the worker has noticed. */
async function saturated(slots: number) {
  const fixture = worker(slots);
  const long = times(slots, () => fixture.handOut('A'));
  const back = fixture.handOut('A');
  await pass(250);
  expect(back).toMatchObject({ becomes: 'given back', delayMs: 1_000 });
  return { ...fixture, long, back };
}

describe('a hand-out', () => {
  it.each([
    [1, 1],
    [10, 1],
    [11, 2],
    [200, 20],
  ])('begins at once while one of %i slots is free; the reserve has %i places more', (slots, places) => {
    const { handOut, reserve } = worker(slots);
    expect(statesOf(times(slots, () => handOut('A')))).toEqual(times(slots, () => 'runs'));
    expect(reserve.handOuts).toBe(slots + places);
  });

  it('waits for a slot when its company has all of them', async () => {
    const { handOut, end } = worker(2);
    const [first] = times(2, () => handOut('A'));
    const third = handOut('A');
    await pass(249);
    expect(third.becomes).toBe('waits');
    end(first as HandOut);
    await pass(0);
    expect(third.becomes).toBe('runs');
  });

  it('begins in the reserve when its company holds less than half of what is free there', () => {
    const { handOut } = worker(100);
    times(100, () => handOut('A'));
    const begun = (companyId: string) => {
      let count = 0;
      while (handOut(companyId).becomes === 'runs') count += 1;
      return count;
    };
    expect(['B', 'C', 'D', 'E', 'F'].map(begun)).toEqual([4, 2, 2, 1, 1]);
  });

  it('goes back after a quarter of a second without a slot, and from then on at once', async () => {
    const { handOut, promoted, are } = await saturated(20);
    expect(handOut('A')).toMatchObject({ becomes: 'given back', delayMs: 1_010 });
    expect(handOut('A')).toMatchObject({ becomes: 'given back', delayMs: 1_020 });
    expect(handOut('B').becomes).toBe('runs');
    expect(are('waits')).toEqual([]);
    expect(promoted).toEqual([]);
  });

  it('waits its own time, not that of those before it', async () => {
    const { handOut, end } = worker(20);
    const [first] = times(20, () => handOut('A'));
    const second = handOut('A');
    await pass(150);
    const third = handOut('A');
    end(first as HandOut);
    await pass(249);
    expect(statesOf([second, third])).toEqual(['runs', 'waits']);
    await pass(1);
    expect(third.becomes).toBe('given back');
  });

  it('is given back for ten seconds at most', async () => {
    const { handOut } = await saturated(1);
    for (let i = 0; i < 2_000; i += 1) handOut('A');
    expect(handOut('A').delayMs).toBe(10_000);
    await pass(10_000);
    expect(handOut('A').delayMs).toBe(1_000);
  });

  it('waits again when plays end fast, not when one ends now and then', async () => {
    const { handOut, end, long } = await saturated(20);
    const next = () => long.shift() as HandOut;
    for (let i = 0; i < 3; i += 1) {
      end(next());
      long.push(handOut('B'));
      await pass(300);
    }
    expect(handOut('A').becomes).toBe('given back');
    for (let i = 0; i < 3; i += 1) {
      end(next());
      long.push(handOut('B'));
    }
    expect(handOut('A').becomes).toBe('waits');
  });
});

describe('a play that ends', () => {
  it('leaves its slot to the first that waits', async () => {
    const { handOut, end } = worker(20);
    const [first] = times(20, () => handOut('A'));
    const [second, third] = times(2, () => handOut('A'));
    end(first as HandOut);
    await pass(0);
    expect(statesOf([second, third] as HandOut[])).toEqual(['runs', 'waits']);
  });

  it('has the queue hand out one that was given back, of whoever holds few first', async () => {
    const { handOut, end, long, back, promoted } = await saturated(2);
    const b = handOut('B');
    const another = handOut('B');
    expect(statesOf([b, another])).toEqual(['runs', 'given back']);
    end(b);
    expect(promoted).toEqual([another.jobId]);
    end(long[0] as HandOut);
    expect(promoted).toEqual([another.jobId, back.jobId]);
  });

  it('leaves nobody its slot as long as others run in the reserve', async () => {
    const { handOut, end, long, promoted } = await saturated(2);
    handOut('B');
    end(long[0] as HandOut);
    expect(promoted).toEqual([]);
    expect(handOut('A').becomes).toBe('given back');
    end(long[1] as HandOut);
    expect(handOut('A').becomes).toBe('runs');
  });

  it('asks for the next when the one that it asked for has come by itself', async () => {
    const { handOut, end, long, back, gone, promoted } = await saturated(1);
    const next = handOut('A');
    gone.add(back.jobId);
    end(long[0] as HandOut);
    await pass(0);
    expect(promoted).toEqual([back.jobId, next.jobId]);
  });

  it('asks for none that has come again, or whose time is over', async () => {
    const { handOut, end, long, back, promoted } = await saturated(1);
    handOut('A', back.jobId);
    handOut('A');
    await pass(1_020);
    end(long[0] as HandOut);
    expect(promoted).toEqual([]);
  });
});

it('has the queue hand a job out again at once when a slot came free while it was given back', () => {
  const { reserve, promoted } = worker(1);
  reserve.wasGivenBack('late', 'A', 1_000);
  expect(promoted).toEqual(['late']);
});

it('sends back all that wait when it stops, and all that still come', async () => {
  const { reserve, handOut, end, promoted } = worker(20);
  const [running] = times(20, () => handOut('A'));
  const waiting = times(2, () => handOut('A'));
  reserve.stop();
  await pass(0);
  const late = handOut('B');
  for (const { becomes, delayMs } of [...waiting, late]) expect([becomes, delayMs]).toEqual(['given back', 0]);
  end(running as HandOut);
  await pass(0);
  expect(promoted).toEqual([]);
});

it('leaves what it has given back to others when it stops, whatever is left of the delay', async () => {
  const { reserve, handOut, promoted } = worker(20);
  times(20, () => handOut('A'));
  const [first, second] = times(2, () => handOut('A'));
  await pass(250);
  expect(promoted).toEqual([]);
  reserve.stop();
  await pass(0);
  expect(promoted).toEqual([first?.jobId, second?.jobId]);
});

describe('whatever comes and ends', () => {
  const companies = fc.constantFrom('A', 'B', 'C', 'D');
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ handOut: companies }) },
    { weight: 3, arbitrary: fc.record({ end: fc.nat(100) }) },
    { weight: 1, arbitrary: fc.record({ pass: fc.constantFrom(1, 50, 150, 250, 5_000) }) },
  );

  it('never lets one wait for a free slot or for long, never refuses who holds none, and loses nothing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 25 }), fc.array(step, { maxLength: 120 }), async (slots, steps) => {
        const { handOut, end, are, isFull, reserve } = worker(slots);
        const holds = (companyId: string) => are('runs').filter((one) => one.companyId === companyId).length;
        for (const now of steps) {
          if ('handOut' in now && !isFull()) {
            const held = holds(now.handOut);
            const one = handOut(now.handOut);
            if (held === 0) expect(one.becomes).toBe('runs');
          }
          const running = are('runs');
          if ('end' in now && running.length > 0) end(running[now.end % running.length] as HandOut);
          await pass('pass' in now ? now.pass : 0);

          const waiting = are('waits');
          expect(are('runs').length).toBeLessThanOrEqual(reserve.handOuts);
          if (are('runs').length < slots) expect(waiting).toEqual([]);
          for (const { companyId, atMs } of waiting) {
            expect(performance.now() - atMs).toBeLessThan(250);
            expect(holds(companyId)).toBeGreaterThan(0);
          }
        }
        await pass(1_000);
        for (let [one] = are('runs'); one; [one] = are('runs')) end(one);
        await pass(0);
        expect(are('waits')).toEqual([]);
      }),
    );
  });

  it('never gives a company that is alone more than the slots', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 25 }), fc.array(fc.boolean()), async (slots, comes) => {
        const { handOut, end, are, isFull } = worker(slots);
        for (const one of comes) {
          if (one && !isFull()) handOut('A');
          else are('runs').slice(0, 1).forEach(end);
          await pass(0);
          expect(are('runs').length).toBeLessThanOrEqual(slots);
        }
      }),
    );
  });
});
