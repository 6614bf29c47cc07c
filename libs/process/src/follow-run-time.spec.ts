import type { RunTimeSettings } from '@weft/records';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { followRunTime } from './follow-run-time.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function fixture() {
  const changed: (() => void)[] = [];
  const told: (() => void)[] = [];
  let stored = 'info';
  let known = 'info';
  const refresh = vi.fn(() => {
    if (stored === 'away') return Promise.reject(new Error('MongoDB is away'));
    const isNew = stored !== known;
    known = stored;
    if (isNew) for (const listener of changed) listener();
    return Promise.resolve();
  });
  const runTime = { refresh, get: () => known, onChange: (listener: () => void) => changed.push(listener) };
  const levels: string[] = [];
  const started = followRunTime(
    runTime as unknown as RunTimeSettings,
    { on: (_kind, listener) => (told.push(() => listener('config')), () => told.pop()) },
    { setLevel: (level) => levels.push(level) },
  );
  return {
    started,
    refresh,
    levels,
    tell: () => told.forEach((each) => each()),
    store: (level: string) => (stored = level),
  };
}

describe('followRunTime', () => {
  it('looks every five seconds, and sets the level that it finds', async () => {
    const { started, levels, store } = fixture();
    await started;
    store('debug');
    await vi.advanceTimersByTimeAsync(4_999);
    expect(levels).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(levels).toEqual(['debug']);
  });

  it('looks at once when it is told', async () => {
    const { started, levels, store, tell } = fixture();
    await started;
    store('warn');
    tell();
    await vi.advanceTimersByTimeAsync(0);
    expect(levels).toEqual(['warn']);
  });

  it('keeps what it has while the store is away, and goes on afterwards', async () => {
    const { started, levels, store } = fixture();
    await started;
    store('away');
    await vi.advanceTimersByTimeAsync(15_000);
    store('error');
    await vi.advanceTimersByTimeAsync(5_000);
    expect(levels).toEqual(['error']);
  });

  it('stops', async () => {
    const { started, refresh, tell } = fixture();
    (await started)();
    refresh.mockClear();
    tell();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(refresh).not.toHaveBeenCalled();
  });
});
