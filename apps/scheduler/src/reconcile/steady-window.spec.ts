import { beforeEach, expect, it } from 'vitest';
import { SteadyWindow } from './steady-window.js';

const MINUTE_MS = 60_000;
let now = { size: 64, workers: 1, atMs: 0 };
let steady: SteadyWindow;

beforeEach(() => {
  now = { size: 64, workers: 1, atMs: 5_000 };
  steady = new SteadyWindow({
    windowSize: () => now.size,
    liveWorkers: () => now.workers,
    monotonicMs: () => now.atMs,
  });
});

/** A look each minute. @returns the last one */
function look(minutes: number, change: Partial<typeof now> = {}): number {
  Object.assign(now, change);
  let size = Number.NaN;
  for (let minute = 0; minute < minutes; minute += 1) {
    now.atMs += MINUTE_MS;
    size = steady.size();
  }
  return size;
}

it('does not know the window until it was watched for ten minutes', () => {
  expect(look(10)).toBe(Infinity);
  expect(look(1)).toBe(64);
});

it('is not smaller while some workers restart, and follows when they do not come back', () => {
  expect(look(11, { size: 200 })).toBe(200);
  expect(look(10, { size: 120 })).toBe(200);
  expect(look(1)).toBe(120);
  expect(look(1, { size: 300 })).toBe(300);
});

it('remembers the largest size also of looks that come one after the other at once', () => {
  expect(look(11)).toBe(64);
  const sizes = [100, 90, 120, 64].map((size) => {
    now.size = size;
    return steady.size();
  });
  expect(sizes).toEqual([100, 100, 120, 120]);
  expect(look(10)).toBe(120);
  expect(look(1)).toBe(64);
});

it('begins anew after a time without workers, or without looks', () => {
  expect(look(11)).toBe(64);
  expect(look(1, { workers: 0 })).toBe(Infinity);
  expect(look(10, { workers: 1 })).toBe(Infinity);
  expect(look(1)).toBe(64);
  now.atMs += 3 * MINUTE_MS;
  expect(look(10)).toBe(Infinity);
  expect(look(1)).toBe(64);
});
