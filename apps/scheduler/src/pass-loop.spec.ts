import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PassLoop, stuckLoops } from './pass-loop.js';

beforeEach(() => vi.useFakeTimers());
afterEach(() => void vi.restoreAllMocks().useRealTimers());

/** A loop whose passes end when the test ends them. The first pass fails. */
function fixture() {
  const seen = { begun: 0, faults: [] as unknown[], end: (): void => undefined };
  const pass = async () => {
    seen.begun += 1;
    await new Promise<void>((resolve) => (seen.end = resolve));
    if (seen.begun === 1) throw new Error('the store is away');
  };
  return { seen, loop: new PassLoop('spec', 1_000, pass, (error) => seen.faults.push(error), 60_000) };
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
    expect(seen).toMatchObject({ begun: 1, faults: [new Error('the store is away')] });
    await vi.advanceTimersByTimeAsync(1);
    seen.end();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(seen.begun).toBe(3);
    expect(seen.faults).toHaveLength(1);
  });

  it('is stuck while a pass lasts for longer than it may', async () => {
    const { seen, loop } = fixture();
    loop.start();
    await vi.advanceTimersByTimeAsync(59_000);
    expect(stuckLoops()).toEqual([]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(stuckLoops()).toEqual(['spec']);
    seen.end();
    await vi.advanceTimersByTimeAsync(1_500);
    expect([seen.begun, stuckLoops()]).toEqual([2, []]);
    const stopping = loop.stop();
    seen.end();
    await stopping;
  });

  it('is not stuck because the process stood still', async () => {
    const now = performance.now.bind(performance);
    let stoodMs = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => now() + stoodMs);
    const { seen, loop } = fixture();
    loop.start();
    await vi.advanceTimersByTimeAsync(30_500);
    stoodMs = 3_600_000;
    await vi.advanceTimersByTimeAsync(25_000);
    expect(stuckLoops()).toEqual([]);
    await vi.advanceTimersByTimeAsync(6_000);
    expect(stuckLoops()).toEqual(['spec']);
    seen.end();
    await loop.stop();
  });

  it('stops when the pass that is under way has ended, and begins no other', async () => {
    const { seen, loop } = fixture();
    loop.start();
    await vi.advanceTimersByTimeAsync(1);
    let stopped = false;
    const stopping = loop.stop().then(() => (stopped = true));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(stopped).toBe(false);
    seen.end();
    await stopping;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(seen.begun).toBe(1);
  });
});
