import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { cpuTimeMs } from './cpu-time.js';
import { longestMs } from './limits.js';
import { ProgramLimit } from './program-limit.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A program that gets this share of a processor; null: nobody says how much it gets. */
function program(timeoutMs: number, share: number | null) {
  const over: number[] = [];
  const usedMs = () => (share === null ? null : 7_000 + performance.now() * share);
  const limit = new ProgramLimit(timeoutMs, longestMs(timeoutMs), usedMs, (limitMs) => void over.push(limitMs));
  return { over, limit };
}

describe('the time limit of a program', () => {
  it.each([1, 0.5, 0.2])('is over when it had a processor for that long, with %f of one', (share) => {
    const { over } = program(1_000, share);
    vi.advanceTimersByTime(1_090 / share);
    expect(over).toEqual([]);
    vi.advanceTimersByTime(100 / share);
    expect(over).toEqual([1_000]);
  });

  it.each([
    [10, 10_000],
    [1_000, 10_000],
    [2_000, 20_000],
    [5_000, 30_000],
    [30_000, 30_000],
  ])('of %i ms lets no program keep its slot for longer than %i ms, if it gets hardly any', (timeoutMs, longest) => {
    const { over } = program(timeoutMs, 0.0001);
    vi.advanceTimersByTime(longest);
    expect(over).toEqual([]);
    vi.advanceTimersByTime(200);
    expect(over).toEqual([longest]);
  });

  it('counts all that passes where nobody says how much it gets', () => {
    const { over } = program(1_000, null);
    vi.advanceTimersByTime(1_000);
    expect(over).toEqual([]);
    vi.advanceTimersByTime(200);
    expect(over).toEqual([1_000]);
  });

  it('is never over once the program has ended', () => {
    const { over, limit } = program(1_000, 1);
    limit.end();
    vi.advanceTimersByTime(60_000);
    expect(over).toEqual([]);
  });
});

describe.runIf(process.platform === 'linux')('the time for which a process had a processor', () => {
  it('grows with what it computes, and is unknown of one that has ended', () => {
    const before = cpuTimeMs(process.pid) ?? Number.NaN;
    const { user } = process.threadCpuUsage();
    while (process.threadCpuUsage().user - user < 50_000);
    expect((cpuTimeMs(process.pid) ?? 0) - before).toBeGreaterThanOrEqual(30);
    expect(cpuTimeMs(2 ** 30)).toBeNull();
  });
});
