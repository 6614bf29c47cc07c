import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { watchDescriptors } from './watch-descriptors.js';

describe('watchDescriptors', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  /** @returns the lines of two minutes */
  async function told(countOpen: () => Promise<number>): Promise<{ open: number; times: number }[]> {
    const lines: { open: number; times: number }[] = [];
    const log = pino({}, { write: (line) => lines.push(JSON.parse(line) as (typeof lines)[number]) });
    const stop = watchDescriptors(log, { max: 256, countOpen });
    await vi.advanceTimersByTimeAsync(120_000);
    stop();
    return lines;
  }

  it('warns while few are left, and not every time', async () => {
    expect(await told(() => Promise.resolve(240))).toMatchObject([{ open: 240, times: 1 }, { open: 240 }]);
  });

  it('warns when there is not even one left to count them', async () => {
    const exhausted = Object.assign(new Error('too many open files'), { code: 'EMFILE' });
    expect(await told(() => Promise.reject(exhausted))).toMatchObject([{ open: 256, times: 1 }, { open: 256 }]);
  });

  it('is silent while there are enough', async () => {
    expect(await told(() => Promise.resolve(100))).toEqual([]);
  });
});
