import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PassLoop } from './pass-loop.js';

beforeEach(() => vi.useFakeTimers());
afterEach(() => void vi.restoreAllMocks().useRealTimers());

/** A loop whose passes end when the test ends them. The first pass fails. */
function fixture() {
  const seen = { begun: 0, faults: [] as unknown[], ended: 0, end: (): void => undefined };
  const pass = async () => {
    seen.begun += 1;
    await new Promise<void>((resolve) => (seen.end = resolve));
    if (seen.begun === 1) throw new Error('the store is away');
  };
  const loop = new PassLoop({ name: 'spec', everyMs: 1_000, longestMs: 60_000 }, pass, (end) => {
    seen.ended += 1;
    if ('fault' in end) seen.faults.push(end.fault);
  });
  return { seen, loop };
}

describe('PassLoop', () => {
  it('begins a pass a while after the last one has ended, also when that one failed', async () => {
    const { seen, loop } = fixture();
    loop.start(500);
    await vi.advanceTimersByTimeAsync(499);
    expect(seen.begun).toBe(0);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(seen.begun).toBe(1);
    seen.end();
    await vi.advanceTimersByTimeAsync(999);
    expect(seen).toMatchObject({ begun: 1, ended: 1, faults: [new Error('the store is away')] });
    await vi.advanceTimersByTimeAsync(1);
    seen.end();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(seen).toMatchObject({ begun: 3, ended: 2 });
    expect(seen.faults).toHaveLength(1);
  });

  it('makes a pass at once that somebody asks for, or directly after the one in progress', async () => {
    const { seen, loop } = fixture();
    loop.start(500);
    loop.soon();
    await vi.advanceTimersByTimeAsync(0);
    expect(seen.begun).toBe(1);
    loop.soon();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(seen.begun).toBe(1);
    seen.end();
    await vi.advanceTimersByTimeAsync(0);
    expect(seen.begun).toBe(2);
  });

  it('rests while nothing wakes it, and not while something does', async () => {
    let made = 0;
    const pass = () => Promise.resolve((made += 1));
    const loop = new PassLoop({ name: 'spec', everyMs: 1_000, restMs: 60_000 }, pass, () => undefined);
    loop.start();
    await vi.advanceTimersByTimeAsync(10_500);
    expect(made).toBe(11);
    await vi.advanceTimersByTimeAsync(59_000);
    expect(made).toBe(11);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(made).toBe(12);
    loop.wake();
    await vi.advanceTimersByTimeAsync(5_500);
    expect(made).toBe(18);
    loop.wake();
    await vi.advanceTimersByTimeAsync(9_000);
    expect(made).toBe(27);
    await vi.advanceTimersByTimeAsync(2_000);
    const before = made;
    await vi.advanceTimersByTimeAsync(30_000);
    expect(made).toBe(before);
    await loop.stop();
  });

  it('is stuck while a pass lasts for longer than it may', async () => {
    const { seen, loop } = fixture();
    loop.start(0);
    await vi.advanceTimersByTimeAsync(59_000);
    expect(loop.isStuck).toBe(false);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(loop.isStuck).toBe(true);
    seen.end();
    await vi.advanceTimersByTimeAsync(1_500);
    expect([seen.begun, loop.isStuck]).toEqual([2, false]);
  });

  it('is not stuck because the process stood still', async () => {
    const now = performance.now.bind(performance);
    let stoodMs = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => now() + stoodMs);
    const { loop } = fixture();
    loop.start(0);
    await vi.advanceTimersByTimeAsync(30_500);
    stoodMs = 3_600_000;
    await vi.advanceTimersByTimeAsync(25_000);
    expect(loop.isStuck).toBe(false);
    await vi.advanceTimersByTimeAsync(6_000);
    expect(loop.isStuck).toBe(true);
  });

  it('tells the pass that is under way to stop, waits for its end, and begins no other', async () => {
    const signals: AbortSignal[] = [];
    const gate = Promise.withResolvers<undefined>();
    const pass = (signal: AbortSignal) => {
      signals.push(signal);
      return gate.promise;
    };
    const loop = new PassLoop({ name: 'spec', everyMs: 1_000 }, pass, () => undefined);
    loop.start();
    await vi.advanceTimersByTimeAsync(1);
    let stopped = false;
    const stopping = loop.stop().then(() => (stopped = true));
    await vi.advanceTimersByTimeAsync(5_000);
    expect([signals[0]?.aborted, stopped]).toEqual([true, false]);
    gate.resolve(undefined);
    await stopping;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(signals).toHaveLength(1);
  });
});
