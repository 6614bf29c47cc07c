import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { rarely } from './rarely.js';

describe('what fails again and again', () => {
  const told: (readonly [string, number])[] = [];
  let fail: (error: unknown, times?: number) => void;
  beforeEach(() => {
    vi.useFakeTimers();
    told.length = 0;
    fail = rarely((error, times) => told.push([(error as Error).message, times]));
  });
  afterEach(() => vi.useRealTimers());

  it('is told at once, then once a minute with its number and its last error', () => {
    for (let i = 1; i <= 600; i += 1) {
      fail(new Error(`failure ${i}`));
      vi.advanceTimersByTime(200);
    }
    expect(told).toEqual([
      ['failure 1', 1],
      ['failure 300', 299],
      ['failure 600', 300],
    ]);
  });

  it('is told of with the last number, too, when it stops', () => {
    fail(new Error('first'));
    fail(new Error('second'), 40);
    vi.advanceTimersByTime(60_000);
    expect(told).toEqual([
      ['first', 1],
      ['second', 40],
    ]);
  });

  it('is told at once again after a minute without it', () => {
    fail(new Error('one outage'));
    vi.advanceTimersByTime(120_000);
    fail(new Error('another'));
    expect(told.map(([what]) => what)).toEqual(['one outage', 'another']);
  });
});
