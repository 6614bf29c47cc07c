import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FRESH_MS, RefreshAhead } from './refresh-ahead.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function setUp() {
  const refreshed: (readonly string[])[] = [];
  const ahead = new RefreshAhead<string>((keys) => refreshed.push([...keys]));
  return { ahead, refreshed };
}

describe('RefreshAhead', () => {
  it('refreshes together what is used in the second half of its time, before that is over', () => {
    const { ahead, refreshed } = setUp();
    ahead.used('young', FRESH_MS / 2 - 1);
    ahead.used('a', FRESH_MS / 2);
    ahead.used('a', FRESH_MS / 2);
    ahead.used('b', FRESH_MS - 1);
    vi.advanceTimersByTime(FRESH_MS / 4);
    expect(refreshed).toEqual([['a', 'b']]);
  });

  it('refreshes again only what is used again', () => {
    const { ahead, refreshed } = setUp();
    for (const key of ['a', 'b']) ahead.used(key, FRESH_MS / 2);
    vi.advanceTimersByTime(FRESH_MS);
    ahead.used('b', FRESH_MS / 2);
    vi.advanceTimersByTime(FRESH_MS);
    expect(refreshed).toEqual([['a', 'b'], ['b']]);
  });
});
